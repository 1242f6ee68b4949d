"""The sweep: all live columns in ascending order pass through tile after tile.

Three kinds of columns pass through a tile, in this order:

* columns that end soon, from about 0.707 b on: one by one (plain); they remember their rows, so
  that tails can be proven when all of them have passed;
* columns in the middle, up to some rows below b: in blocks of eight, or plain if a block fails;
* new columns, which begin at their diagonal in this tile or began shortly before: plain.

A census finds the sheets and proves their tails. A replay repeats some of the rows from a
checkpoint on: the sheets are known, nothing is proven, and questions are answered on the way (see
``questions``).

Thread t mod K of a census sweeps tile t. A tile starts from the finished sheets, so it may begin
when the ending columns of the previous tile are done. A column enters a tile when it has left the
previous one. All threads share all arrays.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.compiled import bare_entry, bare_inlined, bare_kernel
from position_oracle.engine.solvers.instructions import (
    is_stopped,
    load_acquire,
    store_release,
    yield_core,
)
from position_oracle.engine.solvers.row_sweep.bits import trailing_ones
from position_oracle.engine.solvers.row_sweep.block import (
    BLOCK,
    commit_block,
    pack_block,
    strips_above,
    unpack_column,
    walk_block,
)
from position_oracle.engine.solvers.row_sweep.ledger import (
    SETTLED_ROWS,
    Ledger,
    begin_column,
    begin_sheet,
    take_odd_tails,
)
from position_oracle.engine.solvers.row_sweep.plain import FAILED, first_value, walk_rows
from position_oracle.engine.solvers.row_sweep.questions import (
    all_settled,
    asks_value,
    begin_rows,
    may_settle,
    pass_columns,
    settle,
    show,
)
from position_oracle.engine.solvers.row_sweep.state import COLUMN
from position_oracle.engine.solvers.row_sweep.tail_proof import (
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
from position_oracle.engine.solvers.row_sweep.tile import (
    TILE,
    clear_tile,
    raise_bases,
    solid_from_bases,
    take,
)

NEW, PLAIN, PACKED, STOPPED, TAIL = range(5)
"""Kinds of a column: not begun, in its own state, in a block, stopped, or in a tail."""

_STRIDE: Final = 8
"""Distance in memory of shared numbers, in 8-byte words: 64 bytes."""

_ENDED, _DONE, SIGNAL_ROW = (_STRIDE * j for j in range(3))
"""Indices in ``signals``: the tiles whose ending columns are done; 1 if all sheets are finished;
the current row."""

SIGNAL_SNAPSHOTS = tuple(_STRIDE * j for j in (3, 4))
"""Index in ``signals`` of the state of each buffer: EMPTY, FILLING, or FILLED."""

EMPTY, FILLING, FILLED = range(3)
TOO_SMALL, BROKEN = 1, 2
"""Results of ``run_tiles`` besides 0: arrays are too small, or a check failed."""

_TILES_IN_FLIGHT: Final = 64
"""Number of consecutive tiles, with an entry in ``progress`` for each."""

_SNAPSHOT: Final = np.dtype([("row", np.int64), ("first", np.int64), ("count", np.int64)])

_YOUNG: Final = 64
"""Columns that began at most this many rows ago are plain, because their two windows would meet."""

_LEAST_STRIPS: Final = 4
"""Minimum number of strips for a block."""

_NEAR: Final = 64
"""Distance above the row at which columns begin to remember their rows."""

_ALL_COLUMNS: Final = (1 << 32) - 1
_SPINS: Final = 200


class Sweep(NamedTuple):
    """The arrays that all threads share.

    ``columns`` COLUMN and ``blocks`` BLOCK are ring buffers: column c has index c mod size.
    ``kinds`` uint8, one for each c. ``head`` one record: the first column that is not finished.
    ``limit``: the last column. ``known``: the ledger has all sheets, that is, this is a replay.
    """

    columns: NDArray[np.void]
    blocks: NDArray[np.void]
    kinds: NDArray[np.uint8]
    ledger: Ledger
    histories: Histories
    head: NDArray[np.int64]
    limit: int
    spacing: int
    known: bool


class Snapshots(NamedTuple):
    """The states at two rows: ``head`` _SNAPSHOT, ``column`` and ``states`` COLUMN, by buffer."""

    head: NDArray[np.void]
    column: NDArray[np.int32]
    states: NDArray[np.void]


class Relay(NamedTuple):
    """State shared by threads.

    ``progress`` int64: for each of the tiles in flight the number of the tile, times 2**32, plus
    the number of columns that have passed it. ``signals`` int64. ``flag``: the flag of a budget.
    """

    progress: NDArray[np.int64]
    signals: NDArray[np.int64]
    flag: NDArray[np.int64]


def ring_size(limit: int) -> int:
    """Return the size of the ring: the live columns, 0.293 of the row, and those of some tiles."""
    return (int(0.3 * limit) // 8 + 1300) * 8


def allocate_sweep(
    limit: int, ledger: Ledger, histories: Histories, ring: int, spacing: int, *, known: bool
) -> Sweep:
    """Allocate a sweep at row 0 with space for ``ring`` live columns, a multiple of 8."""
    return Sweep(
        columns=np.zeros(ring, COLUMN),
        blocks=np.zeros(ring // 8, BLOCK),
        kinds=np.zeros(limit + 16, np.uint8),
        ledger=ledger,
        histories=histories,
        head=np.zeros(1, np.int64),
        limit=limit,
        spacing=spacing,
        known=known,
    )


def allocate_snapshots(columns: int) -> Snapshots:
    """Allocate space for two snapshots of a number of columns."""
    return Snapshots(
        np.zeros(2, _SNAPSHOT), np.zeros((2, columns), np.int32), np.zeros((2, columns), COLUMN)
    )


def begin_relay(first: int, flag: NDArray[np.int64]) -> Relay:
    """Make the initial state; only the tiles before the ``first`` one are done."""
    progress = np.full(_TILES_IN_FLIGHT * _STRIDE, -1, np.int64)
    progress[((first - 1) % _TILES_IN_FLIGHT) * _STRIDE] = first << 32
    signals = np.zeros(5 * _STRIDE, np.int64)
    signals[_ENDED] = first
    signals[SIGNAL_ROW] = first * TILE
    return Relay(progress, signals, flag)


@bare_kernel
def _await(relay, numbers, place, least):
    """Wait until a shared number reaches ``least``; return it, or -1 if the sweep ends."""
    spins = 0
    while True:
        reached = load_acquire(numbers, place)
        if reached >= least:
            return reached
        if is_stopped(relay.flag) or load_acquire(relay.signals, _DONE) != 0:
            return -1
        spins += 1
        if spins > _SPINS:
            yield_core()
            spins = 0


@bare_kernel
def _await_empty(relay, buffer):
    """Wait until a snapshot may be filled; return False if the flag is set."""
    while load_acquire(relay.signals, SIGNAL_SNAPSHOTS[buffer]) != EMPTY:
        if is_stopped(relay.flag):
            return False
        yield_core()
    store_release(relay.signals, SIGNAL_SNAPSHOTS[buffer], np.int64(FILLING))
    return True


@bare_kernel
def _unpack(sweep, first):
    """Convert the columns of a block to states of their own."""
    count = sweep.columns.size
    block = sweep.blocks[(first % count) >> 3]
    for lane in range(8):
        c = first + 7 - lane
        unpack_column(block, lane, sweep.columns[c % count], sweep.ledger.dd)
        sweep.kinds[c] = PLAIN
        forget(sweep.histories, c)


@bare_kernel
def _pack(sweep, first):
    """Make a block of eight columns with states of their own, if they fit."""
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


@bare_inlined
def _low_of(sweep, c):
    """Return a lower bound of the lower end of a column, c divisible by 8."""
    place = c % sweep.columns.size
    if sweep.kinds[c] == PACKED:
        return sweep.blocks[place >> 3].low
    return sweep.columns[place].low


@bare_kernel
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


@bare_inlined
def _is_early(sweep, c):
    """Return whether column c ends soon after its beginning, and so is swept alone."""
    return not sweep.known and c < 10 * TILE


@bare_inlined
def _keep_rows(histories, tile, c, first, last, early):
    """Remember the rows ``first`` .. ``last - 1`` of column c; return False if there is no space.

    A column starts remembering near its end, or with its first row if it is ``early``.
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


