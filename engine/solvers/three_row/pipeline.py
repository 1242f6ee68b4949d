"""Sheets in order, carried through the rows tile by tile by one or two threads.

A thread takes every second group of consecutive sheets. It may work on the rows of a tile once
the group before has done them (``progress`` of that group has reached the end of the tile), so two
threads follow each other up the rows. Only when all smaller sheets are finished is it known from
which row on the smaller tails are pure, and a certificate possible; until then a sheet is just
walked on.
"""

import numpy as np

from engine.solvers.three_row.atomics import load_acquire, store_release, yield_core
from engine.solvers.three_row.certificate import (
    FIELDS,
    PATTERN_WORDS,
    S_DD_TOP,
    S_DECLARED,
    S_DONE,
    S_FROM,
    S_HIGH,
    S_LOW,
    S_NEXT,
    S_PERIOD,
    S_START,
    S_TOP,
    careful_walk,
)
from engine.solvers.three_row.jit import copy_to, entry, kernel
from engine.solvers.three_row.memory import (
    GROUP,
    H_CLOSED,
    H_DD_TOP,
    H_FRONTIER,
    H_OUT,
    H_READY,
    H_SHEETS,
    H_TAIL_OUT,
    TILE,
    Board,
    Exclusions,
    Output,
    Workspace,
)
from engine.solvers.three_row.rows import add_tail, open_rows
from engine.solvers.three_row.walk import NO_VALUE, walk

__all__ = ["PROGRESS_STRIDE", "SIGNAL_STATUS", "SIGNAL_STOP", "run_groups"]

SIGNAL_STOP, SIGNAL_STATUS = 0, 8
"""Places in ``signals``: a request to stop, and 1 when arrays were too small."""

PROGRESS_STRIDE = 8
_FINISHED = 1 << 62
_SPINS = 4000
_U0 = np.uint64(0)


@kernel
def _await(progress: np.ndarray, group: int, row: int, signals: np.ndarray) -> int:
    """Wait until ``group`` has done all rows below ``row``; -1 when the build is to stop."""
    if group < 0:
        return _FINISHED
    spins = 0
    while True:
        reached = load_acquire(progress, group * PROGRESS_STRIDE)
        if reached >= row:
            return reached
        if load_acquire(signals, SIGNAL_STOP) != 0:
            return -1
        spins += 1
        if spins > _SPINS:
            yield_core()


@kernel
def _fill_excluded(
    exclusions: Exclusions, excluded: np.ndarray, sheet: int, begin: int, end: int
) -> None:
    """``excluded[b mod TILE]`` = the value excluded in row b of a sheet, for a part of a tile."""
    offset = exclusions.prefix_offset[sheet]
    length = exclusions.prefix_offset[sheet + 1] - offset
    period = np.int64(exclusions.period[sheet])
    for b in range(begin, end):
        y = b - sheet
        z = np.int64(-1)
        if y < length:
            z = np.int64(exclusions.z[offset + y])
        elif period > 0:
            z = np.int64(exclusions.tail_z[exclusions.tail_offset[sheet] + (y - length) % period])
        excluded[b & (TILE - 1)] = np.uint64(b + z) if z >= 0 else NO_VALUE
    if sheet == 0 and begin == 0 and exclusions.spares_poison and excluded[0] == 1:
        excluded[0] = NO_VALUE


@kernel
def _begin_sheet(
    board: Board, exclusions: Exclusions, used: np.ndarray, state: np.ndarray, c: int
) -> None:
    for field in range(state.size):
        state[field] = 0
    state[S_NEXT] = c
    state[S_TOP] = -1
    state[S_DD_TOP] = board.head[H_DD_TOP]
    if board.head[H_CLOSED] >= 0:
        state[S_DONE] = 1
        return
    copy_to(used[c >> 6 :], board.dd[c >> 6 :])
    frontier = c
    if exclusions.present:
        frontier += exclusions.prefix_offset[c + 1] - exclusions.prefix_offset[c]
    state[S_DECLARED] = exclusions.declared_offset[c]
    last = exclusions.declared_offset[c + 1] - 1
    if last >= state[S_DECLARED]:
        frontier = max(frontier, exclusions.declared_b[last] + 1)
    state[S_FROM] = frontier


