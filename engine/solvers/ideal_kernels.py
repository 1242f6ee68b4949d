"""The loop over order ideals as bit masks, the positions of games of divisors."""

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.compiled import kernel

WordArray = NDArray[np.uint64]
ValueArray = NDArray[np.uint8]


@kernel
def fill(
    words: WordArray,
    kept: WordArray,
    grundy: ValueArray,
    remoteness: ValueArray,
    first: int,
    last: int,
) -> None:
    """Values of the positions first .. last - 1; `kept[i]`: the bits left once i is named."""
    one = np.uint64(1)
    for at in range(first, last):
        seen = np.uint64(0)  # Grundy values are below 64: at most 63 children besides the empty one
        quickest = 64
        slowest = -1
        for bit in range(1, kept.size):
            if not (words[at] >> np.uint64(bit)) & one:
                continue
            child = np.searchsorted(words[:at], words[at] & kept[bit])
            seen |= one << np.uint64(grundy[child])
            plies = int(remoteness[child])
            slowest = max(slowest, plies)
            if plies % 2 == 0:
                quickest = min(quickest, plies)
        mex = 0
        while (seen >> np.uint64(mex)) & one:
            mex += 1
        grundy[at] = mex
        remoteness[at] = (slowest if quickest == 64 else quickest) + 1
