"""One sheet: its beginning, and its way through a tile of rows."""

from typing import Any

import numpy as np

from position_oracle.engine.solvers.compiled import bare_kernel
from position_oracle.engine.solvers.three_row.certificate import supermex_with_proof
from position_oracle.engine.solvers.three_row.memory import TILE, Exclusions, Shared, Workspace
from position_oracle.engine.solvers.three_row.rows import copy_to, row_place
from position_oracle.engine.solvers.three_row.supermex import NO_VALUE, supermex

_LATE = 1 << 62


@bare_kernel
def _fill_excluded(
    exclusions: Exclusions, excluded: np.ndarray, c: int, begin: int, end: int
) -> None:
    """Fill ``excluded[b mod TILE]`` with the value excluded in row b of sheet c."""
    offset = exclusions.prefix_offset[c]
    length = exclusions.prefix_offset[c + 1] - offset
    period = np.int64(exclusions.period[c])
    place = begin & (TILE - 1)
    split = min(end, max(begin, c + length))
    known = exclusions.z[offset + begin - c :]
    for i in range(split - begin):
        excluded[place + i] = np.uint64(begin + i + known[i]) if known[i] >= 0 else NO_VALUE
    if period > 0:
        residue = (split - c - length) % period
        tail = exclusions.tail_z[exclusions.tail_offset[c] :]
        for i in range(split - begin, end - begin):
            excluded[place + i] = np.uint64(begin + i + tail[residue])
            residue += 1
            if residue == period:
                residue = 0
    else:
        for i in range(split - begin, end - begin):
            excluded[place + i] = NO_VALUE
    if c == 0 and begin == 0 and exclusions.spares_poison and excluded[0] == 1:
        excluded[0] = NO_VALUE


@bare_kernel
def begin_sheet(
    shared: Shared, exclusions: Exclusions, used: np.ndarray, state: Any, c: int
) -> None:
    """Prepare sheet c: before its first row, ``used`` holds only the deadly diagonals."""
    state.next_row = c
    state.done = state.start = state.period = 0
    state.power = state.common = 0
    state.top = -1
    state.dd_top = shared.head[0].dd_top
    if shared.head[0].closed >= 0:
        state.done = 1
        return
    copy_to(used[c >> 6 :], shared.dd[c >> 6 :])
    frontier = c
    if exclusions.present:
        frontier += exclusions.prefix_offset[c + 1] - exclusions.prefix_offset[c]
    state.declared = exclusions.declared_offset[c]
    last = exclusions.declared_offset[c + 1] - 1
    if last >= state.declared:
        frontier = max(frontier, exclusions.declared_b[last] + 1)
    state.certify_from = frontier


@bare_kernel
def _after_first_row(shared: Shared, state: Any, z: np.ndarray, c: int) -> None:
    a = c + np.int64(z[0])
    shared.dd[a >> 6] |= np.uint64(1) << np.uint64(a & 63)
    shared.head[0].dd_top = max(shared.head[0].dd_top, a)
    if a == c:
        shared.head[0].closed = c
    state.low = a >> 6
    state.high = a >> 6


@bare_kernel
def _next_declared(exclusions: Exclusions, state: Any, c: int) -> int:
    """Return the next row, from the present one on, with a declared N-position."""
    listed = state.declared
    listed_end = exclusions.declared_offset[c + 1]
    while listed < listed_end and exclusions.declared_b[listed] < state.next_row:
        listed += 1
    state.declared = listed
    return exclusions.declared_b[listed] if listed < listed_end else _LATE


@bare_kernel
def _rows_from(shared: Shared, work: Workspace, j: int, c: int, end: int) -> tuple[Any, ...]:
    """Return the input of the supermex of sheet c, from its current row up to row ``end``."""
    state = work.states[j]
    b = state.next_row
    return (
        shared.rows[row_place(shared, b) :],
        shared.first[b % shared.row_count :],
        work.used[j],
        work.dd,
        work.z[j, b - c :],
        np.uint64(b),
        np.uint64(end - b),
        np.uint64(state.low),
        np.uint64(state.high),
        np.uint64(shared.word_count),
    )


@bare_kernel
def _note(state: Any, c: int, found: int, low: int, high: int, stopped: bool) -> None:
    """Record the results of the supermex of sheet c."""
    state.next_row += np.int64(found)
    state.low = np.int64(low)
    state.high = np.int64(high)
    if stopped:
        state.start = state.next_row - c
        state.period = 0
        state.done = 1


@bare_kernel
def advance_sheet(
    shared: Shared,
    exclusions: Exclusions,
    work: Workspace,
    j: int,
    c: int,
    end: int,
    certify: bool,
) -> bool:
    """Move sheet c to row ``end`` of the present tile, or to its own end before that.

    ``certify``: all smaller sheets are finished, so that a tail may be proven. The result is False
    if the ring of words is too small.
    """
    state = work.states[j]
    if exclusions.present:
        _fill_excluded(exclusions, work.excluded, c, state.next_row, end)
    if state.next_row == c:
        state.low = state.high = shared.dd.size - 1
        if not supermex_with_proof(shared, exclusions, work, j, c, c + 1, False):
            return False
        _after_first_row(shared, state, work.z[j], c)
    while state.done == 0 and state.next_row < end:
        b = state.next_row
        careful_from = state.certify_from if certify else _LATE
        fast_end = min(end, careful_from, _next_declared(exclusions, state, c))
        if b >= fast_end:
            careful_end = end if b >= careful_from else b + 1
            if not supermex_with_proof(shared, exclusions, work, j, c, careful_end, certify):
                return False
            continue
        rows = _rows_from(shared, work, j, c, fast_end)
        if exclusions.present:
            found, low, high, stopped = supermex(*rows, work.excluded[b & (TILE - 1) :])
        else:
            found, low, high, stopped = supermex(*rows, None)
        _note(state, c, found, low, high, stopped)
        if not stopped and state.next_row < fast_end:
            return False
    return True
