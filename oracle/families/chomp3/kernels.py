"""Compiled look-ups in the arrays of one three-row game.

`oracle.families.chomp3.table` answers questions about one position without compiled code. This
module has the same look-ups for batches, and makes the copy of the sheets by rows.
"""

from typing import Final

import numpy as np

from position_oracle.engine.solvers.compiled import njit

UNKNOWN: Final = 0
P: Final = 1
N: Final = 2

_NEAR: Final = 24
"""Distance from the line of the last sheet within which a P-position is searched first."""

_BLOCK: Final = 256
"""Number of values that are compared together."""

_MANY: Final = 100
"""Number of positions from which on computing the line is worthwhile."""


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
    """Return start, prefix length and period of sheet c; sheets beyond a closed table are empty."""
    if c > t.limit:
        return np.int64(0), np.int64(0), np.int64(0)
    start = t.prefix_offset[c]
    return start, t.prefix_offset[c + 1] - start, np.int64(t.period[c])


@njit(cache=True, nogil=True)
def outcomes(coordinates, t, out):
    """Write the outcome of every row [x, y, z], none negative, of an int32 array into `out`."""
    for i in range(len(coordinates)):
        x, y, z = coordinates[i, 0], coordinates[i, 1], coordinates[i, 2]
        out[i] = _outcome(np.int64(x), np.int64(y), np.int64(z), t)


@njit(cache=True, nogil=True, inline="always")
def _z_at(c, y, t):
    """Return the z of the P-position in column y of sheet c; -1 if there is none."""
    start, length, period = _sheet(c, t)
    if y < length:
        return np.int64(t.z[start + y])
    if period <= 0:
        return np.int64(-1)
    return np.int64(t.tail_z[t.tail_offset[c] + (y - length) % period])


@njit(cache=True, nogil=True)
def _line(t):
    """Return for each y + z the y of a P-position of the last sheet, or of one near it.

    Sheets are similar: if (y + z) / x is equal in two sheets, y / x is nearly equal.
    """
    x = t.limit
    start, length, _ = _sheet(x, t)
    most = np.int64(0)
    for y in range(length):
        most = max(most, y + np.int64(t.z[start + y]))
    line = np.full(most + 1 if length else 0, -1, np.int32)
    for y in range(length):
        line[y + np.int64(t.z[start + y])] = y
    last = np.int32(0)
    for total in range(len(line)):
        if line[total] < 0:
            line[total] = last
        last = line[total]
    return line


@njit(cache=True, nogil=True, boundscheck=False)
def _first_equal(values, wanted, falls):
    """Return the first k with values[k] equal to `wanted`, or to `wanted` - k; -1 for none.

    `falls` selects the second form. Blocks of values of 16 or 32 bits are compared together, so
    that the compiler uses vectors.
    """
    for begin in range(0, len(values), _BLOCK):
        block = values[begin : begin + _BLOCK]
        want = wanted - begin if falls else wanted
        hit = False
        if falls:
            for k in range(len(block)):
                hit |= block[k] + block.dtype.type(k) == block.dtype.type(want)
        else:
            for k in range(len(block)):
                hit |= block[k] == block.dtype.type(want)
        if hit:
            for k in range(len(block)):
                if np.int64(block[k]) == (want - k if falls else want):
                    return begin + k
    return np.int64(-1)


@njit(cache=True, nogil=True, inline="always")
def _second_row(c, b, a, t, line):
    """Return the b' in c .. b - 1 with a P-position (a, b', c) (move M1); -1 for none."""
    start, length, period = _sheet(c, t)
    target, end = a - c, min(b - c, length)
    place = target * t.limit // max(c, 1)
    if place < len(line):
        near = np.int64(line[place]) * c // max(t.limit, 1)
        for y in range(max(near - _NEAR, 0), min(near + _NEAR, end)):
            if np.int64(t.z[start + y]) + y == target:
                return c + y
    for i in range(period):
        y = target - np.int64(t.tail_z[t.tail_offset[c] + i])
        if length <= y < b - c and (y - length) % period == i:
            return c + y
    y = _first_equal(t.z[start : start + end], target, True)
    return c + y if y >= 0 else np.int64(-1)


@njit(cache=True, nogil=True, inline="always")
def _third_row(a, b, c, t):
    """Return the c' < c with a P-position (a, b, c') (move M4); -1 for none."""
    z = a - b
    first = np.int64(t.limit + 1)
    if b < len(t.row_first):
        first = np.int64(t.row_first[b])
        start = t.row_offset[b]
        absent = np.int64(np.iinfo(t.row_z.dtype).max)
        if z < absent:
            last = start + max(min(c, t.limit + 1) - first, 0)
            k = _first_equal(t.row_z[start:last], z, False)
            if k >= 0:
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


@njit(cache=True, nogil=True, inline="always")
def _write(moves, i, x, y, z):
    """Write one child element by element, which compiles much faster than a tuple."""
    moves[i, 0] = x
    moves[i, 1] = y
    moves[i, 2] = z


@njit(cache=True, nogil=True, inline="always")
def _first_winning(x, y, z, t, line, moves, i):
    """Write the first P-position one move from [x, y, z], in the order of the moves, if any.

    Args:
        x: at most `t.limit`, or any if a rectangle closes the table.
        y: any; x + y + z must fit int64.
        z: any.
        t: the arrays of the game.
        line: the result of `_line`, or empty.
        moves: the output array.
        i: the row of the output.
    """
    a, b, c = x + y + z, x + y, x
    if 0 <= t.closed_by < c:
        _write(moves, i, t.closed_by, 0, 0)
        return
    _, length, period = _sheet(c, t)
    if period == 0 and 0 < length <= y:
        _write(moves, i, c, length - 1, 0)
        return
    lower = _z_at(c, y, t)
    if 0 <= lower < z:
        _write(moves, i, c, y, lower)
        return
    if a < len(t.diagonal) and 0 <= t.diagonal[a] < c:
        j = np.int64(t.diagonal[a])
        _write(moves, i, j, 0, a - j)
        return
    second = _second_row(c, b, a, t, line)
    if second >= 0:
        _write(moves, i, c, second - c, a - second)
        return
    third = _third_row(a, b, c, t)
    if third >= 0:
        _write(moves, i, third, b - third, z)


@njit(cache=True, nogil=True)
def winning_moves(coordinates, t, out, moves):
    """Write outcome and first winning child of every row [x, y, z]; children must fit int32."""
    line = _line(t) if len(coordinates) >= _MANY else np.empty(0, np.int32)
    outcomes(coordinates, t, out)
    for i in range(len(coordinates)):
        if out[i] == N:
            x, y, z = coordinates[i, 0], coordinates[i, 1], coordinates[i, 2]
            _first_winning(np.int64(x), np.int64(y), np.int64(z), t, line, moves, i)


_TILE: Final = 32


@njit(cache=True, nogil=True, boundscheck=False)
def fill_rows(offsets, z, period, tail_offset, tail_z, row_offset, row_first, row_z):
    """Copy the sheets into rows, a tile of sheets at a time, so that writes stay in cache lines."""
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
