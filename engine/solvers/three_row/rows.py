"""Rows: how they begin, and how the tail of a finished sheet enters them."""

import numpy as np

from engine.solvers.compiled import bare_kernel
from engine.solvers.three_row.jit import copy_to
from engine.solvers.three_row.memory import (
    BIT_CLASSES,
    H_PERIODIC,
    H_READY,
    H_SLOTS,
    H_TAIL_WORDS,
    H_VALUES,
    TILE,
    Board,
)

__all__ = ["add_tail", "open_rows", "row_place"]

_U0 = np.uint64(0)
_U1 = np.uint64(1)
_U63 = np.uint64(63)


@bare_kernel
def row_place(board: Board, b: int) -> int:
    """Where row b begins: its word w is ``board.rows[place + (w mod word_count) * TILE]``."""
    column = b % board.row_count
    return (column - column % TILE) * board.word_count + column % TILE


@bare_kernel
def _or_shifted(board: Board, chunk: int, slot: int, period: int) -> None:
    """Add one class of tails to the 64 rows from ``chunk`` on: bit z of the class is a = b + z."""
    place = row_place(board, chunk)
    for residue in range(min(period, 64)):
        below = _U0
        row = (chunk + residue) % period
        for word in range(board.head[H_TAIL_WORDS] + 1):
            here = board.tails[slot + row, word]
            if here | below != _U0:
                line = place + (((chunk >> 6) + word) & (board.word_count - 1)) * TILE
                for s in range(residue, 64, period):
                    shift = np.uint64(s)
                    board.rows[line + s] |= (here << shift) | ((below >> _U1) >> (_U63 - shift))
            below = here


@bare_kernel
def _open_chunk(board: Board, chunk: int) -> None:
    place = row_place(board, chunk)
    for word in range(board.word_count):
        for s in range(64):
            board.rows[place + word * TILE + s] = _U0
    line = place + ((chunk >> 6) & (board.word_count - 1)) * TILE
    for s in range(64):
        board.first[chunk % board.row_count + s] = chunk >> 6
        board.rows[line + s] = (_U1 << np.uint64(s)) - _U1  # a >= b
    if chunk == 0:
        board.rows[line] = _U1  # a >= 1: the empty board counts as N
    _or_shifted(board, chunk, 0, 1)
    for period in range(2, BIT_CLASSES + 1):
        if board.slot_of[period] > 0:
            _or_shifted(board, chunk, board.slot_of[period], period)
    for tail in range(board.head[H_PERIODIC]):
        period = board.tail_period[tail]
        if period > BIT_CLASSES or board.slot_of[period] == 0:
            for b in range(chunk, chunk + 64):
                place = board.tail_values[tail] + (b - board.tail_row[tail]) % period
                _use(board, b, b + board.values[place])


@bare_kernel
def open_rows(board: Board, end: int) -> None:
    """Make all rows below ``end`` (a multiple of 64) ready, with the tails of finished sheets.

    Every tail certified so far has begun by then, so a row is known from its tails alone.
    """
    for chunk in range(board.head[H_READY], end, 64):
        _open_chunk(board, chunk)
    board.head[H_READY] = max(board.head[H_READY], end)


@bare_kernel
def _use(board: Board, b: int, a: int) -> bool:
    word = a >> 6
    first = np.int64(board.first[b % board.row_count])
    if word - first >= board.word_count:
        return False
    if word >= first:
        line = row_place(board, b) + (word & (board.word_count - 1)) * TILE
        board.rows[line] |= _U1 << np.uint64(a & 63)
    return True


@bare_kernel
def add_tail(board: Board, z: np.ndarray, start: int, period: int, b: int, c: int) -> bool:
    """Enter the tail ``z[start : start + period]`` (by y) of sheet c into all rows from b on.

    Rows made ready before are marked one by one, later ones get it from ``board.tails``.
    Returns False when the arrays are too small.
    """
    low = high = np.int64(z[start])
    for y in range(start, start + period):
        low = min(low, np.int64(z[y]))
        high = max(high, np.int64(z[y]))
    if (high >> 6) + 2 >= board.word_count:
        return False
    board.head[H_TAIL_WORDS] = max(board.head[H_TAIL_WORDS], (high >> 6) + 1)
    for row in range(b, board.head[H_READY]):
        if not _use(board, row, row + z[start + (row - c - start) % period]):
            return False
    if period == 1:
        board.tails[0, low >> 6] |= _U1 << np.uint64(low & 63)
        return True
    tail = board.head[H_PERIODIC]
    place = board.head[H_VALUES]
    if tail >= board.tail_row.size or place + period > board.values.size:
        return False
    board.head[H_PERIODIC] = tail + 1
    board.head[H_VALUES] = place + period
    board.tail_row[tail] = c + start
    board.tail_period[tail] = period
    board.tail_low[tail] = low
    board.tail_high[tail] = high
    board.tail_values[tail] = place
    copy_to(board.values[place : place + period], z[start:])
    if period > BIT_CLASSES:
        return True
    slot = board.slot_of[period]
    if slot == 0 and board.head[H_SLOTS] + period <= board.tails.shape[0]:
        slot = board.head[H_SLOTS]
        board.slot_of[period] = slot
        board.head[H_SLOTS] = slot + period
        # earlier tails of this period cannot exist: classes are taken in order of first use
    if slot > 0:
        for y in range(start, start + period):
            board.tails[slot + (c + y) % period, z[y] >> 6] |= _U1 << np.uint64(z[y] & 63)
    return True
