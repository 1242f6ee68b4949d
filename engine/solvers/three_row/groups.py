"""Sheets in order, moved through the rows tile by tile, several consecutive ones together."""

import numpy as np

from position_oracle.engine.solvers.compiled import bare_entry, bare_kernel
from position_oracle.engine.solvers.instructions import is_stopped
from position_oracle.engine.solvers.three_row.memory import (
    GROUP,
    TILE,
    Exclusions,
    Output,
    Shared,
    Workspace,
)
from position_oracle.engine.solvers.three_row.rows import add_tail, copy_to, open_rows
from position_oracle.engine.solvers.three_row.sheet import advance_sheet, begin_sheet

DONE, STOPPED, TOO_SMALL = range(3)
"""Results of ``run_groups``: all sheets are computed, the flag was set, or arrays are too small."""


@bare_kernel
def _append(
    shared: Shared, output: Output, work: Workspace, place: int, c0: int, count: int
) -> bool:
    """Append the finished sheets of a group to the output, from sheet ``place`` on.

    The result is False if the output is too small.
    """
    out = shared.head[0].positions
    tail_out = shared.head[0].tail_positions
    for j in range(count):
        length = work.states[j].start
        period = work.states[j].period
        shared.head[0].frontier = max(shared.head[0].frontier, c0 + j + length)
        if length > shared.y_limit:
            length = shared.y_limit
            period = -1
        repeated = max(period, 0)
        if out + length > output.z.size or tail_out + repeated > output.tail_z.size:
            return False
        copy_to(output.z[out : out + length], work.z[j])
        copy_to(output.tail_z[tail_out : tail_out + repeated], work.z[j, length:])
        output.prefix_length[place + j] = length
        output.period[place + j] = period
        out += length
        tail_out += repeated
    shared.head[0].positions = out
    shared.head[0].tail_positions = tail_out
    return True


@bare_kernel
def _run_group(
    shared: Shared, exclusions: Exclusions, work: Workspace, c0: int, count: int, flag: np.ndarray
) -> int:
    """Move the sheets c0 .. c0 + count - 1 to their ends.

    A tail can be proven once all smaller sheets have ended, because only then the first row with
    only tails of smaller sheets is known. Until then the sheet continues without proof.
    """
    frontier = shared.head[0].frontier
    bottom = tile = c0 - c0 % TILE
    copy_to(work.dd[c0 >> 6 :], shared.dd[c0 >> 6 :])
    begun = 0
    left = count
    while left > 0:
        if is_stopped(flag):
            return STOPPED
        if tile + TILE > shared.head[0].ready:
            if tile + TILE - bottom > shared.row_count:
                return TOO_SMALL
            open_rows(shared, tile + TILE)
        tile_end = min(tile + TILE, shared.row_end)
        certify = True
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
            if certify:
                state.certify_from = max(state.certify_from, frontier)
            if not advance_sheet(shared, exclusions, work, j, c, tile_end, certify):
                return TOO_SMALL
            if state.done == 0 and tile_end == shared.row_end:
                state.done = 1
                state.start = tile_end - c
                state.period = -1
            if state.done == 0:
                certify = False
                continue
            left -= 1
            frontier = max(frontier, c + state.start)
            if state.period > 0 and not add_tail(
                shared, work.z[j], state.start, state.period, state.next_row, c
            ):
                return TOO_SMALL
        tile += TILE
    return DONE


@bare_entry
def run_groups(
    shared: Shared,
    exclusions: Exclusions,
    output: Output,
    work: Workspace,
    origin: int,
    begin: int,
    end: int,
    flag: np.ndarray,
) -> int:
    """Compute the sheets begin .. end - 1; all smaller ones must be computed.

    ``origin`` is the first sheet of the output, ``flag`` the flag of a budget. The result is DONE,
    STOPPED or TOO_SMALL.
    """
    for c0 in range(begin, end, GROUP):
        count = min(GROUP, end - c0)
        result = _run_group(shared, exclusions, work, c0, count, flag)
        if result != DONE:
            return result
        if not _append(shared, output, work, c0 - origin, c0, count):
            return TOO_SMALL
    return DONE
