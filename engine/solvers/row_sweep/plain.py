"""The plain path: one column, one row.

It serves the columns that begin or end, and the blocks whose windows did not hold: few of all
cells, but each of them exact by itself.
"""

from typing import Final

import numpy as np

from engine.solvers.row_sweep.bits import FULL, trailing_zeros
from engine.solvers.row_sweep.jit import inlined, kernel
from engine.solvers.row_sweep.state import grow_down, grow_up
from engine.solvers.row_sweep.tile import FAR, raise_solid, row_window, take

__all__ = ["FAILED", "first_value", "next_value"]

FAILED: Final = -1
"""No value: a window does not reach far enough."""

_TALL: Final = np.uint64(0xFFFF_FFFF_0000_0000)
_DEEP: Final = np.uint64(0xFFFF)
_U0: Final = np.uint64(0)
_U1: Final = np.uint64(1)


@inlined
def _lowest_zero(word):
    """The lowest bit that is 0, as the only 1; 0 for a full word."""
    return ~word & (word + _U1)


@kernel
def first_value(tile, dd, i):
    """f(b, b) in row i, the first value of column b: the first free one in the row and in dd."""
    raise_solid(tile, dd, i, FAR)
    a = tile.solid[i]
    take(tile, i, a)
    return a


@inlined
def next_value(tile, dd, column, i):
    """The value of a column in row i of the tile, taken in both; FAILED if a window is too short.

    Below ``low - 64`` the row must be solid. Is there a free value in the lower window, it is the
    least one; otherwise it is found in the upper window. The state is left as it comes and made
    normal from time to time only, since branches that depend on single bits are dear.
    """
    if column.high + 64 > tile.head[0].end:
        return FAILED
    lower = _U0
    if column.low > tile.head[0].row + i:
        if tile.solid[i] < column.low - 64:
            grow_down(column, dd)
            raise_solid(tile, dd, i, column.low - 64)
            if tile.solid[i] < column.low - 64:
                return FAILED
        lower = _lowest_zero(row_window(tile, i, column.low - 64) | column.below)
    full = FULL if lower == _U0 else _U0
    upper = _lowest_zero(row_window(tile, i, column.high) | column.above) & full
    if lower | upper == _U0:
        return FAILED
    bottom = column.low - 64
    a = bottom + ((column.high - bottom) & np.int64(full)) + trailing_zeros(lower | upper)
    column.below |= lower
    column.above |= upper
    if column.below >= _TALL:
        grow_down(column, dd)
    if column.above & _DEEP == _DEEP:
        grow_up(column)
    take(tile, i, a)
    return a
