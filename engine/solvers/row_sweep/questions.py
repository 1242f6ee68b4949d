"""Questions to a sweep that replays the rows from a checkpoint on.

* What is the value of a column in a row?
* Which column before c has a given value in a row (move M4)?
* In which row has a column a given value (move M1)?
* Which values of some rows are taken?

Blocks have no values, only bits. So the eight columns of an asked value take the plain path, and
a block whose bits say that something may have been found in it is done again, before it is
committed, by the plain path, which knows. Bits alone prove nothing: deadly diagonals are among
them.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.compiled import bare_inlined, bare_kernel
from position_oracle.engine.solvers.row_sweep.block import FLIGHT, turn_of
from position_oracle.engine.solvers.row_sweep.lanes import LANES
from position_oracle.engine.solvers.row_sweep.tile import row_window

ASKED_VALUE: Final = np.dtype([("row", np.int64), ("column", np.int64), ("answer", np.int64)])
"""What is f(row, column)? The answer is -1 if there is no value. Sorted by tile and column."""

ASKED_ROW: Final = np.dtype(
    [("row", np.int64), ("value", np.int64), ("before", np.int64), ("answer", np.int64)]
)
"""Which column below ``before`` has ``value`` in ``row``? The answer is -1 if no live column has.
Sorted by row."""

ASKED_COLUMN: Final = np.dtype(
    [("column", np.int64), ("value", np.int64), ("before", np.int64), ("answer", np.int64)]
)
"""In which row below ``before`` has ``column`` its ``value``? The answer is -1 if in none. Sorted
by column."""

_HEAD: Final = np.dtype(
    [
        ("value", np.int64),  # the first question about a column that is still to come, and
        ("values_end", np.int64),  # the end of those about the rows of this tile
        ("row", np.int64),
        ("rows_end", np.int64),
        ("column", np.int64),
        ("settled", np.int64),  # column questions answered
    ]
)
_ENDLESS: Final = 1 << 60
_U1: Final = np.uint64(1)


class Asked(NamedTuple):
    """The questions of one sweep, which ends with the row ``last_row``, and their number.

    ``shown`` bool, shape (rows, values): for the last rows b of the sweep, which of the values b +
    z, b + z + 1, ... are taken (or, some of them, deadly diagonals). If there are only column
    questions, the sweep ends when all have an answer.
    """

    values: NDArray[np.void]
    rows: NDArray[np.void]
    columns: NDArray[np.void]
    shown: NDArray[np.bool_]
    z: int
    head: NDArray[np.void]
    last_row: int
    number: int


def ask(
    last_row: int = _ENDLESS,
    values: NDArray[np.void] | None = None,
    rows: NDArray[np.void] | None = None,
    columns: NDArray[np.void] | None = None,
    shown: NDArray[np.bool_] | None = None,
    z: int = 0,
) -> Asked:
    """Arrange questions of the given kinds; a census has none, and no last row."""
    values = np.zeros(0, ASKED_VALUE) if values is None else values
    rows = np.zeros(0, ASKED_ROW) if rows is None else rows
    columns = np.zeros(0, ASKED_COLUMN) if columns is None else columns
    shown = np.zeros((0, 0), np.bool_) if shown is None else shown
    number = len(values) + len(rows) + len(columns)
    return Asked(values, rows, columns, shown, z, np.zeros(1, _HEAD), last_row, number)


@bare_kernel
def begin_rows(asked, end):
    """Move on to the questions about the next tile, with the rows up to ``end``."""
    head = asked.head[0]
    head.value = head.values_end
    while head.values_end < asked.values.size and asked.values[head.values_end].row < end:
        head.values_end += 1
    head.row = head.rows_end
    while head.rows_end < asked.rows.size and asked.rows[head.rows_end].row < end:
        head.rows_end += 1
    head.column = 0


@bare_inlined
def pass_columns(asked, c):
    """Skip the questions about columns below c."""
    head = asked.head[0]
    while head.value < head.values_end and asked.values[head.value].column < c:
        head.value += 1
    while head.column < asked.columns.size and asked.columns[head.column].column < c:
        head.column += 1


@bare_inlined
def asks_value(asked, end):
    """Return whether a value of a column from the present one on, below ``end``, is asked for."""
    head = asked.head[0]
    return head.value < head.values_end and asked.values[head.value].column < end


@bare_kernel
def settle(asked, tile, c, first, end):
    """Answer questions that the values of column c in the rows first .. end - 1 settle."""
    head = asked.head[0]
    pass_columns(asked, c)
    for i in range(first, end):
        a = tile.found[i]
        b = tile.head[0].row + i
        place = head.value
        while place < head.values_end and asked.values[place].column == c:
            if asked.values[place].row == b:
                asked.values[place].answer = a
            place += 1
        place = head.column
        while place < asked.columns.size and asked.columns[place].column == c:
            question = asked.columns[place]
            if question.value == a and question.answer < 0 and b < question.before:
                question.answer = b
                head.settled += 1
            place += 1
        for place in range(head.row, head.rows_end):
            about_row = asked.rows[place]
            if about_row.row == b and about_row.value == a and c < about_row.before:
                about_row.answer = c


@bare_inlined
def all_settled(asked):
    """Return whether there are only column questions, and all have an answer."""
    return asked.number > 0 and asked.head[0].settled == asked.number


@bare_kernel
def may_settle(asked, tile, c, count):
    """Return whether the bits of a block from column c on, after ``count`` strips, may answer.

    A row question: the value has newly appeared in the row. A column question: the column bars it.
    """
    head = asked.head[0]
    strips = tile.strips
    for place in range(head.row, head.rows_end):
        about_row = asked.rows[place]
        i = about_row.row - tile.head[0].row
        g = i >> 3
        if about_row.answer >= 0 or about_row.before <= c or g >= count:
            continue
        bit = about_row.value - strips[g + FLIGHT].low_now
        left = LANES * FLIGHT + i
        hit = 0 <= bit < 64 and (tile.leave_low[left] >> np.uint64(bit & 63)) & _U1 != 0
        bit = about_row.value - strips[g].high_now
        if 0 <= bit < 64:
            turned = np.uint64((bit - turn_of(strips, g)) & 63)
            hit = hit or (tile.leave_high[left] >> turned) & _U1 != 0
        if hit and row_window(tile, i, about_row.value) & _U1 == 0:
            return True
    place = head.column
    while place < asked.columns.size and asked.columns[place].column < c + 8:
        question = asked.columns[place]
        place += 1
        if question.answer >= 0:
            continue
        lane = 7 - (question.column & 7)
        bit = question.value - strips[count + 1].low_now
        if 0 <= bit < 64:
            if (tile.below[lane] >> np.uint64(bit)) & _U1 != 0:
                return True
        elif bit >= 64:
            bit = question.value - strips[count + 1].high_now
            if bit < 0 or (bit < 64 and (tile.above[lane] >> np.uint64(bit)) & _U1 != 0):
                return True
    return False


@bare_kernel
def show(asked, tile):
    """Store the taken values of the requested rows of the tile."""
    first = asked.last_row + 1 - asked.shown.shape[0] - tile.head[0].row
    for line in range(asked.shown.shape[0]):
        i = first + line
        if 0 <= i < 8 * tile.head[0].strips:
            for j in range(asked.shown.shape[1]):
                a = tile.head[0].row + i + asked.z + j
                inside = a + 64 < tile.head[0].end
                asked.shown[line, j] = inside and row_window(tile, i, a) & _U1 != 0