@kernel
def _after_first_row(board: Board, state: np.ndarray, z: np.ndarray, c: int) -> None:
    a = c + np.int64(z[0])
    board.dd[a >> 6] |= np.uint64(1) << np.uint64(a & 63)
    board.head[H_DD_TOP] = max(board.head[H_DD_TOP], a)
    if a == c:
        board.head[H_CLOSED] = c
    state[S_LOW] = a >> 6
    state[S_HIGH] = a >> 6


@kernel
def _walk_tile(
    board: Board,
    exclusions: Exclusions,
    used: np.ndarray,
    dd: np.ndarray,
    z: np.ndarray,
    excluded: np.ndarray,
    state: np.ndarray,
    pattern: np.ndarray,
    c: int,
    end: int,
    certify: bool,
) -> bool:
    """Bring one sheet to row ``end`` of the present tile, or to its own end before that."""
    if exclusions.present:
        _fill_excluded(exclusions, excluded, c, state[S_NEXT], end)
    if state[S_NEXT] == c:
        state[S_LOW] = state[S_HIGH] = used.size - 1
        if not careful_walk(
            board, exclusions, used, z, excluded, state, pattern, c, c, c + 1, False
        ):
            return False
        _after_first_row(board, state, z, c)
    while state[S_DONE] == 0 and state[S_NEXT] < end:
        b = state[S_NEXT]
        listed = state[S_DECLARED]
        while listed < exclusions.declared_offset[c + 1] and exclusions.declared_b[listed] < b:
            listed += 1
        state[S_DECLARED] = listed
        fast_end = end
        if listed < exclusions.declared_offset[c + 1]:
            fast_end = min(fast_end, exclusions.declared_b[listed])
        if certify:
            fast_end = min(fast_end, state[S_FROM])
        if fast_end <= b:
            careful_end = end if certify and b >= state[S_FROM] else b + 1
            if not careful_walk(
                board,
                exclusions,
                used,
                z,
                excluded,
                state,
                pattern,
                c,
                c,
                careful_end,
                certify,
            ):
                return False
            continue
        column = b % board.row_count
        if exclusions.present:
            done, low, high, stopped = walk(
                board.rows[column:],
                board.first[column:],
                used,
                dd,
                z[b - c :],
                np.uint64(b),
                np.uint64(fast_end - b),
                np.uint64(state[S_LOW]),
                np.uint64(state[S_HIGH]),
                np.uint64(board.word_count),
                np.uint64(board.stride),
                excluded[b & (TILE - 1) :],
            )
        else:
            done, low, high, stopped = walk(
                board.rows[column:],
                board.first[column:],
                used,
                dd,
                z[b - c :],
                np.uint64(b),
                np.uint64(fast_end - b),
                np.uint64(state[S_LOW]),
                np.uint64(state[S_HIGH]),
                np.uint64(board.word_count),
                np.uint64(board.stride),
                None,
            )
        state[S_NEXT] = b + np.int64(done)
        state[S_LOW] = np.int64(low)
        state[S_HIGH] = np.int64(high)
        if stopped:
            state[S_START] = state[S_NEXT] - c
            state[S_PERIOD] = 0
            state[S_DONE] = 1
        elif state[S_NEXT] < fast_end:
            return False
    return True


