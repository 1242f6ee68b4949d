"""The order in which tables hold three-row positions: by first row, then second, then third.

The position with row lengths a >= b >= c, poison row first, has the rank

    a (a + 1) (a + 2) / 6  +  b (b + 1) / 2  +  c,

a tetrahedral, a triangular and a plain number: how many positions have a shorter first row, how
many the same first row and a shorter second, how many the same first two rows and a shorter third.
So the positions with a <= n are the ranks below (n + 1) (n + 2) (n + 3) / 6, and a larger table
begins with the smaller one. Rank 0 is the empty board, rank 1 the poison cookie.
"""

from operator import index
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.schema.errors import InvalidPositionError, UnknownAnswerError

LIMIT_MAX: Final = 21_845
"""Longest first row: all values are at most a + b + c <= 3 * 21845 = 2^16 - 1."""

NO_VALUE: Final = 0xFFFF
"""Entry of the empty board: -1 as uint16, so that ``values + 1`` counts from the empty board."""


def position_count(limit: int) -> int:
    """How many positions have a first row of at most `limit`, the empty board included.

    Raises:
        InvalidPositionError: the limit is not in 0..21845.
    """
    check_limit(limit)
    return _tetrahedral(limit + 1)


def check_limit(limit: int) -> None:
    """Raise InvalidPositionError unless the longest first row is in 0..21845."""
    if not 0 <= limit <= LIMIT_MAX:
        raise InvalidPositionError(f"limit {limit} on the first row is not in 0..{LIMIT_MAX}")


def rank(x: int, y: int, z: int, limit: int) -> int:
    """Place of the position [x, y, z] in every table that reaches it.

    Args:
        x: Columns of height 3.
        y: Columns of height 2.
        z: Columns of height 1.
        limit: Longest first row of the table.

    Raises:
        InvalidPositionError: a coordinate is negative.
        UnknownAnswerError: the first row, x + y + z, is longer than `limit`.
    """
    x, y, z = index(x), index(y), index(z)  # numpy's integers would overflow
    if min(x, y, z) < 0:
        raise InvalidPositionError(f"[{x}, {y}, {z}] has a negative coordinate")
    if x + y + z > limit:
        raise UnknownAnswerError(
            f"[{x}, {y}, {z}] has a first row of {x + y + z}; the table ends at {limit}"
        )
    second = x + y
    return _tetrahedral(second + z) + second * (second + 1) // 2 + x


def ranks(positions: NDArray[np.integer[Any]], limit: int) -> NDArray[np.int64]:
    """Places of many positions.

    Args:
        positions: Shape (n, 3), any integer type: x, y, z of a position in each row.
        limit: Longest first row of the table.

    Returns:
        Shape (n,), int64.

    Raises:
        InvalidPositionError: another shape or type, or a negative coordinate.
        UnknownAnswerError: a first row longer than `limit`.
    """
    positions = np.asarray(positions)
    if positions.ndim != 2 or positions.shape[1] != 3 or positions.dtype.kind not in "iu":
        raise InvalidPositionError(
            f"positions are integers of shape (n, 3), not {positions.dtype} {positions.shape}"
        )
    # A coordinate above the limit is caught before the sum of three could overflow.
    outside = np.any((positions < 0) | (positions > limit), axis=1)
    x, y, z = np.where(outside[:, None], 0, positions).astype(np.int64).T
    outside |= x + y + z > limit
    if outside.any():
        bad_x, bad_y, bad_z = positions[int(outside.argmax())].tolist()
        rank(bad_x, bad_y, bad_z, limit)
    first, second = x + y + z, x + y
    return np.asarray(first * (first + 1) * (first + 2) // 6 + second * (second + 1) // 2 + x)


def _tetrahedral(number: int) -> int:
    return number * (number + 1) * (number + 2) // 6
