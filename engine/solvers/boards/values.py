"""Grundy values and remoteness of every board inside a box or another outer board."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.boards import small
from position_oracle.engine.solvers.boards.shape import Shape, check_board
from position_oracle.engine.solvers.steps import Progress, steps
from position_oracle.schema.errors import ResourceLimitError

ValueArray = NDArray[np.unsignedinteger[Any]]

MAX_WORK: Final = 2**31
"""Default limit on boards times cookies of the outer board, which bounds the children looked at."""

_STEP: Final = 2**21
"""Children looked at between two looks at the budget, about."""

MAX_COOKIES: Final = 2**16
"""Most cookies of an outer board: the values of its boards fit into 16 bits."""


@dataclass(frozen=True, slots=True)
class GrundyTable:
    """Grundy values of all boards inside an outer board.

    Attributes:
        shape: the outer board and the numbering of the boards inside it.
        values: uint8 array (count,), uint16 if the outer board has more than 256 cookies: by rank,
            the value where the poison cookie cannot be eaten. The empty board (rank 0) has no such
            value; its entry is 0.
    """

    shape: Shape
    values: ValueArray = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        _check_values(self.shape, self.values)

    def restricted(self, lengths: Iterable[int]) -> int | None:
        """Grundy value where the poison cannot be eaten: 0 exactly at P-positions.

        The last cookie is 0; None for the empty board, which no play arrives at.

        Raises:
            InvalidPositionError: the lengths are no board.
            UnknownAnswerError: the board fits neither as it stands nor transposed.
        """
        board, _ = self.shape.orient(check_board(lengths))
        return int(self.values[self.shape.rank(board)]) if board else None

    def unrestricted(self, lengths: Iterable[int]) -> int:
        """Grundy value where the poison may be eaten: 1 exactly at P-positions.

        The empty board is 0. Every other board is one more than its restricted value: a further
        child of value 0 shifts all others up by one (Huddleston & Shurman, Transfinite Chomp,
        section 4).

        Raises:
            InvalidPositionError: the lengths are no board.
            UnknownAnswerError: the board fits neither as it stands nor transposed.
        """
        value = self.restricted(lengths)
        return 0 if value is None else value + 1


@dataclass(frozen=True, slots=True)
class RemotenessTable:
    """Remoteness of all boards inside an outer board.

    Attributes:
        shape: the outer board and the numbering of the boards inside it.
        values: uint8 array (count,), uint16 if the outer board has more than 256 cookies: by rank,
            the plies until only the poison is left. Even exactly at P-positions. The empty board
            (rank 0) has none; its entry is 0.
    """

    shape: Shape
    values: ValueArray = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        _check_values(self.shape, self.values)

    def remoteness(self, lengths: Iterable[int]) -> int | None:
        """Plies until nothing can be moved without eating the poison; the last cookie is 0.

        The winner hurries, the loser delays. None for the empty board.

        Raises:
            InvalidPositionError: the lengths are no board.
            UnknownAnswerError: the board fits neither as it stands nor transposed.
        """
        board, _ = self.shape.orient(check_board(lengths))
        return int(self.values[self.shape.rank(board)]) if board else None


def solve_grundy(
    shape: Shape,
    *,
    max_work: int = MAX_WORK,
    progress: Progress | None = None,
) -> GrundyTable:
    """Grundy values of all boards inside an outer board.

    Raises:
        ResourceLimitError: boards times cookies of the outer board exceed `max_work`.
        StoppedError: the current budget is spent.
    """
    return GrundyTable(shape, _fill("grundy", shape, max_work, progress))


def solve_remoteness(
    shape: Shape,
    *,
    max_work: int = MAX_WORK,
    progress: Progress | None = None,
) -> RemotenessTable:
    """Remoteness of all boards inside an outer board.

    Raises:
        ResourceLimitError: boards times cookies of the outer board exceed `max_work`.
        StoppedError: the current budget is spent.
    """
    return RemotenessTable(shape, _fill("remoteness", shape, max_work, progress))


def _fill(
    kind: Literal["grundy", "remoteness"],
    shape: Shape,
    max_work: int,
    progress: Progress | None,
) -> ValueArray:
    cookies = sum(shape.lengths)
    if cookies > MAX_COOKIES:
        raise ResourceLimitError(
            f"values inside {shape.name}: {cookies} cookies; the limit is {MAX_COOKIES}"
        )
    if shape.count * cookies > max_work:
        raise ResourceLimitError(
            f"values inside {shape.name}: {shape.count} boards of up to {cookies} cookies,"
            f" {shape.count * cookies} look-ups; the limit is {max_work}"
        )
    if shape.count * cookies <= small.MAX_MOVES:
        found: ValueArray = small.values(shape, kind).astype(_dtype(shape))
        found.flags.writeable = False
        if progress is not None:
            progress(shape.count, shape.count)
        return found
    from position_oracle.engine.solvers.boards import kernels

    kernel = kernels.fill_grundy if kind == "grundy" else kernels.fill_remoteness
    values = np.zeros(shape.count, _dtype(shape))
    for first, last in steps(1, shape.count, _STEP // cookies, progress):
        kernel(shape.weights, shape.limits, values, first, last)
    values.flags.writeable = False
    return values


def _dtype(shape: Shape) -> type[np.unsignedinteger[Any]]:
    """A board of c cookies has c - 1 children but the empty one, so its values are below c."""
    return np.uint8 if sum(shape.lengths) <= 256 else np.uint16


def _check_values(shape: Shape, values: ValueArray) -> None:
    if values.dtype != _dtype(shape) or values.shape != (shape.count,):
        raise ValueError(
            f"values inside {shape.name} are {_dtype(shape).__name__} ({shape.count},),"
            f" not {values.dtype} {values.shape}"
        )