@kernel
def _finish_group(
    board: Board,
    output: Output,
    z: np.ndarray,
    states: np.ndarray,
    origin: int,
    c0: int,
    count: int,
) -> bool:
    """Append the finished sheets of a group to the output, in order."""
    out = board.head[H_OUT]
    tail_out = board.head[H_TAIL_OUT]
    for j in range(count):
        length = states[j, S_START]
        period = states[j, S_PERIOD]
        board.head[H_FRONTIER] = max(board.head[H_FRONTIER], c0 + j + length)
        if length > board.y_limit:
            length = board.y_limit
            period = -1
        repeated = max(period, 0)
        if out + length > output.z.size or tail_out + repeated > output.tail_z.size:
            return False
        copy_to(output.z[out : out + length], z[j])
        copy_to(output.tail_z[tail_out : tail_out + repeated], z[j, length:])
        output.prefix_length[c0 - origin + j] = length
        output.period[c0 - origin + j] = period
        out += length
        tail_out += repeated
    board.head[H_OUT] = out
    board.head[H_TAIL_OUT] = tail_out
    board.head[H_SHEETS] += count
    return True


@kernel
def _run_group(
    board: Board,
    exclusions: Exclusions,
    output: Output,
    work: Workspace,
    origin: int,
    c0: int,
    count: int,
    group: int,
    progress: np.ndarray,
    signals: np.ndarray,
) -> bool:
    frontier = np.int64(0)
    bottom = c0 - c0 % TILE
    begun = 0
    left = count
    tile = bottom
    while left > 0:
        reached = _await(progress, group - 1, tile + TILE, signals)
        if reached < 0 or load_acquire(signals, SIGNAL_STOP) != 0:
            return True
        complete = reached == _FINISHED
        if complete:
            frontier = max(frontier, board.head[H_FRONTIER])
        if tile == bottom:
            copy_to(work.dd[c0 >> 6 :], board.dd[c0 >> 6 :])
        if tile + TILE > board.head[H_READY]:
            if tile + TILE - bottom > board.row_count:
                return False
            open_rows(board, tile + TILE)
        end = min(tile + TILE, board.row_end)
        for j in range(count):
            c = c0 + j
            state = work.states[j]
            if j == begun:
                if c >= end:
                    break
                _begin_sheet(board, exclusions, work.used[j], state, c)
                left -= state[S_DONE]
                begun += 1
            if state[S_DONE] != 0:
                continue
            if complete:
                state[S_FROM] = max(state[S_FROM], frontier)
            if not _walk_tile(
                board,
                exclusions,
                work.used[j],
                work.dd,
                work.z[j],
                work.excluded,
                state,
                work.patterns[j],
                c,
                end,
                complete,
            ):
                return False
            if state[S_DONE] == 0 and end == board.row_end:
                state[S_DONE] = 1
                state[S_START] = end - c
                state[S_PERIOD] = -1
            if state[S_DONE] == 0:
                complete = False
                continue
            left -= 1
            frontier = max(frontier, c + state[S_START])
            if state[S_PERIOD] > 0 and not add_tail(
                board, work.z[j], state[S_START], state[S_PERIOD], state[S_NEXT], c
            ):
                return False
        tile += TILE
        if left > 0:
            store_release(progress, group * PROGRESS_STRIDE, np.int64(tile))
    if _await(progress, group - 1, _FINISHED, signals) < 0:
        return True
    if not _finish_group(board, output, work.z, work.states, origin, c0, count):
        return False
    store_release(progress, group * PROGRESS_STRIDE, np.int64(_FINISHED))
    return True


@entry
def run_groups(
    board: Board,
    exclusions: Exclusions,
    output: Output,
    work: Workspace,
    begin: int,
    end: int,
    thread: int,
    threads: int,
    progress: np.ndarray,
    signals: np.ndarray,
) -> None:
    """Compute the groups of sheets [begin, end) that fall to one thread.

    ``progress`` int64: the row that each group of the block has reached; ``signals`` int64.
    """
    group = thread
    while begin + group * GROUP < end and load_acquire(signals, SIGNAL_STOP) == 0:
        c0 = begin + group * GROUP
        count = min(GROUP, end - c0)
        if not _run_group(
            board,
            exclusions,
            output,
            work,
            begin,
            c0,
            count,
            group,
            progress,
            signals,
        ):
            store_release(signals, SIGNAL_STATUS, np.int64(1))
            store_release(signals, SIGNAL_STOP, np.int64(1))
        group += threads
