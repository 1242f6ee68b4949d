"""Chomp boards by plain recursion over tuples of row lengths, poison row first.

It shares nothing with the ranked tables: children come from cutting rows, values from the
definition.
"""

from collections.abc import Iterator
from functools import cache

Board = tuple[int, ...]
Bite = tuple[int, int]


def bites(board: Board) -> Iterator[tuple[Bite, Board]]:
    """Every bite, also of the poison (1, 1), and the board that it leaves."""
    for i, length in enumerate(board):
        for j in range(length):
            cut = board[:i] + tuple(min(other, j) for other in board[i:])
            yield (i + 1, j + 1), tuple(other for other in cut if other)


@cache
def is_p(board: Board) -> bool:
    """The player who moved last wins. The empty board is N: that player has eaten the poison."""
    return bool(board) and not any(is_p(child) for _, child in bites(board))


def winning_bites(board: Board) -> list[Bite]:
    """Return all bites that leave a P-position, in the order of `bites`."""
    return [bite for bite, child in bites(board) if is_p(child)]


def mex(values: set[int]) -> int:
    """The least non-negative integer that is not in the set."""
    return next(value for value in range(len(values) + 1) if value not in values)


@cache
def unrestricted(board: Board) -> int:
    """The Grundy value if the poison may be eaten; 0 for the empty board."""
    return mex({unrestricted(child) for _, child in bites(board)})


@cache
def restricted(board: Board) -> int:
    """The Grundy value if the poison may not be eaten; not for the empty board."""
    return mex({restricted(child) for _, child in bites(board) if child})


@cache
def remoteness(board: Board) -> int:
    """Plies until only the poison is left, if the winner hurries and the loser delays."""
    children = [child for _, child in bites(board) if child]
    lost = [remoteness(child) for child in children if is_p(child)]
    if lost:
        return 1 + min(lost)
    return 1 + max((remoteness(child) for child in children), default=-1)


def boards_inside(rows: int, columns: int) -> list[Board]:
    """All boards inside a box, the empty one first."""
    found: list[Board] = [()]
    for board in found:
        longest = board[-1] if board else columns
        if len(board) < rows:
            found.extend((*board, length) for length in range(1, longest + 1))
    return found


def partitions(number: int, longest: int | None = None) -> Iterator[Board]:
    """All boards of this number of cookies."""
    if number == 0:
        yield ()
    for first in range(1, min(number, longest if longest is not None else number) + 1):
        for rest in partitions(number - first, first):
            yield (first, *rest)
