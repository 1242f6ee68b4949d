"""Three-row boards by number, with one value for each: Grundy value, remoteness, chance.

The board with row lengths a >= b >= c >= 0, poison row first, has the rank

    a (a + 1) (a + 2) / 6  +  b (b + 1) / 2  +  c,

which is a tetrahedral, a triangular and a plain number. They count the boards with a shorter first
row; with the same first row and a shorter second; and with the same first two rows and a shorter
third. So the boards with a <= n are the ranks below (n + 1) (n + 2) (n + 3) / 6, and a larger table
begins with the smaller one. Rank 0 is the empty board, rank 1 the poison cookie.
"""

from math import comb, isqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.schema.errors import InvalidPositionError

LIMIT_MAX: Final = 1_000_000
"""Longest first row; its ranks, and the intermediate products, fit into int64."""


def board_count(limit: int) -> int:
    """Return the number of boards with a first row of at most `limit`, including the empty board.

    Raises:
        InvalidPositionError: the limit is not in 0 .. `LIMIT_MAX`.
    """
    if not 0 <= limit <= LIMIT_MAX:
        raise InvalidPositionError(f"limit {limit} on the first row is not in 0..{LIMIT_MAX}")
    return comb(limit + 3, 3)


def rank(a: int, b: int, c: int) -> int:
    """Return the number of the board with row lengths a >= b >= c.

    Raises:
        InvalidPositionError: the numbers are not row lengths.
    """
    if not a >= b >= c >= 0:
        raise InvalidPositionError(f"rows of {a}, {b} and {c} cookies are not a board")
    return comb(int(a) + 2, 3) + comb(int(b) + 1, 2) + int(c)


def unrank(number: int) -> tuple[int, int, int]:
    """Return the row lengths of the board with a number.

    Raises:
        InvalidPositionError: the number is negative.
    """
    if number < 0:
        raise InvalidPositionError(f"rank {number} is negative")
    a = _cube_root(6 * number)
    while comb(a + 3, 3) <= number:
        a += 1
    while comb(a + 2, 3) > number:
        a -= 1
    rest = number - comb(a + 2, 3)
    b = (isqrt(8 * rest + 1) - 1) // 2
    return a, b, rest - comb(b + 1, 2)


def boards(first: int, end: int) -> NDArray[np.int32]:
    """Return the row lengths of the boards numbered first .. end - 1; int32, three columns."""
    numbers = np.arange(first, end, dtype=np.int64)
    if not len(numbers):
        return np.zeros((0, 3), np.int32)
    least, most = unrank(first)[0], unrank(end - 1)[0]
    lengths = np.arange(least, most + 2, dtype=np.int64)
    tetrahedral = lengths * (lengths + 1) * (lengths + 2) // 6
    place = np.searchsorted(tetrahedral, numbers, side="right") - 1
    rest = numbers - tetrahedral[place]
    widths = np.arange(most + 2, dtype=np.int64)
    triangular = widths * (widths + 1) // 2
    b = np.searchsorted(triangular, rest, side="right") - 1
    return np.stack((lengths[place], b, rest - triangular[b]), axis=1).astype(np.int32)


def _cube_root(number: int) -> int:
    """Return a whole number near the cube root, as the start of a search."""
    root = round(number ** (1 / 3)) if number < 1 << 1000 else 1 << (number.bit_length() // 3)
    return max(0, root - 2)
