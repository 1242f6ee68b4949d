"""Grids of ordinals: all two-wide, three-wide and 2 x 2 positions with coordinates in them.

Each position is a row of the table `transfinite_position` with its outcome. Ordinals are stored as
text and, for sorting in SQL, as keys whose binary order is the order of ordinals.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import comb
from operator import ge
from typing import Any, Self

from position_oracle.engine.jobs.limits import numbers_of
from position_oracle.engine.theory.supermex import loser_sheets
from position_oracle.engine.theory.transfinite import three_wide, two_by_two, two_wide
from position_oracle.engine.theory.transfinite.decision import Decision
from position_oracle.engine.theory.transfinite.ordinal import ZERO, Ordinal
from position_oracle.engine.theory.transfinite.ordinal_text import (
    format_ordinal,
    parse_ordinal,
    sort_key,
)
from position_oracle.engine.theory.transfinite.position import OrdinalPosition
from position_oracle.engine.theory.transfinite.size import size
from position_oracle.schema.answers import Outcome

Row = dict[str, Any]
"""A row of the table by column."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The ordinals whose exponents are given, with coefficients up to `coefficient`."""

    exponents: tuple[Ordinal, ...]
    coefficient: int

    def ordinals(self) -> list[Ordinal]:
        """Return the nonzero ordinals of the grid, ascending."""
        exponents = sorted(set(self.exponents), reverse=True)
        choices = product(range(self.coefficient + 1), repeat=len(exponents))
        return [
            Ordinal(tuple((e, c) for e, c in zip(exponents, choice, strict=True) if c))
            for choice in choices
            if any(choice)
        ]

    def __len__(self) -> int:
        return int((self.coefficient + 1) ** len(set(self.exponents))) - 1


@dataclass(frozen=True, slots=True)
class FragmentPlan:
    """The grids of the three kinds."""

    two_wide: Grid
    three_wide: Grid
    two_by_two: Grid

    @classmethod
    def of(cls, limit: str) -> Self:
        """Return the grids of a canonical limit: the largest coefficients, e.g. `2x3x2`."""
        two, three, square = numbers_of(limit)
        levels = tuple(map(parse_ordinal, ("w+1", "w", "2", "1", "0")))
        return cls(Grid(levels, two), Grid(levels[2:], three), Grid(levels[2:], square))

    def __len__(self) -> int:
        """Return the number of rows; no position is counted twice."""
        two, three, square = len(self.two_wide), len(self.three_wide), len(self.two_by_two)
        blocks = comb(square + 3, 4) + comb(square + 2, 3)
        return comb(two + 1, 2) + comb(three + 2, 3) + blocks


def fragment_rows(plan: FragmentPlan) -> Iterator[Row]:
    """Yield the rows of a plan, ascending: two-wide (k >= 1), three-wide (x >= 1), 2 x 2 (y >= 1).

    The columns have heights h, k; u, v, x; or u, v, y, z of [v z; u y] with v >= y.
    """
    texts = _Texts()
    for h, k in _descending(plan.two_wide.ordinals(), 2):
        yield texts.row("two_wide", OrdinalPosition.columns(h, k), (h, k), two_wide.verdict(h, k))
    for u, v, x in _descending(plan.three_wide.ordinals(), 3):
        found = three_wide.verdict(u, v, x, loser_sheets())
        yield texts.row("three_wide", OrdinalPosition.columns(u, v, x), (u, v, x), found)
    square = plan.two_by_two.ordinals()
    for u, v, y in _descending(square, 3):
        for z in (ZERO, *square[: square.index(y) + 1]):
            found = two_by_two.verdict(u, v, y, z)
            row = texts.row(
                "two_by_two", OrdinalPosition.birds_eye(v, z, u, y), (u, v, y, z), found
            )
            yield row | {"block_type": two_by_two.type_of(v, y, z)}


def _descending(grid: list[Ordinal], count: int) -> Iterator[tuple[Ordinal, ...]]:
    """Yield all descending (not strictly) sequences of ordinals."""
    for chosen in product(range(len(grid)), repeat=count):
        if all(map(ge, chosen, chosen[1:])):
            yield tuple(grid[index] for index in chosen)


class _Texts:
    """Texts and sort keys of ordinals, each made once."""

    def __init__(self) -> None:
        self._known: dict[Ordinal, tuple[str, str]] = {}

    def of(self, value: Ordinal) -> tuple[str, str]:
        found = self._known.get(value)
        if found is None:
            found = self._known[value] = (format_ordinal(value), sort_key(value))
        return found

    def row(
        self, base: str, position: OrdinalPosition, heights: tuple[Ordinal, ...], verdict: Decision
    ) -> Row:
        columns = [self.of(height) for height in heights]
        grundy, grundy_key = (None, None) if verdict.grundy is None else self.of(verdict.grundy)
        restricted, (whole, size_key) = verdict.restricted_grundy, self.of(size(position))
        return {
            "base": base,
            "block_type": None,
            "position": f"transfinite:{position}",
            "heights": [text for text, _ in columns],
            "height_keys": [key for _, key in columns],
            "outcome": None if verdict.outcome is Outcome.UNKNOWN else str(verdict.outcome),
            "grundy": None if restricted is None else self.of(restricted)[0],
            "grundy_unrestricted": grundy,
            "grundy_key": grundy_key,
            "size": whole,
            "size_key": size_key,
            "rule": verdict.rule.value,
            "bite": None if verdict.bite is None else [str(x) for x in verdict.bite],
            "reason": verdict.reason or None,
        }
