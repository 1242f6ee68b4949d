"""The plain path: one column, one row.

It serves the columns that begin or end, and the blocks whose windows did not hold: few of all
cells, but each of them exact by itself.
"""

from typing import Final

import numpy as np

from engine.solvers.row_sweep.bits import FULL, trailing_ones
from engine.solvers.row_sweep.jit import inlined, kernel
from engine.solvers.row_sweep.state import grow_down, grow_up
from engine.solvers.row_sweep.tile import FAR, raise_solid, row_window, take

__all__ = ["FAILED", "first_value", "next_value"]

FAILED: Final = -1
"""No value: a window does not reach far enough."""

_U1: Final = np.uint64(1)


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
    least one; otherwise it is found in the upper window.
    """
    if column.high + 64 > tile.head[0].end:
        return FAILED
    b = tile.head[0].row + i
    if column.low > b:
        bottom = column.low - 64
        if tile.solid[i] < bottom:
            raise_solid(tile, dd, i, bottom)
            if tile.solid[i] < bottom:
                return FAILED
        place = trailing_ones(row_window(tile, i, bottom) | column.below)
        if place < 64:
            column.below |= _U1 << np.uint64(place)
            grow_down(column, dd)
            take(tile, i, bottom + place)
            return bottom + place
    used = row_window(tile, i, column.high) | column.above
    if used == FULL:
        return FAILED
    place = trailing_ones(used)
    a = column.high + place
    column.above |= _U1 << np.uint64(place)
    grow_up(column)
    take(tile, i, a)
    return a
