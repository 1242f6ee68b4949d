"""One sheet: how it begins, and how it is brought through a tile of rows."""

import numpy as np

from engine.solvers.compiled import bare_kernel
from engine.solvers.three_row.certificate import (
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
from engine.solvers.three_row.jit import copy_to
from engine.solvers.three_row.memory import (
    H_CLOSED,
    H_DD_TOP,
    TILE,
    Board,
    Exclusions,
    Workspace,
)
from engine.solvers.three_row.rows import row_place
from engine.solvers.three_row.walk import NO_VALUE, walk

__all__ = ["begin_sheet", "walk_tile"]


_LATE = 1 << 62


@bare_kernel
def _fill_excluded(
    exclusions: Exclusions, excluded: np.ndarray, c: int, begin: int, end: int
) -> None:
    """``excluded[b mod TILE]`` = the value excluded in row b of sheet c, for a part of a tile."""
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
    board: Board, exclusions: Exclusions, used: np.ndarray, state: np.ndarray, c: int
) -> None:
    """Prepare sheet c: before its first row, ``used`` holds the deadly diagonals alone."""
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


@bare_kernel
def _after_first_row(board: Board, state: np.ndarray, z: np.ndarray, c: int) -> None:
    a = c + np.int64(z[0])
    board.dd[a >> 6] |= np.uint64(1) << np.uint64(a & 63)
    board.head[H_DD_TOP] = max(board.head[H_DD_TOP], a)
    if a == c:
        board.head[H_CLOSED] = c
    state[S_LOW] = a >> 6
    state[S_HIGH] = a >> 6


@bare_kernel
def _next_declared(exclusions: Exclusions, state: np.ndarray, c: int) -> int:
    """First row, from the present one on, with a declared N-position; a late one if none."""
    listed = state[S_DECLARED]
    listed_end = exclusions.declared_offset[c + 1]
    while listed < listed_end and exclusions.declared_b[listed] < state[S_NEXT]:
        listed += 1
    state[S_DECLARED] = listed
    return exclusions.declared_b[listed] if listed < listed_end else _LATE


@bare_kernel
def _fast_walk(
    board: Board, exclusions: Exclusions, work: Workspace, j: int, c: int, end: int
) -> bool:
    state = work.states[j]
    b = state[S_NEXT]
    arguments = (
        board.rows[row_place(board, b) :],
        board.first[b % board.row_count :],
        work.used[j],
        work.dd,
        work.z[j, b - c :],
        np.uint64(b),
        np.uint64(end - b),
        np.uint64(state[S_LOW]),
        np.uint64(state[S_HIGH]),
        np.uint64(board.word_count),
    )
    if exclusions.present:
        done, low, high, stopped = walk(*arguments, work.excluded[b & (TILE - 1) :])
    else:
        done, low, high, stopped = walk(*arguments, None)
    state[S_NEXT] = b + np.int64(done)
    state[S_LOW] = np.int64(low)
    state[S_HIGH] = np.int64(high)
    if stopped:
        state[S_START] = state[S_NEXT] - c
        state[S_PERIOD] = 0
        state[S_DONE] = 1
    return stopped or state[S_NEXT] == end


@bare_kernel
def walk_tile(
    board: Board,
    exclusions: Exclusions,
    work: Workspace,
    j: int,
    c: int,
    end: int,
    certify: bool,
) -> bool:
    """Bring sheet c to row ``end`` of the present tile, or to its own end before that.

    ``certify``: all smaller sheets are finished, so that a tail may be proven. Returns False when
    the ring of words is too small.
    """
    state = work.states[j]
    if exclusions.present:
        _fill_excluded(exclusions, work.excluded, c, state[S_NEXT], end)
    if state[S_NEXT] == c:
        state[S_LOW] = state[S_HIGH] = board.dd.size - 1
        if not careful_walk(board, exclusions, work, j, c, c + 1, False):
            return False
        _after_first_row(board, state, work.z[j], c)
    while state[S_DONE] == 0 and state[S_NEXT] < end:
        careful_from = state[S_FROM] if certify else _LATE
        fast_end = min(end, careful_from, _next_declared(exclusions, state, c))
        if state[S_NEXT] < fast_end:
            fits = _fast_walk(board, exclusions, work, j, c, fast_end)
        else:
            careful_end = end if state[S_NEXT] >= careful_from else state[S_NEXT] + 1
            fits = careful_walk(board, exclusions, work, j, c, careful_end, certify)
        if not fits:
            return False
    return True
