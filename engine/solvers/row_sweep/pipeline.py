"""The sweep: tile after tile, and through each tile all live columns in ascending order.

Three kinds of columns meet a tile one after another:

* those that are about to end, about 0.707 b on: plain, remembering their rows, so that tails can
  be proven as soon as all of them have passed;
* those in full course, to some rows below b: in blocks of eight, or plain where a block fails;
* new ones, which begin at their diagonal in this tile or have begun shortly before: plain.

Threads follow each other by tiles, tile t on thread t mod K. A tile may begin when the ending
columns of the tile before are done, since it starts from the finished sheets; a column enters it
when it has left the tile before. States, like everything else, lie in arrays shared by all.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.instructions import load_acquire, store_release, yield_core
from position_oracle.engine.solvers.row_sweep.bits import trailing_ones
from position_oracle.engine.solvers.row_sweep.block import (
    commit_block,
    pack_block,
    strips_above,
    unpack_column,
    walk_block,
)
from position_oracle.engine.solvers.row_sweep.certificate import (
    NO_ROOM,
    NOT_YET,
    Histories,
    finish_stop,
    forget,
    open_history,
    prove_tail,
    remember,
    remembers,
    upper_values,
)
from position_oracle.engine.solvers.row_sweep.jit import entry, inlined, kernel
from position_oracle.engine.solvers.row_sweep.ledger import (
    SETTLED_ROWS,
    Ledger,
    begin_sheet,
    take_odd_tails,
)
from position_oracle.engine.solvers.row_sweep.plain import FAILED, first_value, walk_rows
from position_oracle.engine.solvers.row_sweep.state import begin_column
from position_oracle.engine.solvers.row_sweep.tile import clear_tile, raise_bases, solid_from_bases

__all__ = [
    "BROKEN",
    "EMPTY",
    "FILLED",
    "FILLING",
    "NEW",
    "PACKED",
    "PLAIN",
    "SIGNALS",
    "SIGNAL_DONE",
    "SIGNAL_ENDED",
    "SIGNAL_FAILED",
    "SIGNAL_ROW",
    "SIGNAL_SNAPSHOTS",
    "SIGNAL_STOP",
    "SNAPSHOT",
    "STOPPED",
    "STRIDE",
    "TAIL",
    "TILES_IN_FLIGHT",
    "TOO_SMALL",
    "Snapshots",
    "Sweep",
    "run_tiles",
]

NEW, PLAIN, PACKED, STOPPED, TAIL = range(5)
"""What a column is: not begun, a state of its own, one in a block, or a finished sheet."""

STRIDE: Final = 8
"""Shared numbers lie 64 bytes apart."""

SIGNAL_STOP, SIGNAL_FAILED, SIGNAL_ENDED, SIGNAL_DONE, SIGNAL_ROW = (STRIDE * j for j in range(5))
"""Places in ``signals``: a request to stop; TOO_SMALL or BROKEN; the tiles whose ending columns
are done; 1 when all sheets are finished; the row that has been reached."""

SIGNAL_SNAPSHOTS: Final = 5 * STRIDE
"""Place of the first of two numbers: EMPTY, FILLING, or FILLED."""

SIGNALS: Final = 7 * STRIDE
EMPTY, FILLING, FILLED = range(3)
TOO_SMALL, BROKEN = 1, 2

TILES_IN_FLIGHT: Final = 64
"""Threads work on consecutive tiles; this many have a place of their own in ``progress``."""

SNAPSHOT: Final = np.dtype([("row", np.int64), ("first", np.int64), ("count", np.int64)])

_YOUNG: Final = 64
"""Columns that began so many rows ago are plain; their two windows would meet."""

_LEAST_STRIPS: Final = 4
"""Fewer strips are not worth a block."""

_NEAR: Final = 64
"""So far above the row columns begin to remember their rows."""

_ALL_COLUMNS: Final = (1 << 32) - 1
_SPINS: Final = 200


class Sweep(NamedTuple):
    """The arrays that all threads share.

    ``columns`` COLUMN and ``blocks`` BLOCK are rings: column c at c mod their number. ``kinds``
    uint8, one for each c. ``head`` one record: the first column that is not finished.
    """

    columns: NDArray[np.void]
    blocks: NDArray[np.void]
    kinds: NDArray[np.uint8]
    ledger: Ledger
    histories: Histories
    head: NDArray[np.int64]
    limit: int
    spacing: int


class Snapshots(NamedTuple):
    """The states at two rows: ``head`` SNAPSHOT, ``column`` and ``states`` COLUMN, by buffer."""

    head: NDArray[np.void]
    column: NDArray[np.int32]
    states: NDArray[np.void]


@kernel
def _fail(signals, code):
    store_release(signals, SIGNAL_FAILED, np.int64(code))
    store_release(signals, SIGNAL_STOP, np.int64(1))


@kernel
def _await(numbers, place, least, signals):
    """Wait until a shared number has reached ``least``; returns it, or -1 on a request to stop."""
    spins = 0
    while True:
        reached = load_acquire(numbers, place)
        if reached >= least:
            return reached
        if load_acquire(signals, SIGNAL_STOP) != 0 or load_acquire(signals, SIGNAL_DONE) != 0:
            return -1
        spins += 1
        if spins > _SPINS:
            yield_core()
            spins = 0


@kernel
def _await_empty(signals, place):
    """Wait until a snapshot may be filled; False on a request to stop."""
    while load_acquire(signals, place) != EMPTY:
        if load_acquire(signals, SIGNAL_STOP) != 0:
            return False
        yield_core()
    store_release(signals, place, np.int64(FILLING))
    return True


@kernel
def _unpack(sweep, first):
    """Give the columns of a block states of their own."""
    count = sweep.columns.size
    block = sweep.blocks[(first % count) >> 3]
    for lane in range(8):
        c = first + 7 - lane
        unpack_column(block, lane, sweep.columns[c % count], sweep.ledger.dd)
        sweep.kinds[c] = PLAIN
        forget(sweep.histories, c)


@kernel
def _pack(sweep, first):
    """Make a block of eight columns that all have a state of their own, if they fit."""
    count = sweep.columns.size
    for c in range(first, first + 8):
        if sweep.kinds[c] != PLAIN:
            return False
    block = sweep.blocks[(first % count) >> 3]
    if not pack_block(block, sweep.columns, first % count, sweep.ledger.dd):
        return False
    block.largest_z = sweep.ledger.largest_z[first]
    for c in range(first, first + 8):
        block.largest_z = min(block.largest_z, np.int64(sweep.ledger.largest_z[c]))
        sweep.kinds[c] = PACKED
    return True


@inlined
def _low_of(sweep, c):
    """A lower bound of the lower end of a column, c divisible by 8."""
    place = c % sweep.columns.size
    if sweep.kinds[c] == PACKED:
        return sweep.blocks[place >> 3].low
    return sweep.columns[place].low


@kernel
def _save_states(sweep, snapshots, buffer, c, end):
    """Append the states of the live columns c .. end - 1 to a snapshot."""
    head = snapshots.head[buffer]
    count = sweep.columns.size
    for column in range(c, end):
        kind = sweep.kinds[column]
        if kind not in (PLAIN, PACKED):
            continue
        place = column % count
        state = snapshots.states[buffer, head.count]
        if kind == PACKED:
            unpack_column(sweep.blocks[place >> 3], 7 - (column & 7), state, sweep.ledger.dd)
        else:
            own = sweep.columns[place]
            state.low = own.low
            state.high = own.high
            state.below = own.below
            state.above = own.above
        snapshots.column[buffer, head.count] = column
        head.count += 1


@inlined
def _is_early(tile, c):
    """Whether column c ends soon after it has begun, and so goes alone."""
    return c < 10 * tile.rows


@inlined
def _keep_rows(histories, tile, c, first, last, early):
    """Remember the rows ``first`` .. ``last - 1`` that column c has walked; False without room.

    A column begins to when it comes near its end, or, being ``early``, with its first row.
    """
    row = tile.head[0].row
    if not early and not remembers(histories, c):
        while first < last and tile.before[first].low - row - first >= _NEAR:
            first += 1
    if first == last:
        return True
    slot = open_history(histories, c, row + first)
    if slot < 0:
        return False
    for i in range(first, last):
        b = row + i
        before = tile.before[i]
        lift = trailing_ones(before.above)
        high = before.high + lift
        distance = high - b if before.low <= b <= high else -1
        above = before.above >> np.uint64(lift)
        if not remember(histories, slot, tile.found[i] - b, distance, above):
            return False
    return True


@kernel
def _walk_plain(sweep, tile, c, first):
    """Bring one column through a tile from row ``first`` on; 0, TOO_SMALL or BROKEN."""
    ledger = sweep.ledger
    histories = sweep.histories
    column = sweep.columns[c % sweep.columns.size]
    row = tile.head[0].row
    i = max(first, c - row)
    early = _is_early(tile, c)
    if sweep.kinds[c] == NEW:
        a = first_value(tile, ledger.dd, i)
        begin_column(column, ledger.dd, a)
        if not begin_sheet(ledger, c, a):
            return BROKEN
        sweep.kinds[c] = PLAIN
        if a == c:
            sweep.kinds[c] = STOPPED
            finish_stop(ledger, histories, c, c, column)
            return 0
        if early:
            slot = open_history(histories, c, c)
            if slot < 0 or not remember(histories, slot, a - c, -1, np.uint64(0)):
                return TOO_SMALL
        i += 1
    end = walk_rows(tile, ledger.dd, column, i)
    if end == FAILED:
        return BROKEN
    largest = np.int64(ledger.largest_z[c])
    for place in range(i, end):
        z = tile.found[place] - row - place
        if z > largest:
            if row + place - c > SETTLED_ROWS:
                return BROKEN
            largest = z
    ledger.largest_z[c] = largest
    if not _keep_rows(histories, tile, c, i, end, early):
        return TOO_SMALL
    if end > i and tile.found[end - 1] == row + end - 1:
        sweep.kinds[c] = STOPPED
        finish_stop(ledger, histories, c, row + end - 1, column)
    return 0


@kernel
def _finish_sheets(sweep, tile_number, end, signals):
    """Prove tails, in order, of the columns below ``end``, and let the next tile begin."""
    head = sweep.head
    ledger = sweep.ledger
    while head[0] < end:
        c = head[0]
        if sweep.kinds[c] == STOPPED:
            frontier = ledger.head[0]
            frontier.frontier = max(frontier.frontier, np.int64(ledger.end[c]))
        else:
            if sweep.kinds[c] != PLAIN:
                break
            column = sweep.columns[c % sweep.columns.size]
            verdict = prove_tail(ledger, sweep.histories, c, upper_values(ledger, c, column))
            if verdict == NOT_YET:
                break
            if verdict == NO_ROOM:
                return False
            sweep.kinds[c] = TAIL
        head[0] += 1
    if head[0] > sweep.limit:
        store_release(signals, SIGNAL_DONE, np.int64(1))
    store_release(signals, SIGNAL_ENDED, np.int64(tile_number + 1))
    return True


@kernel
def _walk_group(sweep, tile, c, end, first):
    """Bring the columns c .. end - 1 of a group through a tile one by one; returns 0 or a code."""
    if sweep.kinds[c] == PACKED:
        _unpack(sweep, (c >> 3) << 3)
    for column in range(c, end):
        if sweep.kinds[column] < STOPPED:
            failed = _walk_plain(sweep, tile, column, first)
            if failed != 0:
                return failed
    return 0


@inlined
def _strips_of(sweep, tile, c):
    """Through how many strips the group from c on may go as a block.

    Columns that have begun lately may through none, and those near their end not through all.
    """
    row = tile.head[0].row
    if c & 7 != 0 or c + 8 > min(sweep.limit + 1, row - _YOUNG) or _is_early(tile, c):
        return 0
    count = strips_above(tile, _low_of(sweep, c))
    return count if count >= _LEAST_STRIPS else 0


@kernel
def _walk_strips(sweep, tile, c, count):
    """Bring a block through the first strips of a tile; False where its windows do not hold."""
    head = tile.head[0]
    strips = head.strips
    head.strips = count
    block = sweep.blocks[(c % sweep.columns.size) >> 3]
    holds = walk_block(tile, block, sweep.ledger.dd)
    if holds:
        commit_block(tile, block, sweep.ledger.dd)
    head.strips = strips
    return holds


@kernel
def _await_columns(progress, number, end, signals):
    """Wait until the columns below ``end`` have left the tile before; returns how many have.

    -1 on a request to stop.
    """
    before = ((number - 1) % TILES_IN_FLIGHT) * STRIDE
    reached = _await(progress, before, ((number - 1) << 32) | end, signals)
    if reached < 0:
        return -1
    return _ALL_COLUMNS if reached >> 32 >= number else reached & _ALL_COLUMNS


@kernel
def _run_tile(sweep, tile, snapshots, buffer, number, progress, signals, counts):
    """Take all live columns through one tile. Returns 0, or what went wrong."""
    row = number * tile.rows
    ledger = sweep.ledger
    first = sweep.head[0]
    end = min(sweep.limit + 1, row + tile.rows)
    all_strips = tile.rows >> 3
    clear_tile(tile, row, tile.rows >> 3, sweep.limit, ledger.tail_bits, ledger.head[0].tail_words)
    take_odd_tails(tile, ledger, first)
    own = (number % TILES_IN_FLIGHT) * STRIDE
    passed = -1
    finished = False  # the ending columns have been tried
    in_blocks = False
    saved = first
    c = first
    while c < end:
        group_end = min((c | 7) + 1, end)
        if passed < group_end:
            passed = _await_columns(progress, number, group_end, signals)
            if passed < 0:
                return 0
        if sweep.kinds[c] >= STOPPED:
            c += 1
            continue
        if buffer >= 0 and saved < group_end:
            _save_states(sweep, snapshots, buffer, max(saved, c), min(group_end, row))
            saved = group_end
        walked = 0
        strips = _strips_of(sweep, tile, c)
        packed = strips > 0 and (sweep.kinds[c] == PACKED or _pack(sweep, c))
        if not finished and ((packed and strips == all_strips) or c >= row - _YOUNG):
            finished = True
            if not _finish_sheets(sweep, number, c, signals):
                return TOO_SMALL
        if packed:
            if not in_blocks:
                in_blocks = True
                raise_bases(tile, ledger.dd, 0)
            if _walk_strips(sweep, tile, c, strips):
                counts[0] += 1
                walked = strips
            else:
                counts[1] += 1
        if walked < all_strips:
            if in_blocks:
                solid_from_bases(tile)
            failed = _walk_group(sweep, tile, c, group_end, 8 * walked)
            if failed != 0:
                return failed
            counts[2] += group_end - c
            in_blocks = in_blocks and group_end + 8 <= row - _YOUNG
            if in_blocks:
                raise_bases(tile, ledger.dd, walked)
        c = group_end
        if load_acquire(signals, SIGNAL_STOP) != 0:
            return 0
        store_release(progress, own, np.int64((number << 32) | c))
    if not finished and not _finish_sheets(sweep, number, end, signals):
        return TOO_SMALL
    return 0


@entry
def run_tiles(sweep, tile, snapshots, progress, signals, first, thread, threads, counts):
    """Sweep the tiles ``first + thread``, ``+ threads``, ... until all sheets are finished.

    ``progress`` int64: for each of the tiles in flight the number of the tile, times 2**32, plus
    the columns that have passed it; ``signals`` int64; ``counts`` int64: blocks walked, blocks
    that failed, plain columns.
    """
    number = first + thread
    while True:
        if _await(signals, SIGNAL_ENDED, number, signals) < 0:
            return
        if load_acquire(signals, SIGNAL_DONE) != 0 or load_acquire(signals, SIGNAL_STOP) != 0:
            return
        row = number * tile.rows
        saving = sweep.spacing > 0 and number > first and row % sweep.spacing == 0
        buffer = (row // sweep.spacing) % 2 if saving else -1
        if saving:
            if not _await_empty(signals, SIGNAL_SNAPSHOTS + buffer * STRIDE):
                return
            snapshots.head[buffer].row = row
            snapshots.head[buffer].first = sweep.head[0]
            snapshots.head[buffer].count = 0
        failed = _run_tile(sweep, tile, snapshots, buffer, number, progress, signals, counts)
        if failed != 0:
            _fail(signals, failed)
            return
        if load_acquire(signals, SIGNAL_STOP) != 0:
            return
        before = ((number - 1) % TILES_IN_FLIGHT) * STRIDE
        if (
            _await(progress, before, number << 32, signals) < 0
            and load_acquire(signals, SIGNAL_STOP) != 0
        ):
            return
        store_release(progress, (number % TILES_IN_FLIGHT) * STRIDE, np.int64((number + 1) << 32))
        store_release(signals, SIGNAL_ROW, np.int64(row + tile.rows))
        if saving:
            store_release(signals, SIGNAL_SNAPSHOTS + buffer * STRIDE, np.int64(FILLED))
        number += threads
