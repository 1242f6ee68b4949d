"""Eight columns at once, one in every lane, while rows move through the lanes.

A block is a group of columns 8k .. 8k + 7 whose windows have common positions: lane l holds column
8k + 7 - l, as a word at the lower loser line (64 values from ``low`` on) and a word at the upper
(64 from ``high`` on). Each column bars all values between the two windows.

    rows         lane 0   1   2  ...  7           A row enters at the lane of the smallest column,
    b + 14 ->    c + 7                            takes its value there, moves on to the next
    b + 12 ->        c + 6                        column two steps later, and leaves after the last
     ...                                          one. So in every step eight rows meet eight
    b      ->                        c            columns: even rows, then odd ones.

Even and odd rows have separate registers, because moving rows to the next lanes takes longer than a
step and would delay the next step.

One step is u = row | column; bit = lowest zero of u; row |= bit; column |= bit, in the lower
windows, and the same in the upper windows for the lanes whose lower one is full. There is no
branch and no gather.

After every eight steps (a strip of rows) the windows follow the loser lines: the lower windows move
down, and the upper windows up. The walk records possible failures and tests them at the end, before
anything is written: see ``_walk_strips``.
"""

from typing import Final

import numpy as np

from position_oracle.engine.solvers.compiled import bare_inlined, bare_kernel
from position_oracle.engine.solvers.instructions import ones, trailing_zeros
from position_oracle.engine.solvers.row_sweep.bits import (
    FULL,
    leading_ones,
    low_bits,
    trailing_ones,
    window,
)
from position_oracle.engine.solvers.row_sweep.lanes import (
    LANES,
    count_ones,
    enter,
    first_lane,
    join,
    load_lanes,
    meet,
    plus_one,
    plus_one_where_full,
    rotate_left,
    rotate_right,
    shift_down,
    shift_up,
    spill,
    splat,
    store_lanes,
)
from position_oracle.engine.solvers.row_sweep.state import grow_down, grow_up
from position_oracle.engine.solvers.row_sweep.tile import FAR, TILE

BLOCK: Final = np.dtype(
    [
        ("low", np.int64),
        ("high", np.int64),
        ("largest_z", np.int64),  # the least of the eight columns' largest z
        ("below", np.uint64, (LANES,)),
        ("above", np.uint64, (LANES,)),
    ]
)
"""The states of eight columns with common windows."""

FLIGHT: Final = 2
"""Number of strips after which rows leave the lanes."""

_MARGIN: Final = 16
"""Number of bits at the top of a window that must be equal for the window to move by as much."""

_UPPER_MARGIN: Final = 8
"""Number of solid bits that an upper window keeps at its lower end for the next block."""

_FIRST_MOVE: Final = 40
_LEAST_GAP: Final = 40
_LARGEST_SPREAD: Final = 40
_TOP: Final = np.uint64(((1 << _MARGIN) - 1) << (64 - _MARGIN))
_U0: Final = np.uint64(0)
_U1: Final = np.uint64(1)


@bare_kernel
def pack_block(block, columns, first, dd):
    """Move the columns ``columns[first : first + 8]`` to common windows, if they fit."""
    low = np.int64(FAR)
    high = np.int64(FAR)
    top = np.int64(0)
    for j in range(first, first + LANES):
        column = columns[j]
        own = column.below & ~window(dd, column.low - 64)
        low = min(low, column.low - 64 + trailing_zeros(own))
        high = min(high, column.high)
        top = max(top, column.low)
    if top - low > 64 - _MARGIN:
        return False
    for lane in range(LANES):
        column = columns[first + LANES - 1 - lane]
        shift = low - column.low + 64
        lift = column.high - high
        if shift < 0 or lift > _LARGEST_SPREAD:
            return False
        if lift > 0 and column.above >> np.uint64(64 - lift) != _U0:
            return False
        if shift == 64:
            block.below[lane] = FULL
        else:
            block.below[lane] = ~(~column.below >> np.uint64(shift))
        block.above[lane] = (column.above << np.uint64(lift)) | low_bits(lift)
    block.low = low
    block.high = high
    return True


@bare_kernel
def unpack_column(block, lane, column, dd):
    """Set ``column`` to the state of the column in one lane."""
    word = block.below[lane]
    count = leading_ones(word)
    column.low = block.low + 64 - count
    diagonals = window(dd, column.low - 64)
    if count == 64:
        column.below = diagonals
    else:
        column.below = (word << np.uint64(count)) | (diagonals & low_bits(count))
    column.high = block.high
    column.above = block.above[lane]
    grow_down(column, dd)
    grow_up(column)


