"""Bounds on numbers of positions, as floats that saturate."""

from collections.abc import Iterable, Sequence
from itertools import product as cells
from math import comb, inf, isfinite
from typing import Final

import numpy as np

LARGEST: Final = 1e300
"""Value of larger products: far above every limit, and still a float when doubled a few times."""

MAX_AREA: Final = 2**22
"""Maximum area (rows times columns) of a board whose inner boards are counted or numbered."""

_MANY_BOARDS: Final = 10**15
"""Number of boards in a box from which on the bound is infinite."""

MAX_CELLS: Final = 4096
"""Maximum number of cells of a box whose boards are counted."""


def product(factors: Iterable[float]) -> float:
    """Return the product of nonnegative numbers, exact below 2^53; at most `LARGEST`.

    `math.prod` of whole numbers has no limit, and may not fit a float.

    >>> product([2**40] * 3), product([2**63] * 17), product([10**400, 3])
    (1.329227995784916e+36, 1e+300, 1e+300)
    """
    total = 1.0
    for factor in factors:
        total = min(total * float(min(factor, LARGEST)), LARGEST)
    return total


def estimate_ideals(board: tuple[int, ...]) -> float:
    """Count the boards inside a board, with the empty one; exact below 2**53.

    Beyond three rows the time is proportional to the number of cookies outside the first row. The
    result is inf if the board spans more than MAX_AREA squares, or contains a rectangle with more
    than 2**53 boards.
    """
    if not board:
        return 1.0
    if len(board) * board[0] > MAX_AREA or _has_many(board):
        return inf
    if len(board) <= 3:
        return float(_inside_three(*board, *(0,) * (3 - len(board))))
    # tails[v]: boards inside the rows so far whose first row has at most v cookies.
    tails = np.ones(1)
    with np.errstate(over="ignore", invalid="ignore"):
        for length in reversed(board[1:]):
            wider = np.full(length + 1, tails[-1])
            wider[: len(tails)] = tails
            tails = np.cumsum(wider)
        count = float(tails.sum() + (board[0] + 1 - len(tails)) * tails[-1])
    return count if isfinite(count) else inf


def _inside_three(a: int, b: int, c: int) -> int:
    """Count the boards inside three rows: the sum of a - j + 1 over rows i <= c and i <= j <= b.

    >>> _inside_three(1, 1, 1), _inside_three(2, 1, 0)
    (4, 5)
    """
    return comb(a + 3, 3) - comb(a - c + 2, 3) - (c + 1) * comb(a - b + 1, 2)


def _has_many(board: tuple[int, ...]) -> bool:
    """Return whether some rectangle inside has more than 2**53 boards, by its binomial number."""
    rows = len(board)
    for height in {rows, (rows + 1) // 2, (rows + 3) // 4, min(rows, 3)}:
        width, count = board[height - 1], 1.0
        for each in range(1, min(height, width) + 1):
            count *= (max(height, width) + each) / each
            if count > 2**53:
                return True
    return False


def boards_in_box(sides: Sequence[int]) -> float:
    """Return an upper bound of the boards of Chomp within a box; infinite if very many.

    P. A. MacMahon, Combinatory Analysis (1916): within a x b x c, boards are plane partitions,
    whose number is the product of (i + j + k - 1) / (i + j + k - 2) over all cells, i, j, k from 1.
    In m layers of boards each lies within the one below: there are at most as many as multisets of
    m boards.

    >>> boards_in_box([4, 4, 4]), boards_in_box([5, 3]), boards_in_box([2, 2, 2, 2])
    (232848.0, 56.0, 210.0)
    """
    largest = sorted((*sides, 1, 1, 1), reverse=True)
    if product(largest) > MAX_CELLS:
        return inf
    above, below = 1, 1
    for i, j, k in cells(*(range(1, side + 1) for side in largest[:3])):
        above *= i + j + k - 1
        below *= i + j + k - 2
        if above > below * _MANY_BOARDS:
            return inf
    boards = above // below
    for layers in largest[3:]:
        boards = comb(boards + layers - 1, layers)
        if boards > _MANY_BOARDS:
            return inf
    return float(boards)
