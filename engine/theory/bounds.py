"""Bounds on how many positions there are, as floats that stop growing."""

from collections.abc import Iterable
from math import inf
from typing import Final

import numpy as np

LARGEST: Final = 1e300
"""Products beyond are this: far above every limit, and still a float when doubled a few times."""

MAX_AREA: Final = 2**22
"""Most rows times columns of a board whose boards inside are counted or numbered."""


def product(factors: Iterable[float]) -> float:
    """The product of numbers that are not negative, exact below 2^53; at most `LARGEST`.

    `math.prod` of whole numbers has no limit, and may not fit a float.

    >>> product([2**40] * 3), product([2**63] * 17), product([10**400, 3])
    (1.329227995784916e+36, 1e+300, 1e+300)
    """
    total = 1.0
    for factor in factors:
        total = min(total * float(min(factor, LARGEST)), LARGEST)
    return total


def estimate_ideals(board: tuple[int, ...]) -> float:
    """Number of boards inside a board, the empty one included; exact below 2**53.

    Time in proportion to the cookies below the first row; inf where the board spans more than
    MAX_AREA squares.
    """
    if not board:
        return 1.0
    if len(board) * board[0] > MAX_AREA:
        return inf
    # tails[v]: boards inside the rows so far whose first row has at most v cookies.
    tails = np.ones(1)
    with np.errstate(over="ignore"):
        for length in reversed(board[1:]):
            wider = np.full(length + 1, tails[-1])
            wider[: len(tails)] = tails
            tails = np.cumsum(wider)
        return float(tails.sum() + (board[0] + 1 - len(tails)) * tails[-1])
