"""Frames: heaps in the order of a table, and moves converted back to the original order."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from position_oracle.oracle.families.heaps.arrays import LINES

Int64Array = NDArray[np.int64]

_THREE = 3
_PAIR_WITHOUT = (5, 4, 3)
"""Index in `LINES` of the pair of heaps without a given one."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Positions of k heaps, seen as positions of some of the heaps.

    Attributes:
        heaps: int64 (n, m), the chosen heaps in the order of the table; 0 for missing heaps.
        order: int64 (n, m): the index of each heap among the k heaps; k or more for missing heaps.
        fits: bool (n,): whether all other heaps are empty.
    """

    heaps: Int64Array
    order: Int64Array
    fits: NDArray[np.bool_]

    @classmethod
    def largest(cls, heaps: Int64Array, count: int = _THREE) -> Self:
        """Return the largest heaps of every position, in ascending order."""
        missing = max(count - heaps.shape[1], 0)
        padded = np.pad(heaps, ((0, 0), (0, missing))) if missing else heaps
        order = np.argsort(padded, axis=1, kind="stable")
        ascending = np.take_along_axis(padded, order, axis=1)
        fits = np.asarray(~ascending[:, :-count].any(axis=1))
        return cls(ascending[:, -count:], order[:, -count:], fits)

    @classmethod
    def of_axes(cls, heaps: Int64Array, axes: tuple[int, int, int]) -> Self:
        """Return three heaps in another order, the same for all positions."""
        order = np.broadcast_to(np.array(axes), heaps.shape)
        return cls(heaps[:, axes], order, np.ones(len(heaps), np.bool_))

    def part(self, rows: NDArray[np.bool_]) -> "Frame":
        """Return the frame of some of the positions."""
        return Frame(self.heaps[rows], self.order[rows], self.fits[rows])

    def single_lines(self, taken: Int64Array, heaps: int) -> Int64Array:
        """Return the tokens taken from single heaps as (n, k), from (n, m) of the frame."""
        back = np.zeros((len(taken), max(heaps, int(self.order.max(initial=0)) + 1)), np.int64)
        np.put_along_axis(back, self.order, taken, axis=1)
        return back[:, :heaps]

    def all_lines(self, taken: Int64Array) -> Int64Array:
        """Return the tokens taken along each of `LINES`, (n, 7), for frames of all three heaps."""
        back = np.empty_like(taken)
        np.put_along_axis(back, self.order, taken[:, :_THREE], axis=1)
        pairs = taken[:, _PAIR_WITHOUT]
        np.put_along_axis(back, len(LINES) - 2 - self.order, pairs, axis=1)
        back[:, -1] = taken[:, -1]
        return back