@bare_kernel
def _begin(sweep, tile, c, i):
    """Begin column c in row i of the tile, its diagonal; return False if a check fails."""
    ledger = sweep.ledger
    if sweep.known:
        take(tile, i, np.int64(ledger.diagonal[c]))
    elif not begin_sheet(ledger, c, first_value(tile, ledger.dd, i)):
        return False
    begin_column(sweep.columns[c % sweep.columns.size], ledger, c)
    tile.found[i] = ledger.diagonal[c]
    sweep.kinds[c] = PLAIN
    return True


@bare_inlined
def _walk_plain(sweep, tile, asked, c, first):
    """Move one column through a tile from row ``first`` on; return 0, TOO_SMALL or BROKEN."""
    ledger = sweep.ledger
    histories = sweep.histories
    column = sweep.columns[c % sweep.columns.size]
    row = tile.head[0].row
    begin = i = max(first, c - row)
    early = _is_early(sweep, c)
    if sweep.kinds[c] == NEW:
        if not _begin(sweep, tile, c, i):
            return BROKEN
        i += 1
        stops = tile.found[begin] == c
        if early and not stops:
            slot = open_history(histories, c, c)
            if slot < 0 or not remember(histories, slot, tile.found[begin] - c, -1, np.uint64(0)):
                return TOO_SMALL
    else:
        stops = False
    end = i if stops else walk_rows(tile, ledger.dd, column, i)
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
    if asked.number > 0:
        settle(asked, tile, c, begin, end)
    if not sweep.known and not _keep_rows(histories, tile, c, i, end, early):
        return TOO_SMALL
    if end > begin and tile.found[end - 1] == row + end - 1:
        sweep.kinds[c] = STOPPED
        if not finish_stop(ledger, histories, c, row + end - 1, column):
            return BROKEN
    return 0


