"""Sheets in order, carried through the rows tile by tile by one or two threads.

A thread takes every second group of consecutive sheets. It may work on the rows of a tile once
the group before has done them (``progress`` of that group has reached the end of the tile), so two
threads follow each other up the rows. Only when all smaller sheets are finished is it known from
which row on the smaller tails are pure, and a certificate possible; until then a sheet is just
walked on.
"""

import numpy as np

from engine.solvers.compiled import bare_entry, bare_kernel
from engine.solvers.instructions import load_acquire, store_release, yield_core
from engine.solvers.three_row.certificate import S_DONE, S_FROM, S_NEXT, S_PERIOD, S_START
from engine.solvers.three_row.jit import copy_to
from engine.solvers.three_row.memory import (
    GROUP,
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
from engine.solvers.three_row.sheet import begin_sheet, walk_tile

__all__ = ["PROGRESS_STRIDE", "SIGNAL_STATUS", "SIGNAL_STOP", "run_groups"]

SIGNAL_STOP, SIGNAL_STATUS = 0, 8
"""Places in ``signals``: a request to stop, and 1 when arrays were too small."""

PROGRESS_STRIDE = 8
_FINISHED = 1 << 62
_SPINS = 4000
_U0 = np.uint64(0)


@bare_kernel
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


@bare_kernel
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


@bare_kernel
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
                begin_sheet(board, exclusions, work.used[j], state, c)
                left -= state[S_DONE]
                begun += 1
            if state[S_DONE] != 0:
                continue
            if complete:
                state[S_FROM] = max(state[S_FROM], frontier)
            if not walk_tile(board, exclusions, work, j, c, end, complete):
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


@bare_entry
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
