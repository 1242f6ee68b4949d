"""The proof of a tail, and the search for its beginning.

The theorem is stated in ``engine.solvers.three_row.certificate``; here it is in terms of the row
sweep. Let every smaller sheet have stopped before row F or be in its tail from F on. Once low <= b
<= high, the first value that column c does not bar is high, and the further values depend only on
the rows and on

    (high - b, above)

If rows b0 >= F and b1 = b0 + p have the same pair, and p is a multiple of the period of every
smaller tail with a value in [min (high - b), max z] over the rows b0 <= b < b1, the sheet is
periodic from b0 on with period p. Periods are kept as one least common multiple for each 64 values
of z, which can only make p larger.

So the columns that are about to end remember their rows. At the end of a tile they are tried in
order, until one cannot be proven yet: F is known only when all smaller sheets are finished. A
proven tail is walked back to its true start and cut to its least period.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.compiled import bare_inlined, bare_kernel
from position_oracle.engine.solvers.instructions import ones
from position_oracle.engine.solvers.row_sweep.ledger import add_tail, diagonals_above
from position_oracle.engine.solvers.three_row.certificate import reduced

NOT_YET, PROVEN, NO_ROOM = range(3)

_ROW: Final = np.dtype([("z", np.int32), ("distance", np.int32), ("above", np.uint64)])
_FIRST_ROWS: Final = 8
_LARGEST_PERIOD: Final = 1 << 30


class Histories(NamedTuple):
    """Rows of the columns that end soon; column c has the slot c mod (number of slots).

    ``rows``: z, high - b before the row (-1 while low > b), ``above`` before the row. ``column``,
    ``begin`` and ``length``, int64: the column of the slot (-1: none), its first row, and the
    number of rows.
    """

    rows: NDArray[np.void]
    column: NDArray[np.int64]
    begin: NDArray[np.int64]
    length: NDArray[np.int64]


def allocate_histories(slots: int, length: int) -> Histories:
    """Allocate space for ``slots`` columns; memory pages are used only when rows are stored."""
    return Histories(
        np.empty((slots, length), _ROW),
        np.full(slots, -1, np.int64),
        np.zeros(slots, np.int64),
        np.zeros(slots, np.int64),
    )


@bare_inlined
def remembers(histories, c):
    """Return whether rows of column c are stored."""
    return histories.column[c % histories.column.size] == c


@bare_kernel
def forget(histories, c):
    """Free the slot of column c."""
    slot = c % histories.column.size
    if histories.column[slot] == c:
        histories.column[slot] = -1


@bare_kernel
def open_history(histories, c, b):
    """Return the slot of column c, which stores rows from b on unless it does already.

    The result is -1 if another column has the slot.
    """
    slot = c % histories.column.size
    if histories.column[slot] != c:
        if histories.column[slot] >= 0:
            return -1
        histories.column[slot] = c
        histories.begin[slot] = b
        histories.length[slot] = 0
    return slot


@bare_inlined
def remember(histories, slot, z, distance, above):
    """Store one more row; return False if there is no space."""
    place = histories.length[slot]
    if place == histories.rows.shape[1]:
        return False
    row = histories.rows[slot, place]
    row.z = z
    row.distance = distance
    row.above = above
    histories.length[slot] = place + 1
    return True


@bare_inlined
def _common_period(ledger, low, high):
    period = np.int64(1)
    for word in range(low >> 6, (high >> 6) + 1):
        period = np.lcm(period, np.int64(ledger.common[word]))
        if period > _LARGEST_PERIOD:
            break
    return period


@bare_kernel
def _repetition(ledger, histories, c):
    """Return the distance from the last row to an earlier one that proves a tail; 0 for none."""
    slot = c % histories.column.size
    rows = histories.rows[slot]
    begin = histories.begin[slot]
    last = histories.length[slot] - 1
    now = rows[last]
    if last < _FIRST_ROWS or now.distance < 0 or begin + last + now.distance <= ledger.top[c]:
        return 0
    least = np.int64(now.distance)
    largest = np.int64(0)
    earliest = max(0, ledger.head[0].frontier - begin)
    for place in range(last - 1, earliest - 1, -1):
        row = rows[place]
        if row.distance < 0:
            return 0
        least = min(least, np.int64(row.distance))
        largest = max(largest, np.int64(row.z))
        if row.distance == now.distance and row.above == now.above:
            period = last - place
            if period % _common_period(ledger, least, largest) == 0:
                return period
    return 0


@bare_kernel
def prove_tail(ledger, histories, c, upper):
    """Try to finish sheet c by a tail; return PROVEN, NOT_YET, or NO_ROOM.

    ``upper`` is the number of values above the diagonal that the column has found so far. All
    smaller sheets must be finished. If rows were stored too late to show the beginning of the tail,
    as after a resumption, the ledger must have the sheet already.
    """
    if not remembers(histories, c):
        return NOT_YET
    period = _repetition(ledger, histories, c)
    if period == 0:
        return NOT_YET
    slot = c % histories.column.size
    rows = histories.rows[slot]
    begin = histories.begin[slot]
    last = histories.length[slot] - 1
    start, period = reduced(rows["z"], last - period, period)
    head = ledger.head[0]
    place = head.tail_values
    if place + period > ledger.tail_z.size:
        return NO_ROOM
    if ledger.end[c] < 0:
        if start == 0 and begin > c:
            return NO_ROOM
        ledger.end[c] = begin + start
        ledger.period[c] = period
        diagonal = ledger.diagonal[c]
        for later in range(start, last + 1):
            upper -= np.int64(begin + later + rows[later].z > diagonal)
        ledger.upper[c] = upper
        for j in range(period):
            ledger.tail_z[place + j] = rows[start + j].z
    head.tail_values += np.int64(ledger.period[c])
    head.frontier = max(head.frontier, np.int64(ledger.end[c]))
    forget(histories, c)
    return PROVEN if add_tail(ledger, c, place) else NO_ROOM


@bare_kernel
def upper_values(ledger, c, column):
    """Return the number of values above its diagonal that a column with this state has found."""
    above_diagonal = column.high - np.int64(ledger.diagonal[c]) - 1 + ones(column.above)
    return above_diagonal - diagonals_above(ledger, c)


@bare_kernel
def finish_stop(ledger, histories, c, b, column):
    """Finish sheet c, which stops with the value b in row b; False if the ledger differs."""
    forget(histories, c)
    if ledger.end[c] >= 0:
        return ledger.end[c] == b + 1 and ledger.period[c] == 0
    ledger.end[c] = b + 1
    ledger.period[c] = 0
    ledger.upper[c] = upper_values(ledger, c, column)
    return True
