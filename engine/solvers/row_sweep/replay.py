"""Sweeping again from a checkpoint, for the values that were not kept.

A replay goes through the rows from a checkpoint on as the census did, but knows the end of every
sheet and all diagonals beforehand, goes no further than the last column and row it is asked about,
and looks for three things on its way:

* the value of a column in a row,
* the column before c that has a given value in a row (move M4),
* the row in which a column has a given value (move M1).

Blocks have no values, only bits. So the eight columns of an asked value take the plain path, and
a block whose bits say that something may have been found in it is done again, before it is
committed, by the plain path, which knows. Bits alone prove nothing: deadly diagonals are among
them.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.instructions import load_acquire
from position_oracle.engine.solvers.row_sweep.block import (
    BLOCK,
    FLIGHT,
    commit_block,
    pack_block,
    strips_above,
    turn_of,
    unpack_column,
    walk_block,
)
from position_oracle.engine.solvers.row_sweep.jit import entry, inlined, kernel
from position_oracle.engine.solvers.row_sweep.lanes import LANES
from position_oracle.engine.solvers.row_sweep.plain import FAILED, walk_rows
from position_oracle.engine.solvers.row_sweep.sheet_index import mark_odd_tails
from position_oracle.engine.solvers.row_sweep.state import COLUMN, grow_down, grow_up
from position_oracle.engine.solvers.row_sweep.tile import (
    Tile,
    allocate_tile,
    clear_tile,
    raise_bases,
    row_window,
    solid_from_bases,
    take,
)

__all__ = [
    "ASKED_COLUMN",
    "ASKED_ROW",
    "ASKED_VALUE",
    "BROKEN",
    "ENDED",
    "NEW",
    "PLAIN",
    "STOPPED",
    "Arena",
    "allocate_arena",
    "replay",
]

NEW, PLAIN, PACKED, ENDED = range(4)
STOPPED, BROKEN = 1, 2
"""What a replay returns besides 0: stopped on request, or a check failed."""

ASKED_VALUE: Final = np.dtype([("row", np.int64), ("column", np.int64), ("answer", np.int64)])
"""What is f(row, column)? -1 if it has no value. Sorted by tile, column."""

ASKED_ROW: Final = np.dtype(
    [("row", np.int64), ("value", np.int64), ("before", np.int64), ("answer", np.int64)]
)
"""Which column below ``before`` has ``value`` in ``row``? -1: none that lives. Sorted by row."""

ASKED_COLUMN: Final = np.dtype(
    [("column", np.int64), ("value", np.int64), ("before", np.int64), ("answer", np.int64)]
)
"""In which row below ``before`` has ``column`` its ``value``? -1: none here. Sorted by column."""

_HEAD: Final = np.dtype(
    [
        ("values", np.int64),  # the questions of this tile: values[begin .. end - 1] and so on
        ("values_end", np.int64),
        ("rows", np.int64),
        ("rows_end", np.int64),
        ("found", np.int64),  # column questions answered
    ]
)
_YOUNG: Final = 64
_U1: Final = np.uint64(1)


class Arena(NamedTuple):
    """Working arrays of replays: column c at c - ``base``, a multiple of 8 below the first one."""

    columns: NDArray[np.void]
    blocks: NDArray[np.void]
    kinds: NDArray[np.uint8]
    tail_bits: NDArray[np.uint64]
    head: NDArray[np.void]
    tile: Tile


def allocate_arena(limit: int, columns: int, tail_words: int, rows: int = 128) -> Arena:
    """Room for replays with up to ``columns`` columns, a multiple of 8, at a time."""
    return Arena(
        np.zeros(columns, COLUMN),
        np.zeros(columns // 8, BLOCK),
        np.zeros(columns, np.uint8),
        np.zeros(4 * tail_words + 8, np.uint64),
        np.zeros(1, _HEAD),
        allocate_tile(limit, rows),
    )


@kernel
def _begin_known(column, diagonal, c):
    """The state of column c after its first value, from the diagonals shortly before it."""
    a = np.int64(diagonal[c])
    column.low = a
    column.high = a + 1
    column.below = np.uint64(0)
    column.above = np.uint64(0)
    for earlier in range(max(0, c - 256), c):
        distance = np.int64(diagonal[earlier]) - a
        if -64 <= distance < 0:
            column.below |= _U1 << np.uint64(distance + 64)
        elif 0 < distance <= 64:
            column.above |= _U1 << np.uint64(distance - 1)


@inlined
def _record(head, values, rows, columns, first_value, first_column, b, c, a):
    """Answer the questions that f(b, c) = a settles."""
    place = first_value
    while place < head.values_end and values[place].column == c:
        if values[place].row == b:
            values[place].answer = a
        place += 1
    place = first_column
    while place < columns.size and columns[place].column == c:
        asked = columns[place]
        if asked.value == a and asked.answer < 0 and b < asked.before:
            asked.answer = b
            head.found += 1
        place += 1
    for place in range(head.rows, head.rows_end):
        asked_row = rows[place]
        if asked_row.row == b and asked_row.value == a and c < asked_row.before:
            asked_row.answer = c


@kernel
def _walk_plain(arena, sheets, base, c, values, rows, columns, first_value, first_column):
    """Bring one column through the rows of the tile; False when a check fails."""
    tile = arena.tile
    head = arena.head[0]
    column = arena.columns[c - base]
    row = tile.head[0].row
    i = max(0, c - row)
    if arena.kinds[c - base] == NEW:
        a = np.int64(sheets.diagonal[c])
        take(tile, i, a)
        _begin_known(column, sheets.diagonal, c)
        grow_down(column, sheets.dd)
        grow_up(column)
        arena.kinds[c - base] = PLAIN
        _record(head, values, rows, columns, first_value, first_column, c, c, a)
        if a == c:
            arena.kinds[c - base] = ENDED
            return True
        i += 1
    walked = walk_rows(tile, sheets.dd, column, i)
    if walked == FAILED:
        return False
    for place in range(i, walked):
        a = tile.found[place]
        _record(head, values, rows, columns, first_value, first_column, row + place, c, a)
    if walked > i and tile.found[walked - 1] == row + walked - 1:
        arena.kinds[c - base] = ENDED
    return True


@kernel
def _pack(arena, sheets, place):
    for j in range(place, place + 8):
        if arena.kinds[j] != PLAIN:
            return False
    block = arena.blocks[place >> 3]
    block.largest_z = np.int64(1) << 60
    if not pack_block(block, arena.columns, place, sheets.dd):
        return False
    for j in range(place, place + 8):
        arena.kinds[j] = PACKED
    return True


@kernel
def _may_answer(arena, rows, columns, first_column, c):
    """Whether the bits of a block that has been walked may hold an answer.

    A row question: the value has newly appeared in the row. A column question: the column bars it.
    """
    tile = arena.tile
    head = arena.head[0]
    strips = tile.strips
    count = tile.head[0].strips
    for place in range(head.rows, head.rows_end):
        asked = rows[place]
        if asked.answer >= 0 or asked.before <= c:
            continue
        i = asked.row - tile.head[0].row
        g = i >> 3
        bit = asked.value - strips[g + FLIGHT].low_now
        left = LANES * FLIGHT + i
        hit = 0 <= bit < 64 and (tile.leave_low[left] >> np.uint64(bit & 63)) & _U1 != 0
        bit = asked.value - strips[g].high_now
        if 0 <= bit < 64:
            turned = np.uint64((bit - turn_of(strips, g)) & 63)
            hit = hit or (tile.leave_high[left] >> turned) & _U1 != 0
        if hit and row_window(tile, i, asked.value) & _U1 == 0:
            return True
    place = first_column
    while place < columns.size and columns[place].column < c + 8:
        asked_column = columns[place]
        place += 1
        if asked_column.answer >= 0:
            continue
        lane = 7 - (asked_column.column & 7)
        bit = asked_column.value - strips[count + 1].low_now
        if 0 <= bit < 64:
            if (tile.below[lane] >> np.uint64(bit)) & _U1 != 0:
                return True
        elif bit >= 64:
            bit = asked_column.value - strips[count + 1].high_now
            if bit < 0 or (bit < 64 and (tile.above[lane] >> np.uint64(bit)) & _U1 != 0):
                return True
    return False


@kernel
def _replay_tile(arena, sheets, base, first, end, values, rows, columns, stop):
    """Take the columns first .. end - 1 through the tile; returns 0, STOPPED or BROKEN."""
    tile = arena.tile
    head = arena.head[0]
    row = tile.head[0].row
    end = min(end, row + 8 * tile.head[0].strips)
    last_in_blocks = (min(end, row - _YOUNG) >> 3) << 3
    first_value = head.values
    first_column = 0
    in_blocks = False
    c = first
    while c < end:
        if arena.kinds[c - base] == ENDED:
            c += 1
            continue
        if load_acquire(stop, 0) != 0:
            return STOPPED
        while first_value < head.values_end and values[first_value].column < c:
            first_value += 1
        while first_column < columns.size and columns[first_column].column < c:
            first_column += 1
        place = c - base
        if c & 7 == 0 and c + 8 <= last_in_blocks:
            packed = arena.kinds[place] == PACKED
            low = arena.blocks[place >> 3].low if packed else arena.columns[place].low
            asked = first_value < head.values_end and values[first_value].column < c + 8
            far = not asked and strips_above(tile, low) == tile.head[0].strips
            if far and (packed or _pack(arena, sheets, place)):
                if not in_blocks:
                    in_blocks = True
                    raise_bases(tile, sheets.dd, 0)
                block = arena.blocks[place >> 3]
                if walk_block(tile, block, sheets.dd) and not _may_answer(
                    arena, rows, columns, first_column, c
                ):
                    commit_block(tile, block, sheets.dd)
                    c += 8
                    continue
        if arena.kinds[place] == PACKED:
            bottom = (place >> 3) << 3
            for lane in range(8):
                own = bottom + 7 - lane
                unpack_column(arena.blocks[place >> 3], lane, arena.columns[own], sheets.dd)
                arena.kinds[own] = PLAIN
        if in_blocks:
            solid_from_bases(tile)
        group_end = min((c | 7) + 1, end)
        while c < group_end:
            if arena.kinds[c - base] != ENDED:
                while first_value < head.values_end and values[first_value].column < c:
                    first_value += 1
                while first_column < columns.size and columns[first_column].column < c:
                    first_column += 1
                if not _walk_plain(
                    arena, sheets, base, c, values, rows, columns, first_value, first_column
                ):
                    return BROKEN
            c += 1
        in_blocks = in_blocks and c + 8 <= last_in_blocks
        if in_blocks:
            raise_bases(tile, sheets.dd, 0)
    return 0


@entry
def replay(
    arena,
    sheets,
    base,
    first,
    tail_words,
    row,
    last_row,
    end,
    values,
    rows,
    columns,
    shown,
    z,
    stop,
):
    """Sweep the rows row .. last_row with the columns first .. end - 1 of the arena.

    ``shown`` bool, shape (rows, values): for the last rows b of the replay, which of the values
    b + z, b + z + 1, ... are taken (or, some of them, deadly diagonals). Where there are column
    questions only, the replay ends when all have an answer. Returns 0, STOPPED (``stop[0]`` was
    set), or BROKEN.
    """
    tile = arena.tile
    head = arena.head[0]
    head.values = head.values_end = 0
    head.rows = head.rows_end = 0
    head.found = 0
    only_columns = values.size == 0 and rows.size == 0 and columns.size > 0
    while row <= last_row:
        strips = min(tile.rows, last_row - row + 8) >> 3
        row_end = row + 8 * strips
        head.values = head.values_end
        while head.values_end < values.size and values[head.values_end].row < row_end:
            head.values_end += 1
        head.rows = head.rows_end
        while head.rows_end < rows.size and rows[head.rows_end].row < row_end:
            head.rows_end += 1
        clear_tile(tile, row, strips, end - 1, arena.tail_bits, tail_words)
        mark_odd_tails(tile, sheets, first)
        result = _replay_tile(arena, sheets, base, first, end, values, rows, columns, stop)
        if result != 0:
            return result
        for line in range(shown.shape[0]):
            i = last_row + 1 - shown.shape[0] + line - row
            if 0 <= i < 8 * strips:
                for j in range(shown.shape[1]):
                    a = row + i + z + j
                    inside = a + 64 < tile.head[0].end
                    shown[line, j] = inside and row_window(tile, i, a) & _U1 != 0
        if only_columns and head.found == columns.size:
            return 0
        row += tile.rows
    return 0
