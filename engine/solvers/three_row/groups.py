"""Sheets in order, carried through the rows tile by tile by one or two threads.

A thread takes every second group of consecutive sheets. It may work on the rows of a tile once
the group before has done them (its ``reached_row`` is the end of the tile), so two
threads follow each other up the rows. Only when all smaller sheets are finished is it known from
which row on the smaller tails are pure, and a certificate possible; until then a sheet is just
walked on.
"""

import numpy as np

from position_oracle.engine.solvers.compiled import bare_entry, bare_kernel
from position_oracle.engine.solvers.instructions import load_acquire, store_release, yield_core
from position_oracle.engine.solvers.three_row.memory import (
    GROUP,
    GROUP_STRIDE,
    STOP,
    TILE,
    TOO_SMALL,
    Exclusions,
    Output,
    Shared,
    Workspace,
)
from position_oracle.engine.solvers.three_row.rows import add_tail, copy_to, open_rows
from position_oracle.engine.solvers.three_row.sheet import advance_sheet, begin_sheet

__all__ = ["run_groups"]

_FINISHED = 1 << 62
_SPINS = 4000


@bare_kernel
def _await(reached_row: np.ndarray, group: int, row: int, signals: np.ndarray) -> int:
    """Wait until ``group`` has done all rows below ``row``; -1 when the build is to stop."""
    if group < 0:
        return _FINISHED
    spins = 0
    while True:
        reached = load_acquire(reached_row, group * GROUP_STRIDE)
        if reached >= row:
            return reached
        if load_acquire(signals, STOP) != 0:
            return -1
        spins += 1
        if spins > _SPINS:
            yield_core()


@bare_kernel
def _finish_group(
    shared: Shared,
    output: Output,
    z: np.ndarray,
    states: np.ndarray,
    origin: int,
    c0: int,
    count: int,
) -> bool:
    """Append the finished sheets of a group to the output, in order."""
    out = shared.head[0].positions
    tail_out = shared.head[0].tail_positions
    for j in range(count):
        length = states[j].start
        period = states[j].period
        shared.head[0].frontier = max(shared.head[0].frontier, c0 + j + length)
        if length > shared.y_limit:
            length = shared.y_limit
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
    shared.head[0].positions = out
    shared.head[0].tail_positions = tail_out
    shared.head[0].sheets += count
    return True


@bare_kernel
def _give_up(signals: np.ndarray) -> None:
    """Say that the arrays are too small, and let the other threads end."""
    store_release(signals, TOO_SMALL, np.int64(1))
    store_release(signals, STOP, np.int64(1))


@bare_entry
def run_groups(
    shared: Shared,
    exclusions: Exclusions,
    output: Output,
    work: Workspace,
    begin: int,
    end: int,
    thread: int,
    threads: int,
    reached_row: np.ndarray,
    signals: np.ndarray,
) -> None:
    """Compute the groups of sheets [begin, end) that fall to one thread.

    ``reached_row`` int64: the row that each group of the block has reached; ``signals`` int64.
    """
    group = thread - threads
    while begin + (group + threads) * GROUP < end:
        group += threads
        c0 = begin + group * GROUP
        count = min(GROUP, end - c0)
        frontier = np.int64(0)
        bottom = c0 - c0 % TILE
        begun = 0
        left = count
        tile = bottom
        while left > 0:
            reached = _await(reached_row, group - 1, tile + TILE, signals)
            if reached < 0 or load_acquire(signals, STOP) != 0:
                return
            complete = reached == _FINISHED
            if complete:
                frontier = max(frontier, shared.head[0].frontier)
            if tile == bottom:
                copy_to(work.dd[c0 >> 6 :], shared.dd[c0 >> 6 :])
            if tile + TILE > shared.head[0].ready:
                if tile + TILE - bottom > shared.row_count:
                    _give_up(signals)
                    return
                open_rows(shared, tile + TILE)
            tile_end = min(tile + TILE, shared.row_end)
            for j in range(count):
                c = c0 + j
                state = work.states[j]
                if j == begun:
                    if c >= tile_end:
                        break
                    begin_sheet(shared, exclusions, work.used[j], state, c)
                    left -= state.done
                    begun += 1
                if state.done != 0:
                    continue
                if complete:
                    state.certify_from = max(state.certify_from, frontier)
                if not advance_sheet(shared, exclusions, work, j, c, tile_end, complete):
                    _give_up(signals)
                    return
                if state.done == 0 and tile_end == shared.row_end:
                    state.done = 1
                    state.start = tile_end - c
                    state.period = -1
                if state.done == 0:
                    complete = False
                    continue
                left -= 1
                frontier = max(frontier, c + state.start)
                if state.period > 0 and not add_tail(
                    shared, work.z[j], state.start, state.period, state.next_row, c
                ):
                    _give_up(signals)
                    return
            tile += TILE
            if left > 0:
                store_release(reached_row, group * GROUP_STRIDE, np.int64(tile))
        if _await(reached_row, group - 1, _FINISHED, signals) < 0:
            return
        if not _finish_group(shared, output, work.z, work.states, begin, c0, count):
            _give_up(signals)
            return
        store_release(reached_row, group * GROUP_STRIDE, np.int64(_FINISHED))
