"""Rows: their beginning, and the tails of finished sheets in them."""

import numpy as np

from position_oracle.engine.solvers.compiled import bare_kernel
from position_oracle.engine.solvers.three_row.memory import BIT_CLASSES, TILE, Shared

_U0 = np.uint64(0)
_U1 = np.uint64(1)
_U63 = np.uint64(63)


@bare_kernel
def copy_to(target: np.ndarray, source: np.ndarray) -> None:
    """Copy ``source`` to ``target`` without the copy that slice assignment may allocate."""
    for i in range(np.uint64(target.size)):
        target[i] = source[i]


@bare_kernel
def row_place(shared: Shared, b: int) -> int:
    """Return the start of row b: word w is ``shared.rows[place + (w mod word_count) * TILE]``."""
    column = b % shared.row_count
    return (column - column % TILE) * shared.word_count + column % TILE


@bare_kernel
def _or_shifted(shared: Shared, chunk: int, slot: int, period: int) -> None:
    """Add one class of tails to the 64 rows from ``chunk`` on: bit z means the value a = b + z."""
    place = row_place(shared, chunk)
    for residue in range(min(period, 64)):
        below = _U0
        row = (chunk + residue) % period
        for word in range(shared.head[0].tail_words + 1):
            here = shared.tails[slot + row, word]
            if here | below != _U0:
                line = place + (((chunk >> 6) + word) & (shared.word_count - 1)) * TILE
                for s in range(residue, 64, period):
                    shift = np.uint64(s)
                    shared.rows[line + s] |= (here << shift) | ((below >> _U1) >> (_U63 - shift))
            below = here


@bare_kernel
def _open_chunk(shared: Shared, chunk: int) -> None:
    place = row_place(shared, chunk)
    for word in range(shared.word_count):
        for s in range(64):
            shared.rows[place + word * TILE + s] = _U0
    line = place + ((chunk >> 6) & (shared.word_count - 1)) * TILE
    for s in range(64):
        shared.first[chunk % shared.row_count + s] = chunk >> 6
        shared.rows[line + s] = (_U1 << np.uint64(s)) - _U1  # a >= b
    if chunk == 0:
        shared.rows[line] = _U1  # a >= 1: the empty shared counts as N
    _or_shifted(shared, chunk, 0, 1)
    for period in range(2, BIT_CLASSES + 1):
        if shared.slot_of[period] > 0:
            _or_shifted(shared, chunk, shared.slot_of[period], period)
    for tail in range(shared.head[0].periodic):
        period = shared.tail_period[tail]
        if period > BIT_CLASSES or shared.slot_of[period] == 0:
            for b in range(chunk, chunk + 64):
                place = shared.tail_values[tail] + (b - shared.tail_row[tail]) % period
                _use(shared, b, b + shared.values[place])


@bare_kernel
def open_rows(shared: Shared, end: int) -> None:
    """Prepare all rows below ``end`` (a multiple of 64), with the tails of finished sheets.

    Every certified tail has begun before these rows, so their contents follow from the tails.
    """
    for chunk in range(shared.head[0].ready, end, 64):
        _open_chunk(shared, chunk)
    shared.head[0].ready = max(shared.head[0].ready, end)


@bare_kernel
def _use(shared: Shared, b: int, a: int) -> bool:
    word = a >> 6
    first = np.int64(shared.first[b % shared.row_count])
    if word - first >= shared.word_count:
        return False
    if word >= first:
        line = row_place(shared, b) + (word & (shared.word_count - 1)) * TILE
        shared.rows[line] |= _U1 << np.uint64(a & 63)
    return True


@bare_kernel
def add_tail(shared: Shared, z: np.ndarray, start: int, period: int, b: int, c: int) -> bool:
    """Add the tail ``z[start : start + period]`` (by y) of sheet c to all rows from b on.

    Prepared rows are marked one by one; later rows get the tail from ``shared.tails``. The result
    is False if the arrays are too small.
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
    if period == 1:
        shared.tails[0, low >> 6] |= _U1 << np.uint64(low & 63)
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
    if period > BIT_CLASSES:
        return True
    slot = shared.slot_of[period]
    if slot == 0 and shared.head[0].slots + period <= shared.tails.shape[0]:
        slot = shared.head[0].slots
        shared.slot_of[period] = slot
        shared.head[0].slots = slot + period
        # earlier tails of this period cannot exist: classes are taken in order of first use
    if slot > 0:
        for y in range(start, start + period):
            shared.tails[slot + (c + y) % period, z[y] >> 6] |= _U1 << np.uint64(z[y] & 63)
    return True
