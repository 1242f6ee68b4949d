"""Three-row boards by number, and one value for each: Grundy value, remoteness, chance.

The board with row lengths a >= b >= c >= 0, poison row first, has the rank

    a (a + 1) (a + 2) / 6  +  b (b + 1) / 2  +  c,

a tetrahedral, a triangular and a plain number: how many boards have a shorter first row, how many
the same first row and a shorter second, how many the same first two rows and a shorter third. So
the boards with a <= n are the ranks below (n + 1) (n + 2) (n + 3) / 6, and a larger table begins
with the smaller one. Rank 0 is the empty board, rank 1 the poison cookie.
"""

from dataclasses import dataclass, field
from math import comb, isqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from schema.errors import InvalidPositionError, UnknownAnswerError

LIMIT_MAX: Final = 1_000_000
"""Longest first row: ranks and what leads to them fit into int64."""

Rows = NDArray[np.integer[Any]]


def board_count(limit: int) -> int:
    """How many boards have a first row of at most `limit`, the empty board included.

    Raises:
        InvalidPositionError: the limit is not in 0 .. `LIMIT_MAX`.
    """
    if not 0 <= limit <= LIMIT_MAX:
        raise InvalidPositionError(f"limit {limit} on the first row is not in 0..{LIMIT_MAX}")
    return comb(limit + 3, 3)


def rank(a: int, b: int, c: int) -> int:
    """The number of the board with row lengths a >= b >= c.

    Raises:
        InvalidPositionError: these are no row lengths.
    """
    if not a >= b >= c >= 0:
        raise InvalidPositionError(f"rows of {a}, {b} and {c} cookies are no board")
    return comb(int(a) + 2, 3) + comb(int(b) + 1, 2) + int(c)


def unrank(number: int) -> tuple[int, int, int]:
    """The row lengths of the board with a number.

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


def ranks(rows: Rows, limit: int) -> NDArray[np.int64]:
    """The numbers of many boards.

    Args:
        rows: shape (n, 3), any integer type: row lengths a >= b >= c of a board in each row.
        limit: longest first row of the table that is asked.

    Returns:
        int64, shape (n,).

    Raises:
        InvalidPositionError: another shape or type, or no row lengths.
        UnknownAnswerError: a first row longer than `limit`.
    """
    rows = np.asarray(rows)
    if rows.ndim != 2 or rows.shape[1] != 3 or rows.dtype.kind not in "iu":
        raise InvalidPositionError(
            f"row lengths are integers of shape (n, 3), not {rows.dtype} {rows.shape}"
        )
    a, b, c = rows.T
    wrong = np.flatnonzero((a < b) | (b < c) | (c < 0))
    if wrong.size:
        first = rows[wrong[0]].tolist()
        raise InvalidPositionError(f"row {wrong[0]}: {first} are no row lengths")
    beyond = np.flatnonzero(a > limit)
    if beyond.size:
        raise UnknownAnswerError(
            f"row {beyond[0]} has a first row of {a[beyond[0]]}; the table ends at {limit}"
        )
    a, b, c = rows.astype(np.int64).T
    return np.asarray(a * (a + 1) * (a + 2) // 6 + b * (b + 1) // 2 + c)


def boards(first: int, end: int) -> NDArray[np.int32]:
    """The row lengths of the boards numbered first .. end - 1; int32, shape (end - first, 3)."""
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


@dataclass(frozen=True, slots=True)
class ValueTable:
    """One value for each three-row board with a first row of at most `limit`.

    Attributes:
        limit: longest first row.
        values: shape (board_count(limit),), any type: values by rank.
    """

    limit: int
    values: NDArray[Any] = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse an array of another size."""
        if self.values.shape != (board_count(self.limit),):
            raise ValueError(
                f"values up to a first row of {self.limit} are ({board_count(self.limit)},),"
                f" not {self.values.shape}"
            )

    def at(self, a: int, b: int, c: int) -> Any:
        """The value of the board with row lengths a >= b >= c, as a Python number.

        Raises:
            InvalidPositionError: these are no row lengths.
            UnknownAnswerError: the first row is longer than the limit.
        """
        number = rank(a, b, c)
        if a > self.limit:
            raise UnknownAnswerError(f"a first row of {a} is beyond the table of {self.limit}")
        return self.values[number].item()

    def at_all(self, rows: Rows) -> NDArray[Any]:
        """The values of many boards, given as `ranks` takes them; shape (n,).

        Raises:
            InvalidPositionError, UnknownAnswerError: see `ranks`.
        """
        return self.values[ranks(rows, self.limit)]


def _cube_root(number: int) -> int:
    """A whole number near the cube root; exact enough to begin a search from."""
    root = round(number ** (1 / 3)) if number < 1 << 1000 else 1 << (number.bit_length() // 3)
    return max(0, root - 2)