@bare_kernel
def _finish_sheets(sweep, tile_number, end, signals):
    """Prove the tails of the columns below ``end``, in order, and let the next tile begin."""
    head = sweep.head
    ledger = sweep.ledger
    while head[0] < end and not sweep.known:
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
    if head[0] > sweep.limit and not sweep.known:
        store_release(signals, _DONE, np.int64(1))
    store_release(signals, _ENDED, np.int64(tile_number + 1))
    return True


@bare_kernel
def _walk_group(sweep, tile, asked, c, end, first):
    """Move the columns c .. end - 1 of a group through a tile one by one; return 0 or a code."""
    if sweep.kinds[c] == PACKED:
        _unpack(sweep, (c >> 3) << 3)
    for column in range(c, end):
        if sweep.kinds[column] < STOPPED:
            failed = _walk_plain(sweep, tile, asked, column, first)
            if failed != 0:
                return failed
    return 0


@bare_inlined
def _strips_of(sweep, tile, c):
    """Return the number of strips that the group from c on may pass as a block.

    Columns that have just begun may pass none, and columns near their end not all.
    """
    row = tile.head[0].row
    if c & 7 != 0 or c + 8 > min(sweep.limit + 1, row - _YOUNG) or _is_early(sweep, c):
        return 0
    count = strips_above(tile, _low_of(sweep, c))
    return count if count >= min(_LEAST_STRIPS, tile.head[0].strips) else 0


@bare_kernel
def _await_columns(relay, number, end):
    """Wait until the columns below ``end`` have left the previous tile; return how many have.

    The result is -1 if the flag is set.
    """
    before = ((number - 1) % _TILES_IN_FLIGHT) * _STRIDE
    reached = _await(relay, relay.progress, before, ((number - 1) << 32) | end)
    if reached < 0:
        return -1
    return _ALL_COLUMNS if reached >> 32 >= number else reached & _ALL_COLUMNS


