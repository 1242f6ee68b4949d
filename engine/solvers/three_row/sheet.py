"""One sheet after the other: its beginning, its way up the rows, and its end."""

import numpy as np

from position_oracle.engine.solvers.compiled import bare_entry, bare_kernel
from position_oracle.engine.solvers.instructions import is_stopped
from position_oracle.engine.solvers.three_row.certificate import is_tail_proven, reduced
from position_oracle.engine.solvers.three_row.memory import (
    CHUNK,
    Exclusions,
    Output,
    Shared,
    Workspace,
)
from position_oracle.engine.solvers.three_row.rows import add_tail, copy_to, open_rows
from position_oracle.engine.solvers.three_row.supermex import NO_VALUE, supermex

DONE, STOPPED, TOO_SMALL = range(3)
"""Results of ``run_sheets``: all are computed, the flag was set, arrays are too small."""

_LATE = 1 << 62


@bare_kernel
def _fill_excluded(
    exclusions: Exclusions, excluded: np.ndarray, c: int, begin: int, end: int
) -> None:
    """``excluded[b - begin]`` = the value excluded in row b of sheet c, begin <= b < end."""
    offset = exclusions.prefix_offset[c]
    length = exclusions.prefix_offset[c + 1] - offset
    period = np.int64(exclusions.period[c])
    split = min(end, max(begin, c + length))
    known = exclusions.z[offset + begin - c :]
    for i in range(split - begin):
        excluded[i] = np.uint64(begin + i + known[i]) if known[i] >= 0 else NO_VALUE
    tail = exclusions.tail_z[exclusions.tail_offset[c] :]
    for i in range(split - begin, end - begin):
        excluded[i] = NO_VALUE
        if period > 0:
            excluded[i] = np.uint64(begin + i + tail[(begin + i - c - length) % period])
    if c == 0 and begin == 0 and exclusions.spares_poison and excluded[0] == 1:
        excluded[0] = NO_VALUE


@bare_kernel
def _begin(shared: Shared, exclusions: Exclusions, work: Workspace, c: int) -> None:
    """Prepare sheet c: before its first row, ``used`` holds the deadly diagonals alone."""
    state = work.state[0]
    state.next_row = c
    state.done = state.start = state.period = 0
    state.power = state.common = 0
    state.top = -1
    state.dd_top = shared.head[0].dd_top
    copy_to(work.used[c >> 6 :], shared.dd[c >> 6 :])
    state.certify_from = max(c, shared.head[0].frontier)
    if exclusions.present:
        length = exclusions.prefix_offset[c + 1] - exclusions.prefix_offset[c]
        state.certify_from = max(state.certify_from, c + length)
    state.declared = exclusions.declared_offset[c]
    last = exclusions.declared_offset[c + 1] - 1
    if last >= state.declared:
        state.certify_from = max(state.certify_from, exclusions.declared_b[last] + 1)


@bare_kernel
def _bar_declared(exclusions: Exclusions, work: Workspace, b: int, end: int) -> None:
    """Take the values declared N in row b for used; ``_unbar`` undoes it."""
    place = work.state[0].declared
    while place < end and exclusions.declared_b[place] == b:
        word = exclusions.declared_a[place] >> 6
        if word < work.used.size:
            bit = np.uint64(1) << np.uint64(exclusions.declared_a[place] & 63)
            work.declared[place] = bit & ~work.used[word]
            work.used[word] |= bit
        place += 1


@bare_kernel
def _unbar(exclusions: Exclusions, work: Workspace, b: int, end: int) -> None:
    """Undo ``_bar_declared``, and go on to the next declared N-position."""
    state = work.state[0]
    while state.declared < end and exclusions.declared_b[state.declared] == b:
        word = exclusions.declared_a[state.declared] >> 6
        if word < work.used.size:
            work.used[word] &= ~work.declared[state.declared]
        state.declared += 1


@bare_kernel
def _take(
    shared: Shared, exclusions: Exclusions, work: Workspace, c: int, end: int, begin: int
) -> bool:
    """Find the values of sheet c from its next row to row ``end``, or to its stop.

    ``begin`` is the row at which ``work.excluded`` begins. Returns False when the ring of words is
    too small.
    """
    state = work.state[0]
    b = state.next_row
    place = b % shared.row_count
    rows = (
        shared.rows[place:],
        np.uint64(shared.row_count),
        shared.first[place:],
        work.used,
        shared.dd,
        work.z[b - c :],
        np.uint64(b),
        np.uint64(end - b),
        np.uint64(state.low),
        np.uint64(state.high),
        np.uint64(shared.word_count),
    )
    if exclusions.present:
        found, low, high, stopped = supermex(*rows, work.excluded[b - begin :])
    else:
        found, low, high, stopped = supermex(*rows, None)
    state.next_row += np.int64(found)
    state.low = np.int64(low)
    state.high = np.int64(high)
    if stopped:
        state.start = state.next_row - c
        state.done = 1
    return stopped or state.next_row == end


