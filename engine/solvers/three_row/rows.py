"""Rows: their beginning, and the tails of finished sheets in them."""

import numpy as np

from position_oracle.engine.solvers.compiled import bare_kernel
from position_oracle.engine.solvers.three_row.memory import CHUNK, COMMON_PERIOD, Shared

_U0 = np.uint64(0)
_U1 = np.uint64(1)
_U63 = np.uint64(63)


@bare_kernel
def copy_to(target: np.ndarray, source: np.ndarray) -> None:
    """Copy ``source`` to ``target`` without the copy that slice assignment may allocate."""
    for i in range(np.uint64(target.size)):
        target[i] = source[i]


@bare_kernel
def _or_tails(shared: Shared, chunk: int) -> None:
    """Add the tails kept as bit sets to the rows from ``chunk`` on: bit z of a set is a = b + z."""
    place = chunk % shared.row_count
    for residue in range(COMMON_PERIOD):
        below = _U0
        row = (chunk + residue) % COMMON_PERIOD
        for word in range(shared.head[0].tail_words + 1):
            here = shared.tails[row, word]
            if here | below != _U0:
                line = place + (((chunk >> 6) + word) & (shared.word_count - 1)) * shared.row_count
                for s in range(residue, CHUNK, COMMON_PERIOD):
                    shift = np.uint64(s)
                    shared.rows[line + s] |= (here << shift) | ((below >> _U1) >> (_U63 - shift))
            below = here


@bare_kernel
def open_rows(shared: Shared) -> None:
    """Make the next rows ready, with the tails of finished sheets.

    Every certified tail has begun before these rows, so their contents follow from the tails.
    """
    chunk = shared.head[0].ready
    place = chunk % shared.row_count
    for word in range(shared.word_count):
        for s in range(CHUNK):
            shared.rows[word * shared.row_count + place + s] = _U0
    line = place + ((chunk >> 6) & (shared.word_count - 1)) * shared.row_count
    for s in range(CHUNK):
        shared.first[place + s] = chunk >> 6
        shared.rows[line + s] = (_U1 << np.uint64(s)) - _U1  # a >= b
    if chunk == 0:
        shared.rows[line] = _U1  # a >= 1: the empty board counts as N
    _or_tails(shared, chunk)
    for tail in range(shared.head[0].periodic):
        period = shared.tail_period[tail]
        if COMMON_PERIOD % period != 0:
            for b in range(chunk, chunk + CHUNK):
                value = shared.tail_values[tail] + (b - shared.tail_row[tail]) % period
                _use(shared, b, b + shared.values[value])
    shared.head[0].ready = chunk + CHUNK


@bare_kernel
def _use(shared: Shared, b: int, a: int) -> bool:
    row, word = b % shared.row_count, a >> 6
    first = np.int64(shared.first[row])
    if word - first >= shared.word_count:
        return False
    if word >= first:
        line = row + (word & (shared.word_count - 1)) * shared.row_count
        shared.rows[line] |= _U1 << np.uint64(a & 63)
    return True


@bare_kernel
def add_tail(shared: Shared, z: np.ndarray, start: int, period: int, b: int, c: int) -> bool:
    """Add the tail ``z[start : start + period]`` (by y) of sheet c to all rows from b on.

    Prepared rows are marked one by one; later rows get the tail from ``shared.tails`` if the period
    divides COMMON_PERIOD, else from ``shared.values``. The result is False if the arrays are too
    small.
    """
    low = high = np.int64(z[start])
    for y in range(start, start + period):
        low = min(low, np.int64(z[y]))
        high = max(high, np.int64(z[y]))
    if (high >> 6) + 2 >= shared.word_count:
        return False
    shared.head[0].tail_words = max(shared.head[0].tail_words, (high >> 6) + 1)
    for row in range(b, shared.head[0].ready):
        if not _use(shared, row, row + z[start + (row - c - start) % period]):
            return False
    if COMMON_PERIOD % period == 0:
        for y in range(start, start + COMMON_PERIOD):
            value = z[start + (y - start) % period]
            shared.tails[(c + y) % COMMON_PERIOD, value >> 6] |= _U1 << np.uint64(value & 63)
    if period == 1:
        return True
    tail = shared.head[0].periodic
    place = shared.head[0].tail_values
    if tail >= shared.tail_row.size or place + period > shared.values.size:
        return False
    shared.head[0].periodic = tail + 1
    shared.head[0].tail_values = place + period
    shared.tail_row[tail] = c + start
    shared.tail_period[tail] = period
    shared.tail_low[tail] = low
    shared.tail_high[tail] = high
    shared.tail_values[tail] = place
    copy_to(shared.values[place : place + period], z[start:])
    return True