@bare_kernel
def _run_tile(sweep, tile, asked, snapshots, buffer, number, relay):
    """Move all live columns through one tile; return 0 or the code of a failure."""
    row = number * TILE
    ledger = sweep.ledger
    first = sweep.head[0]
    all_strips = min(TILE, asked.last_row - row + 8) >> 3
    end = min(sweep.limit + 1, row + 8 * all_strips)
    clear_tile(tile, row, all_strips, sweep.limit, ledger.tail_bits, ledger.head[0].tail_words)
    take_odd_tails(tile, ledger, first)
    if asked.number > 0:
        begin_rows(asked, row + 8 * all_strips)
    own = (number % _TILES_IN_FLIGHT) * _STRIDE
    passed = -1
    finished = False  # the ending columns have been tried
    in_blocks = False
    saved = first
    c = first
    while c < end:
        group_end = min((c | 7) + 1, end)
        if passed < group_end:
            passed = _await_columns(relay, number, group_end)
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
        if asked.number > 0:
            pass_columns(asked, c)
            if asks_value(asked, group_end):
                strips = 0
        packed = strips > 0 and (sweep.kinds[c] == PACKED or _pack(sweep, c))
        if not finished and ((packed and strips == all_strips) or c >= row - _YOUNG):
            finished = True
            if not _finish_sheets(sweep, number, c, relay.signals):
                return TOO_SMALL
        if packed:
            if not in_blocks:
                in_blocks = True
                raise_bases(tile, ledger.dd, 0)
            block = sweep.blocks[(c % sweep.columns.size) >> 3]
            holds = walk_block(tile, block, ledger.dd, strips)
            if asked.number > 0:
                holds = holds and not may_settle(asked, tile, c, strips)
            if holds:
                commit_block(tile, block, ledger.dd, strips)
                walked = strips
        if walked < all_strips:
            if in_blocks:
                solid_from_bases(tile)
            failed = _walk_group(sweep, tile, asked, c, group_end, 8 * walked)
            if failed != 0:
                return failed
            in_blocks = in_blocks and group_end + 8 <= row - _YOUNG
            if in_blocks:
                raise_bases(tile, ledger.dd, walked)
        c = group_end
        if is_stopped(relay.flag):
            return 0
        store_release(relay.progress, own, np.int64((number << 32) | c))
    if not finished and not _finish_sheets(sweep, number, end, relay.signals):
        return TOO_SMALL
    show(asked, tile)
    return 0


@bare_entry
def run_tiles(sweep, tile, asked, snapshots, relay, first, thread, threads):
    """Sweep the tiles ``first + thread``, ``+ threads``, ... until all sheets are finished.

    A replay ends earlier: with the last row, or when all questions have answers. The result is 0
    (also if the flag was set), TOO_SMALL or BROKEN.
    """
    number = first + thread
    while number * TILE <= asked.last_row:
        signals = relay.signals
        if _await(relay, signals, _ENDED, number) < 0:
            return 0
        if load_acquire(signals, _DONE) != 0 or is_stopped(relay.flag):
            return 0
        row = number * TILE
        saving = sweep.spacing > 0 and number > first and row % sweep.spacing == 0
        buffer = (row // sweep.spacing) % 2 if saving else -1
        if saving:
            if not _await_empty(relay, buffer):
                return 0
            snapshots.head[buffer].row = row
            snapshots.head[buffer].first = sweep.head[0]
            snapshots.head[buffer].count = 0
        failed = _run_tile(sweep, tile, asked, snapshots, buffer, number, relay)
        if failed != 0:
            return failed
        if is_stopped(relay.flag) or all_settled(asked):
            return 0
        before = ((number - 1) % _TILES_IN_FLIGHT) * _STRIDE
        if _await(relay, relay.progress, before, number << 32) < 0 and is_stopped(relay.flag):
            return 0
        own = (number % _TILES_IN_FLIGHT) * _STRIDE
        store_release(relay.progress, own, np.int64((number + 1) << 32))
        store_release(signals, SIGNAL_ROW, np.int64(row + TILE))
        if saving:
            store_release(signals, SIGNAL_SNAPSHOTS[buffer], np.int64(FILLED))
        number += threads
    return 0
