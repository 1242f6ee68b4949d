"""The state of a column as four numbers.

In column c the value of row b is the least a >= b that is free in row(b) | col(c) | dd(c), where
col(c) are the values that the column has found so far and dd(c) the deadly diagonals f(c', c'), c'
< c. The row sweep rests on an observation: a column bars one solid interval [low, high), dd(c)
below it, and a few more values close to both ends. So the numbers

    low, below   the interval begins at low; bit i of ``below`` is the value low - 64 + i
    high, above  it ends before high; bit i of ``above`` is the value high + i

describe the column completely. A state is *normal* if low - 1 is free below the interval and high
is free above it, that is, if the interval includes every barred value next to it.
"""

from typing import Final

import numpy as np

from position_oracle.engine.solvers.compiled import bare_inlined
from position_oracle.engine.solvers.row_sweep.bits import (
    leading_ones,
    low_bits,
    trailing_ones,
    window,
)

COLUMN: Final = np.dtype(
    [("low", np.int64), ("high", np.int64), ("below", np.uint64), ("above", np.uint64)]
)
"""The state of one column."""

_TOP: Final = np.uint64(1 << 63)
_U0: Final = np.uint64(0)
_U1: Final = np.uint64(1)


@bare_inlined
def grow_down(column, dd):
    """Make the lower end normal; deadly diagonals enter the window from below."""
    while column.below & _TOP != _U0:
        count = leading_ones(column.below)
        column.low -= count
        diagonals = window(dd, column.low - 64)
        if count == 64:
            column.below = diagonals
        else:
            kept = column.below << np.uint64(count)
            column.below = kept | (diagonals & low_bits(count))


@bare_inlined
def grow_up(column):
    """Make the upper end normal; no value above the window is barred."""
    while column.above & _U1 != _U0:
        count = trailing_ones(column.above)
        column.high += count
        column.above = _U0 if count == 64 else column.above >> np.uint64(count)
