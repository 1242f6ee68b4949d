"""What the solvers return: one number for each position, and look-ups by position."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.grundy3.layout import NO_VALUE, position_count, rank, ranks

Positions = NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class GrundyTable:
    """Grundy values of all three-row Chomp positions with a first row of at most `limit`.

    The restricted convention forbids eating the poison cookie, so that the value is 0 exactly at
    the P-positions and the empty board has none. In the unrestricted one every bite is allowed: the
    empty board is 0 and the poison 1, and P-positions are exactly those of value 1 (Huddleston &
    Shurman, Transfinite Chomp, sections 3 and 4).

    The unrestricted value U(X) of any other finite position X is its restricted value R(X) plus
    one: the empty board, of value 0, is a child of X, and by induction on the number of cookies the
    remaining children have the values R + 1, so

        U(X) = mex({0} | {R(Y) + 1 : Y a nonempty child}) = 1 + mex{R(Y)} = 1 + R(X).

    Attributes:
        limit: longest first row.
        values: uint16, shape (position_count(limit),), read-only: restricted values by rank
            (``layout``). The empty board, rank 0, has ``NO_VALUE`` = 65535, so that the
            unrestricted values are ``values + 1`` throughout, in uint16.
    """

    limit: int
    values: NDArray[np.uint16] = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        _check(self.limit, self.values)

    def value(self, x: int, y: int, z: int) -> int | None:
        """Restricted Grundy value of [x, y, z]: 0 exactly at P-positions, None if it is empty.

        Raises:
            InvalidPositionError: a coordinate is negative.
            UnknownAnswerError: x + y + z is greater than the limit.
        """
        found = int(self.values[rank(x, y, z, self.limit)])
        return None if found == NO_VALUE else found

    def value_unrestricted(self, x: int, y: int, z: int) -> int:
        """Unrestricted Grundy value of [x, y, z]: 1 exactly at P-positions, 0 if it is empty.

        Raises:
            InvalidPositionError: a coordinate is negative.
            UnknownAnswerError: x + y + z is greater than the limit.
        """
        found = self.value(x, y, z)
        return 0 if found is None else found + 1

    def values_at(self, positions: Positions) -> NDArray[np.uint16]:
        """Restricted Grundy values of many positions.

        Args:
            positions: Shape (n, 3), any integer type: x, y, z in each row.

        Returns:
            Shape (n,), uint16; ``NO_VALUE`` for the empty board. One more, in uint16, is the
            unrestricted value.

        Raises:
            InvalidPositionError: another shape or type, or a negative coordinate.
            UnknownAnswerError: a first row longer than the limit.
        """
        return self.values[ranks(positions, self.limit)]


@dataclass(frozen=True, slots=True)
class RemotenessTable:
    """Remoteness of all three-row Chomp positions with a first row of at most `limit`.

    Remoteness is the number of plies until only the poison cookie is left, when the winner hurries
    and the loser delays: 0 at [0, 0, 1], one more than the least of its P-children at an
    N-position, one more than the greatest of its children at a P-position. It is even exactly at
    P-positions. With the bite of the poison counted as well it is greater by one, and odd there.

    Attributes:
        limit: longest first row.
        values: uint16, shape (position_count(limit),), read-only, by rank (``layout``). The empty
            board, rank 0, has ``NO_VALUE`` = 65535, so that ``values + 1``, in uint16, counts the
            bite of the poison throughout, with 0 for the empty board.
    """

    limit: int
    values: NDArray[np.uint16] = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        _check(self.limit, self.values)

    def remoteness(self, x: int, y: int, z: int) -> int | None:
        """Plies from [x, y, z] until only the poison is left; None for the empty board.

        Raises:
            InvalidPositionError: a coordinate is negative.
            UnknownAnswerError: x + y + z is greater than the limit.
        """
        found = int(self.values[rank(x, y, z, self.limit)])
        return None if found == NO_VALUE else found

    def values_at(self, positions: Positions) -> NDArray[np.uint16]:
        """Remoteness of many positions.

        Args:
            positions: Shape (n, 3), any integer type: x, y, z in each row.

        Returns:
            Shape (n,), uint16; ``NO_VALUE`` for the empty board.

        Raises:
            InvalidPositionError: another shape or type, or a negative coordinate.
            UnknownAnswerError: a first row longer than the limit.
        """
        return self.values[ranks(positions, self.limit)]


def _check(limit: int, values: NDArray[np.uint16]) -> None:
    count = position_count(limit)
    if values.dtype != np.uint16 or values.shape != (count,):
        raise ValueError(
            f"values up to a first row of {limit} are uint16 ({count},),"
            f" not {values.dtype} {values.shape}"
        )
