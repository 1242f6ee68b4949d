"""Compiled look-ups in the arrays of one three-row game.

What one position is asked for is in `oracle.families.chomp3.table`, without compiled code; here are
the same look-ups for batches, and the copy of the sheets by rows.
"""

from typing import Final

import numpy as np

from position_oracle.engine.solvers.compiled import njit

UNKNOWN: Final = 0
P: Final = 1
N: Final = 2

MAX_WINNING: Final = 6
"""At most one winning child a move M1 .. M6."""


@njit(cache=True, nogil=True, inline="always")
def _outcome(x, y, z, t):
    if x > t.limit:
        return N if t.closed_by >= 0 else UNKNOWN
    start = t.prefix_offset[x]
    length = t.prefix_offset[x + 1] - start
    if y < length:
        return P if np.int64(t.z[start + y]) == z else N
    period = t.period[x]
    if period <= 0:
        return N if period == 0 else UNKNOWN
    return P if np.int64(t.tail_z[t.tail_offset[x] + (y - length) % period]) == z else N


@njit(cache=True, nogil=True, inline="always")
def _sheet(c, t):
    """Start, prefix length and period of sheet c; beyond a closed table sheets are empty."""
    if c > t.limit:
        return np.int64(0), np.int64(0), np.int64(0)
    start = t.prefix_offset[c]
    return start, t.prefix_offset[c + 1] - start, np.int64(t.period[c])


@njit(cache=True, nogil=True)
def outcomes(coordinates, t, out):
    """Outcome of every row [x, y, z], none negative, of an int32 array."""
    for i in range(len(coordinates)):
        x, y, z = coordinates[i, 0], coordinates[i, 1], coordinates[i, 2]
        out[i] = _outcome(np.int64(x), np.int64(y), np.int64(z), t)


@njit(cache=True, nogil=True)
def _z_at(c, y, t):
    """The z of the P-position in column y of sheet c; -1 where there is none."""
    start, length, period = _sheet(c, t)
    if y < length:
        return np.int64(t.z[start + y])
    if period <= 0:
        return np.int64(-1)
    return np.int64(t.tail_z[t.tail_offset[c] + (y - length) % period])


@njit(cache=True, nogil=True)
def _second_row(c, b, a, t):
    """The b' in c .. b - 1 for which (a, b', c) is a P-position (M1); -1 for none."""
    start, length, period = _sheet(c, t)
    target = a - c
    for y in range(min(b - c, length)):
        if np.int64(t.z[start + y]) + y == target:
            return c + y
    for i in range(period):
        y = target - np.int64(t.tail_z[t.tail_offset[c] + i])
        if length <= y < b - c and (y - length) % period == i:
            return c + y
    return np.int64(-1)


@njit(cache=True, nogil=True)
def _third_row(a, b, c, t):
    """The c' < c for which (a, b, c') is a P-position (M4); -1 for none."""
    z = a - b
    first = np.int64(t.limit + 1)
    if b < len(t.row_first):
        first = np.int64(t.row_first[b])
        start = t.row_offset[b]
        absent = np.int64(np.iinfo(t.row_z.dtype).max)
        if z < absent:
            for k in range(min(c, t.limit + 1) - first):
                if np.int64(t.row_z[start + k]) == z:
                    return first + k
    below = min(first, c)
    if z < len(t.constant_tail) and 0 <= t.constant_tail[z] < below:
        return np.int64(t.constant_tail[z])
    for sheet in t.periodic_sheets:
        if sheet >= below:
            break
        if _z_at(np.int64(sheet), b - sheet, t) == z:
            return np.int64(sheet)
    return np.int64(-1)


@njit(cache=True, nogil=True)
def _add(children, found, x, y, z):
    """Write one child; element by element, which compiles much faster than a tuple."""
    children[found, 0] = x
    children[found, 1] = y
    children[found, 2] = z
    return found + 1


@njit(cache=True, nogil=True)
def winning_children(x, y, z, t, children):
    """P-positions one move from [x, y, z], written to `children` (6, 3) in the order of the moves.

    Args:
        x: at most `t.limit`, or any if a rectangle closes the table.
        y: any; x + y + z must fit int64.
        z: any.
        t: the arrays of the game.
        children: int64 (6, 3), filled from the top.

    Returns:
        The number of children written.
    """
    a, b, c = x + y + z, x + y, x
    found = 0
    if 0 <= t.closed_by < c:
        found = _add(children, found, t.closed_by, 0, 0)
    _, length, period = _sheet(c, t)
    if period == 0 and 0 < length <= y:
        found = _add(children, found, c, length - 1, 0)
    lower = _z_at(c, y, t)
    if 0 <= lower < z:
        found = _add(children, found, c, y, lower)
    if a < len(t.diagonal) and 0 <= t.diagonal[a] < c:
        j = np.int64(t.diagonal[a])
        found = _add(children, found, j, 0, a - j)
    second = _second_row(c, b, a, t)
    if second >= 0:
        found = _add(children, found, c, second - c, a - second)
    third = _third_row(a, b, c, t)
    if third >= 0:
        found = _add(children, found, third, b - third, z)
    return found


@njit(cache=True, nogil=True)
def winning_moves(coordinates, t, out, moves):
    """Outcome and first winning child of every row [x, y, z]; all children must fit int32."""
    children = np.empty((MAX_WINNING, 3), np.int64)
    outcomes(coordinates, t, out)
    for i in range(len(coordinates)):
        x, y, z = coordinates[i, 0], coordinates[i, 1], coordinates[i, 2]
        if out[i] == N and winning_children(np.int64(x), np.int64(y), np.int64(z), t, children):
            moves[i, 0] = children[0, 0]
            moves[i, 1] = children[0, 1]
            moves[i, 2] = children[0, 2]


_TILE: Final = 32


@njit(cache=True, nogil=True, boundscheck=False)
def fill_rows(offsets, z, period, tail_offset, tail_z, row_offset, row_first, row_z):
    """Copy the sheets into rows, a tile of sheets at a time so that writes stay in cache lines."""
    limit = len(period) - 1
    rows = len(row_first)
    row_z[:] = np.iinfo(row_z.dtype).max
    for tile in range(0, limit + 1, _TILE):
        last = min(tile + _TILE, limit + 1)
        for b in range(tile, rows):
            if row_first[b] >= last:
                break
            for c in range(max(tile, row_first[b]), min(last, b + 1)):
                y = b - c
                length = offsets[c + 1] - offsets[c]
                if y < length:
                    row_z[row_offset[b] + c - row_first[b]] = z[offsets[c] + y]
                elif period[c] > 0:
                    value = tail_z[tail_offset[c] + (y - length) % period[c]]
                    row_z[row_offset[b] + c - row_first[b]] = value
