"""Boards inside a small outer board without compiled kernels: the same tables in plain Python.

Outcomes of 20,000 boards take 0.1 s and values of 10,000 half a second, where loading numba and
compiling the kernels takes seconds.
"""

from collections.abc import Iterator
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import watched
from position_oracle.engine.solvers.boards.shape import Board, Shape

MAX_BOARDS: Final = 20_000
"""Most boards whose outcomes are found here."""
MAX_MOVES: Final = 2**20
"""Most boards times cookies whose values are found here."""

Bite = tuple[int, int]


def outcome_bits(shape: Shape) -> NDArray[np.uint64]:
    """The bits of an `OutcomeTable`.

    When the walk by rank comes to a board, all its children have been met: unless one of them was
    a P-position, and so marked its parents, it is one itself.
    """
    is_n = bytearray(shape.count)
    is_n[0] = 1
    boards = list(inside(shape))
    for number, board in enumerate(watched(boards)):
        if not is_n[number]:
            for parent in parents(shape, board):
                is_n[shape.rank(parent)] = 1
    is_p = np.frombuffer(is_n, np.uint8) == 0
    padded = np.zeros(-(-shape.count // 64) * 64, np.bool_)
    padded[: shape.count] = is_p
    bits = np.packbits(padded, bitorder="little").view("<u8").astype(np.uint64)
    bits.flags.writeable = False
    return bits


def winning_bites(shape: Shape, bits: NDArray[np.uint64], board: Board, turned: bool) -> list[Bite]:
    """The bites, row and column from 1, that leave a P-position; in order, transposed if turned."""
    found = []
    for bite, child in bites(board):
        number = shape.rank(child)
        if child and int(bits[number >> 6]) >> (number & 63) & 1:
            found.append(bite)
    return sorted((column, row) if turned else (row, column) for row, column in found)


def values(shape: Shape, kind: Literal["grundy", "remoteness"]) -> NDArray[np.int64]:
    """Grundy values where the poison cannot be eaten, or remoteness; int64 (count,) by rank.

    The empty board has 0.
    """
    found: dict[Board, int] = {}
    for board in watched(inside(shape), every=16):
        if not board:
            continue
        children = [found[child] for _, child in bites(board) if child]
        found[board] = _mex(children) if kind == "grundy" else _remoteness(children)
    return np.array([0, *found.values()], np.int64)


def inside(shape: Shape) -> Iterator[Board]:
    """The boards inside an outer board by rank: in lexicographic order of their row lengths."""
    rows: list[int] = []
    while True:
        yield tuple(rows)
        if len(rows) < shape.rows:
            rows.append(1)
            continue
        while rows and rows[-1] >= _longest(shape, rows):
            rows.pop()
        if not rows:
            return
        rows[-1] += 1


def bites(board: Board) -> Iterator[tuple[Bite, Board]]:
    """Every bite, row by row from the poison row, left to right, and the board that it leaves."""
    for row, length in enumerate(board):
        for column in range(length):
            above = tuple(min(column, other) for other in board[row:] if column)
            yield (row + 1, column + 1), board[:row] + above


def parents(shape: Shape, board: Board) -> Iterator[Board]:
    """The boards inside an outer board that one bite turns into this one.

    A bite in row i leaves rows of equal length from i on; before it some of them, i first, were
    longer, each up to the row before it.
    """
    padded = [*board, *[0] * (shape.rows - len(board))]
    for start in range(shape.rows):
        if start and padded[start] == padded[start - 1]:
            continue
        yield from _grown(shape, padded, start)


def _grown(shape: Shape, rows: list[int], start: int) -> Iterator[Board]:
    """The boards with row `start` and some rows of its length after it made longer."""
    length = rows[start]
    above = rows[start - 1] if start else shape.columns
    heads: list[list[int]] = [[]]
    for row in range(start, shape.rows):
        if rows[row] != length:
            break
        heads = [
            [*head, grown]
            for head in heads
            for grown in range(length + 1, min(head[-1] if head else above, shape.lengths[row]) + 1)
        ]
        for head in heads:
            yield tuple(n for n in (*rows[:start], *head, *rows[row + 1 :]) if n)


def _longest(shape: Shape, rows: list[int]) -> int:
    own = shape.lengths[len(rows) - 1]
    return min(own, rows[-2]) if len(rows) > 1 else own


def _mex(children: list[int]) -> int:
    reached = set(children)
    value = 0
    while value in reached:
        value += 1
    return value


def _remoteness(children: list[int]) -> int:
    """One more than the least even one, which wins soonest; else than the greatest, 0 for none."""
    wins = [plies for plies in children if plies % 2 == 0]
    return 1 + (min(wins) if wins else max(children, default=-1))
