"""Finite positions: conversion to Chomp boards, and exhaustive search of small ones.

A Chomp board by row lengths, poison row first (`chomp:9/7/4`), is the two-dimensional position in
which row r holds the cookies (0, r), ..., (length - 1, r).
"""

from collections.abc import Iterator, Sequence

from position_oracle.engine.budget import current
from position_oracle.engine.theory.boxes import few_points, inside
from position_oracle.engine.theory.transfinite.position import OrdinalPosition
from position_oracle.schema.errors import InvalidPositionError, ResourceLimitError

MAX_CELLS = 48
"""Maximum number of cookies of a position that is searched."""
MAX_STATES = 60_000
"""Maximum number of positions that one search may visit."""

Point = tuple[int, ...]


def from_rows(rows: Sequence[int]) -> OrdinalPosition:
    """Return the position of a Chomp board given by its row lengths, poison row first."""
    return OrdinalPosition.union((length, row + 1) for row, length in enumerate(rows))


def to_rows(position: OrdinalPosition) -> tuple[int, ...]:
    """Return the row lengths, poison row first, of a finite position of one or two dimensions.

    Raises:
        InvalidPositionError: if the position is infinite or has more dimensions.
    """
    if position.dimension > 2 or not position.is_finite:
        raise InvalidPositionError(f"{position} is not a finite board of one or two dimensions")
    if position.dimension < 2:
        return tuple(int(box[0]) for box in position.boxes)
    boxes = finite_boxes(position)
    height = max((b for _, b in boxes), default=0)
    return tuple(max(a for a, b in boxes if b > row) for row in range(height))


def finite_boxes(position: OrdinalPosition) -> list[Point]:
    """Return the boxes of a finite position with sides as integers."""
    return [tuple(map(int, box)) for box in position.boxes]


def few_cells(position: OrdinalPosition) -> list[Point] | None:
    """Return the cookies of a position, descending; None if there are more than `MAX_CELLS`."""
    cells = few_points(finite_boxes(position), MAX_CELLS) if position.is_finite else None
    return cells and cells[::-1]


class FiniteSearch:
    """Exhaustive search within a small finite position; positions are bit masks of its cookies.

    It recurses at most `MAX_CELLS` deep, as every bite eats a cookie.
    """

    __slots__ = ("_cells", "_outcomes", "_up", "whole")

    def __init__(self, position: OrdinalPosition) -> None:
        """Prepare to search the subpositions of a position that `few_cells` lists."""
        # Large coordinates first, so that small bites are tried first.
        self._cells = few_cells(position) or []
        self._up = [
            sum(1 << j for j, other in enumerate(self._cells) if inside(cell, other))
            for cell in self._cells
        ]
        self._outcomes: dict[int, bool] = {0: False}
        self.whole = (1 << len(self._cells)) - 1

    def mask(self, position: OrdinalPosition) -> int:
        """Return the cookies of a subposition as bits."""
        return sum(1 << i for i, cell in enumerate(self._cells) if cell in position)

    def is_p(self, mask: int) -> bool:
        """Return whether the previous player wins; the empty position is N.

        Raises:
            ResourceLimitError: if more than `MAX_STATES` positions were visited.
        """
        known = self._outcomes.get(mask)
        if known is None:
            current().check()
            if len(self._outcomes) > MAX_STATES:
                raise ResourceLimitError(f"the search has met {MAX_STATES} positions and gives up")
            known = not any(self.is_p(left) for _, left in self._bites(mask))
            self._outcomes[mask] = known
        return known

    def winning_bite(self, mask: int) -> Point | None:
        """Return a bite to a P-position, or None if there is none."""
        return next((at for at, left in self._bites(mask) if self.is_p(left)), None)

    def _bites(self, mask: int) -> Iterator[tuple[Point, int]]:
        for i, cell in enumerate(self._cells):
            if mask >> i & 1:
                yield cell, mask & ~self._up[i]
