"""Fragments: all two-wide, three-wide and 2 x 2 positions with coordinates from a finite grid.

The rows of the `transfinite_position` table: one position each, with what is known of it. Ordinals
come as text and, for sorting in SQL, as keys whose binary order is the order of ordinals.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from math import comb

from position_oracle.engine.theory.supermex import loser_sheets
from position_oracle.engine.theory.transfinite import three_wide, two_by_two, two_wide
from position_oracle.engine.theory.transfinite.ordinal import Ordinal
from position_oracle.engine.theory.transfinite.ordinal_text import (
    format_ordinal,
    parse_ordinal,
    sort_key,
)
from position_oracle.engine.theory.transfinite.position import Position
from position_oracle.engine.theory.transfinite.size import size
from position_oracle.engine.theory.transfinite.verdict import Verdict
from position_oracle.schema.errors import InvalidPositionError
from position_oracle.schema.sheets import LoserSheets


@dataclass(frozen=True, slots=True)
class Grid:
    """All ordinals whose exponents are among these, with coefficients up to `coefficient`."""

    exponents: tuple[Ordinal, ...]
    coefficient: int

    def __post_init__(self) -> None:
        if self.coefficient < 1 or not self.exponents:
            raise InvalidPositionError("a grid needs exponents and a coefficient of at least 1")

    def ordinals(self) -> list[Ordinal]:
        """The nonzero ordinals of the grid, ascending."""
        exponents = sorted(set(self.exponents), reverse=True)
        choices = product(range(self.coefficient + 1), repeat=len(exponents))
        return [
            Ordinal(tuple((e, c) for e, c in zip(exponents, choice, strict=True) if c))
            for choice in choices
            if any(choice)
        ]

    def __len__(self) -> int:
        return int((self.coefficient + 1) ** len(set(self.exponents))) - 1


def _grid(exponents: str, coefficient: int) -> Grid:
    return Grid(tuple(parse_ordinal(text) for text in exponents.split()), coefficient)


@dataclass(frozen=True, slots=True)
class FragmentPlan:
    """The grids of the three kinds; by default about 100,000 positions together."""

    two_wide: Grid = field(default_factory=lambda: _grid("w+1 w 2 1 0", 2))
    three_wide: Grid = field(default_factory=lambda: _grid("2 1 0", 3))
    two_by_two: Grid = field(default_factory=lambda: _grid("2 1 0", 2))

    def __len__(self) -> int:
        """The number of rows: no position is counted twice."""
        two, three, square = len(self.two_wide), len(self.three_wide), len(self.two_by_two)
        blocks = comb(square + 3, 4) + comb(square + 2, 3)
        return comb(two + 1, 2) + comb(three + 2, 3) + blocks


@dataclass(frozen=True, slots=True)
class FragmentRow:
    """One position: texts, sort keys of the heights, of the Grundy value and of the size.

    `heights` are those of the columns: h, k; u, v, x; or u, v, y, z of [v z; u y] with v >= y.
    """

    kind: str
    position: str
    heights: tuple[str, ...]
    height_keys: tuple[str, ...]
    block_type: str | None
    outcome: str
    grundy: str | None
    grundy_key: str | None
    size: str
    size_key: str
    rule: str
    winning_bite: str | None
    reason: str


def fragment_rows(
    plan: FragmentPlan | None = None, sheets: LoserSheets | None = None
) -> Iterator[FragmentRow]:
    """The rows of a plan, ascending: two-wide (k >= 1), three-wide (x >= 1), 2 x 2 (y >= 1)."""
    chosen = FragmentPlan() if plan is None else plan
    known = loser_sheets() if sheets is None else sheets
    yield from _two_wide_rows(chosen.two_wide.ordinals())
    yield from _three_wide_rows(chosen.three_wide.ordinals(), known)
    yield from _two_by_two_rows(chosen.two_by_two.ordinals())


def _two_wide_rows(grid: list[Ordinal]) -> Iterator[FragmentRow]:
    texts = _Texts()
    for i, h in enumerate(grid):
        for k in grid[: i + 1]:
            yield texts.row("two_wide", Position.columns(h, k), (h, k), two_wide.verdict(h, k))


def _three_wide_rows(grid: list[Ordinal], sheets: LoserSheets) -> Iterator[FragmentRow]:
    texts = _Texts()
    for i, u in enumerate(grid):
        for j, v in enumerate(grid[: i + 1]):
            for x in grid[: j + 1]:
                found = three_wide.verdict(u, v, x, sheets)
                yield texts.row("three_wide", Position.columns(u, v, x), (u, v, x), found)


def _two_by_two_rows(grid: list[Ordinal]) -> Iterator[FragmentRow]:
    texts = _Texts()
    for i, u in enumerate(grid):
        for j, v in enumerate(grid[: i + 1]):
            for k, y in enumerate(grid[: j + 1]):
                for z in (Ordinal(), *grid[: k + 1]):
                    position = Position.birds_eye(v, z, u, y)
                    found = two_by_two.verdict(u, v, y, z)
                    kind = two_by_two.type_of(v, y, z)
                    yield texts.row("two_by_two", position, (u, v, y, z), found, kind)


class _Texts:
    """Texts and sort keys of the ordinals met, each made once."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[Ordinal, tuple[str, str]] = {}

    def of(self, value: Ordinal) -> tuple[str, str]:
        found = self._known.get(value)
        if found is None:
            found = self._known[value] = (format_ordinal(value), sort_key(value))
        return found

    def row(
        self,
        kind: str,
        position: Position,
        heights: tuple[Ordinal, ...],
        verdict: Verdict,
        block_type: str | None = None,
    ) -> FragmentRow:
        columns = [self.of(height) for height in heights]
        grundy = None if verdict.grundy is None else self.of(verdict.grundy)
        whole = self.of(size(position))
        bite = verdict.bite
        return FragmentRow(
            kind=kind,
            position=str(position),
            heights=tuple(text for text, _ in columns),
            height_keys=tuple(key for _, key in columns),
            block_type=block_type,
            outcome=verdict.outcome.value,
            grundy=grundy and grundy[0],
            grundy_key=grundy and grundy[1],
            size=whole[0],
            size_key=whole[1],
            rule=verdict.rule.value,
            winning_bite=None if bite is None else f"({', '.join(map(str, bite))})",
            reason=verdict.reason,
        )