@bare_kernel
def _after_first_row(shared: Shared, work: Workspace, c: int) -> None:
    a = c + np.int64(work.z[0])
    shared.dd[a >> 6] |= np.uint64(1) << np.uint64(a & 63)
    shared.head[0].dd_top = max(shared.head[0].dd_top, a)
    if a == c:
        shared.head[0].closed = c
    work.state[0].low = work.state[0].high = a >> 6


@bare_kernel
def _advance(
    shared: Shared, exclusions: Exclusions, work: Workspace, c: int, begin: int, end: int
) -> bool:
    """Bring sheet c through the rows begin .. end - 1, one piece of the ring, or to its own end.

    Returns False when the ring of words is too small.
    """
    state = work.state[0]
    listed_end = exclusions.declared_offset[c + 1]
    if exclusions.present:
        _fill_excluded(exclusions, work.excluded, c, begin, end)
    while state.done == 0 and state.next_row < end:
        b = state.next_row
        declared = exclusions.declared_b[state.declared] if state.declared < listed_end else _LATE
        certify = b > c and b >= state.certify_from
        if certify and is_tail_proven(shared, exclusions, work, c):
            state.start, state.period = reduced(work.z, state.saved_row - c, b - state.saved_row)
            state.done = 1
        elif certify:
            if not _take(shared, exclusions, work, c, b + 1, begin):
                return False
            z = np.int64(work.z[b - c])
            state.greatest = max(state.greatest, z)
            if state.top >= 0:
                state.top = max(state.top, b + z)
        elif b in (c, declared):
            if b == c:
                state.low = state.high = shared.first[c % shared.row_count]
            low, high = state.low, state.high
            _bar_declared(exclusions, work, b, listed_end)
            found = _take(shared, exclusions, work, c, b + 1, begin)
            _unbar(exclusions, work, b, listed_end)
            state.low, state.high = low, high
            if not found:
                return False
            if b == c:
                _after_first_row(shared, work, c)
        elif not _take(shared, exclusions, work, c, min(end, state.certify_from, declared), begin):
            return False
    return True


@bare_kernel
def _run_sheet(
    shared: Shared, exclusions: Exclusions, work: Workspace, c: int, flag: np.ndarray
) -> int:
    """Bring sheet c to its end; all smaller ones have come to theirs."""
    _begin(shared, exclusions, work, c)
    head, state = shared.head[0], work.state[0]
    if head.closed >= 0:
        return DONE
    while state.done == 0 and state.next_row < shared.row_end:
        if is_stopped(flag):
            return STOPPED
        b = state.next_row
        if b == head.ready:
            if b + CHUNK - (c - c % CHUNK) > shared.row_count:
                return TOO_SMALL
            open_rows(shared)
        end = min(head.ready, shared.row_end, b + shared.row_count - b % shared.row_count)
        if not _advance(shared, exclusions, work, c, b, end):
            return TOO_SMALL
    if state.done == 0:
        state.start = state.next_row - c
        state.period = -1
    if state.period > 0 and not add_tail(
        shared, work.z, state.start, state.period, state.next_row, c
    ):
        return TOO_SMALL
    head.frontier = max(head.frontier, c + state.start)
    return DONE


@bare_kernel
def _append(shared: Shared, output: Output, work: Workspace, place: int) -> bool:
    """Append the finished sheet to the output as sheet ``place``; False when that is too small."""
    head, state = shared.head[0], work.state[0]
    length, period = state.start, state.period
    if length > shared.y_limit:
        length, period = shared.y_limit, -1
    repeated = max(period, 0)
    out, tail_out = head.positions, head.tail_positions
    if out + length > output.z.size or tail_out + repeated > output.tail_z.size:
        return False
    copy_to(output.z[out : out + length], work.z)
    copy_to(output.tail_z[tail_out : tail_out + repeated], work.z[length:])
    output.prefix_length[place] = length
    output.period[place] = period
    head.positions += length
    head.tail_positions += repeated
    return True


@bare_entry
def run_sheets(
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
    for c in range(begin, end):
        result = _run_sheet(shared, exclusions, work, c, flag)
        if result != DONE:
            return result
        if not _append(shared, output, work, c - origin):
            return TOO_SMALL
    return DONE