@bare_inlined
def strips_above(tile, low):
    """Return how many strips columns from ``low`` on can pass while staying above the rows.

    The distance of a row and the lower line shrinks by 1.71 for each row; ``walk_block`` checks it.
    """
    return min((low - tile.head[0].row - _LEAST_GAP) // (7 * LANES // 4), tile.head[0].strips)


@bare_inlined
def turn_of(strips, g):
    """Return the turn of the upper windows of the rows of strip g when they leave."""
    return (strips[g + 1].turn + strips[g + FLIGHT].turn) & 63


@bare_inlined
def _rows_at(tile, g, value):
    """Return the windows of the rows of strip g at ``value``."""
    place = ((value >> 6) - tile.head[0].first_word) * TILE + LANES * g
    low = load_lanes(tile.words, place)
    return join(low, load_lanes(tile.words, place + TILE), np.uint64(value & 63))


@bare_inlined
def _take_rows(tile, g, value, bits):
    """Mark the values set in the windows at ``value`` as taken in the rows of strip g."""
    place = ((value >> 6) - tile.head[0].first_word) * TILE + LANES * g
    shift = np.uint64(value & 63)
    low = load_lanes(tile.words, place) | shift_up(bits, shift)
    store_lanes(tile.words, place, low)
    place += TILE
    spilt = shift_down(shift_down(bits, _U1), np.uint64(63) - shift)
    store_lanes(tile.words, place, load_lanes(tile.words, place) | spilt)


@bare_inlined
def _place_windows(tile, block, count):
    """Choose the windows of every strip, and load the rows that will enter.

    A lower window begins no higher than the first free value of its rows, and moves only down. An
    upper window moves only up. Both move by at most the margin while a row is in the lanes.
    """
    strips = tile.strips
    low = block.low
    for g in range(count):
        low = min(low, strips[g].low)
        strips[g].low_now = low
    for g in range(count, count + FLIGHT):
        strips[g].low_now = low
    high = strips[count].high
    for g in range(count, count + FLIGHT):
        strips[g].high_now = high
    for g in range(count - 1, -1, -1):
        low = min(strips[g + 1].low_now, strips[g + FLIGHT].low_now) + _MARGIN
        strips[g].low_now = min(strips[g].low_now, low)
        high = min(high, strips[g].high)
        strips[g].high_now = high
    for g in range(1, count + FLIGHT):
        high = min(strips[g].high_now, strips[max(0, g - FLIGHT)].high_now + _MARGIN)
        strips[g].high_now = high
    for g in range(count):
        store_lanes(tile.enter_low, LANES * g, _rows_at(tile, g, strips[g].low_now))
        store_lanes(tile.enter_high, LANES * g, _rows_at(tile, g, strips[g].high_now))
    # Full rows follow the last rows; they take no value.
    for g in range(count, count + FLIGHT):
        store_lanes(tile.enter_low, LANES * g, splat(FULL))
        store_lanes(tile.enter_high, LANES * g, splat(FULL))


@bare_inlined
def _walk_strips(tile, block, dd, count):
    """Move all rows through the lanes; write only to ``tile``; return whether the result holds.

    The checks: the bits that a lower window loses at its top, and an upper window at its bottom,
    are solid. The top of the lower windows is solid, so all values up to the upper windows are
    barred. The top of the upper windows is empty, so no value above was needed. No value exceeds
    the largest z of its column (earlier values are even smaller relative to a later row). Every
    column has found one value for each row. Found bits are counted as ones of the windows,
    corrected for the bits that come and go when the windows move.
    """
    strips = tile.strips
    below = load_lanes(block.below, 0)
    above = load_lanes(block.above, 0)
    ones_before = count_ones(below) + count_ones(above)
    gained = 8 * count
    low = block.low
    high = block.high
    if low - strips[0].low_now > _FIRST_MOVE or abs(high - strips[0].high_now) > _FIRST_MOVE:
        return False
    row = tile.head[0].row
    full = splat(FULL)
    top = splat(_TOP)
    lost = np.uint64(low - strips[0].low_now)
    wrong = shift_down(shift_down(~below, _U1), np.uint64(63) - lost)
    if strips[0].high_now < high:
        lift = high - strips[0].high_now
        above = shift_up(above, np.uint64(lift)) | splat(low_bits(lift))
        gained += lift
        high = strips[0].high_now
    even_low = even_high = odd_low = odd_high = full
    for g in range(count + FLIGHT):
        down = low - strips[g].low_now
        up = strips[g].high_now - high
        low = strips[g].low_now
        high = strips[g].high_now
        diagonals = window(dd, low) & low_bits(down)
        gained += ones(diagonals) - down - up
        down_bits = splat(low_bits(down))
        below = shift_up(below, np.uint64(down)) | splat(diagonals)
        even_low = shift_up(even_low, np.uint64(down)) | down_bits
        odd_low = shift_up(odd_low, np.uint64(down)) | down_bits
        wrong |= (~above & splat(low_bits(up))) | (~below & top)
        above = shift_down(above, np.uint64(up))
        even_high = rotate_right(even_high, np.uint64(up))
        odd_high = rotate_right(odd_high, np.uint64(up))
        strips[g].turn = up
        strips[g].filled = trailing_ones(first_lane(above))
        for i in range(LANES * g, LANES * g + LANES, 2):
            spill(tile.leave_low, i, even_low)
            spill(tile.leave_high, i, even_high)
            rows_low = enter(even_low, tile.enter_low, i)
            rows_high = enter(even_high, tile.enter_high, i)
            used = rows_low | below
            next_low = plus_one(used)
            next_high = plus_one_where_full(rows_high | above, used)
            even_low = rows_low | (~below & next_low)
            even_high = rows_high | (~above & next_high)
            below |= ~rows_low & next_low
            above |= ~rows_high & next_high
            spill(tile.leave_low, i + 1, odd_low)
            spill(tile.leave_high, i + 1, odd_high)
            rows_low = enter(odd_low, tile.enter_low, i + 1)
            rows_high = enter(odd_high, tile.enter_high, i + 1)
            used = rows_low | below
            next_low = plus_one(used)
            next_high = plus_one_where_full(rows_high | above, used)
            odd_low = rows_low | (~below & next_low)
            odd_high = rows_high | (~above & next_high)
            below |= ~rows_low & next_low
            above |= ~rows_high & next_high
        # The steps of strip g reach back to row 8 g - 14.
        allowed = block.largest_z + row + 8 * g - 13 - high
        wrong |= above & splat(~low_bits(min(max(allowed, 0), 64 - _MARGIN)))
    wrong |= ~below & top
    found = count_ones(below) + count_ones(above) - ones_before
    wrong |= found ^ splat(np.uint64(gained))
    store_lanes(tile.below, 0, below)
    store_lanes(tile.above, 0, above)
    return meet(~wrong) == FULL


@bare_kernel
def walk_block(tile, block, dd, count):
    """Find the values of a block in ``count`` strips of a tile; False if a check fails.

    After a failure the plain path must walk the columns. The function writes only to the scratch
    arrays of the tile; ``commit_block`` stores the result. No column may stop here, so all windows
    must lie above their rows.
    """
    _place_windows(tile, block, count)
    head = tile.head[0]
    last = tile.strips[count]
    if last.high_now + 64 > head.end or last.low_now <= head.row + LANES * count:
        return False
    return _walk_strips(tile, block, dd, count)


@bare_kernel
def commit_block(tile, block, dd, count):
    """Write the results of ``walk_block`` into the rows and the block."""
    strips = tile.strips
    for g in range(count):
        left = LANES * (g + FLIGHT)
        base = strips[g + FLIGHT].low_now
        rows = load_lanes(tile.leave_low, left)
        _take_rows(tile, g, base, rows)
        strips[g].low = base + trailing_ones(meet(rows) | window(dd, base))
        turned = rotate_left(load_lanes(tile.leave_high, left), np.uint64(turn_of(strips, g)))
        _take_rows(tile, g, strips[g].high_now, turned)
        strips[g].high = strips[g].high_now + max(0, strips[g].filled - _UPPER_MARGIN)
    last = strips[count]
    last.high = last.high_now + max(0, last.filled - _UPPER_MARGIN)
    block.low = strips[count + 1].low_now
    block.high = strips[count + 1].high_now
    store_lanes(block.below, 0, load_lanes(tile.below, 0))
    store_lanes(block.above, 0, load_lanes(tile.above, 0))
