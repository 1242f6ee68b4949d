"""The plain path: a sweep of one column through one row at a time.

It serves the columns that begin or end, and the blocks whose checks fail. These are few cells; each
one is exact without further checks.
"""

from typing import Final

import numpy as np

from position_oracle.engine.solvers.compiled import bare_inlined, bare_kernel
from position_oracle.engine.solvers.instructions import trailing_zeros
from position_oracle.engine.solvers.row_sweep.bits import (
    FULL,
    leading_ones,
    trailing_ones,
)
from position_oracle.engine.solvers.row_sweep.state import grow_down, grow_up
from position_oracle.engine.solvers.row_sweep.tile import FAR, raise_solid, row_window, take

FAILED: Final = -1
"""Code for no value: a window is too short."""

_TALL: Final = np.uint64(0xFFFF_FFFF_0000_0000)
_DEEP: Final = np.uint64(0xFFFF)
_U0: Final = np.uint64(0)
_U1: Final = np.uint64(1)


@bare_inlined
def _lowest_zero(word):
    """Return the lowest zero bit as a word with only this bit; 0 for a full word."""
    return ~word & (word + _U1)


@bare_kernel
def first_value(tile, dd, i):
    """Return f(b, b) in row i, the first value of column b: the first free in the row and in dd."""
    raise_solid(tile, dd, i, FAR)
    a = tile.solid[i]
    take(tile, i, a)
    return a


@bare_inlined
def walk_rows(tile, dd, column, first):
    """Move a column through the rows of the tile from ``first`` on, until it stops.

    Below ``low - 64`` the row must be solid. The value is the least free one in the lower window if
    there is one, else the least free one in the upper window. The result is the end of the rows
    walked, or FAILED if a window is too short. The tile gets the values ``found`` and the state
    ``before`` each row.

    On the way the state is made normal only from time to time. The code selects the window of a
    value without a branch, because branches on single bits are expensive.
    """
    head = tile.head[0]
    low, high = column.low, column.high
    below, above = column.below, column.above
    i = first
    while i < 8 * head.strips:
        if high + 64 > head.end:
            return FAILED
        b = head.row + i
        before = tile.before[i]
        before.low = low - leading_ones(below)
        before.high = high
        before.above = above
        if i & 7 == 0:
            tile.strips[i >> 3].last_high = high + trailing_ones(above)
        bottom = low - 64
        lower = _U0
        if low > b:
            if tile.solid[i] < bottom:
                column.low, column.below = low, below
                grow_down(column, dd)
                low, below = column.low, column.below
                bottom = low - 64
                raise_solid(tile, dd, i, bottom)
                if tile.solid[i] < bottom:
                    return FAILED
            lower = _lowest_zero(row_window(tile, i, bottom) | below)
        full = FULL if lower == _U0 else _U0
        upper = _lowest_zero(row_window(tile, i, high) | above) & full
        if lower | upper == _U0:
            return FAILED
        a = bottom + ((high - bottom) & np.int64(full)) + trailing_zeros(lower | upper)
        take(tile, i, a)
        tile.found[i] = a
        below |= lower
        above |= upper
        i += 1
        if a == b:
            break
        if below >= _TALL:
            column.low, column.below = low, below
            grow_down(column, dd)
            low, below = column.low, column.below
        if above & _DEEP == _DEEP:
            count = trailing_ones(above)
            high += count
            above = _U0 if count == 64 else above >> np.uint64(count)
    column.low, column.high = low, high
    column.below, column.above = below, above
    grow_down(column, dd)
    grow_up(column)
    return i
