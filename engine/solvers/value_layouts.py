"""Tables of Grundy values and remoteness of whole boxes of positions, in one fixed order.

A layout says which positions a table of a game and limit holds, in which order, and how they are
computed; the values are then one plain array. The limits, as texts:

    chomp3      400          every position with a first row a = x + y + z <= 400, by rank
                             (`schema.values`), without the empty board
    chomp       8x12         every board inside a box of 8 rows and 12 columns, by rank
                             (`engine.solvers.shape`), without the empty board
    nim, wythoff             every position with heaps up to the limits, the last heap running
                1000x1000    fastest; one number stands for all heaps
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.games import wythoff as wythoff_rules
from position_oracle.engine.games.chomp3 import to_rows
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.solvers import heap_sheets, three_row_values
from position_oracle.engine.solvers.heap_search import (
    SearchCost,
    estimate_search,
    search_heaps,
)
from position_oracle.engine.solvers.ranked import Ranked
from position_oracle.engine.solvers.shape import Shape, box
from position_oracle.engine.solvers.shape import heaps as numbered
from position_oracle.engine.solvers.steps import StepCallback, steps
from position_oracle.engine.solvers.tables import solve
from position_oracle.engine.solvers.three_row_values import LIMIT_MAX
from position_oracle.schema.errors import NotationError, ResourceLimitError, UnknownAnswerError
from position_oracle.schema.values import board_count

Values = NDArray[np.int32]
Rows = tuple[NDArray[np.int32], NDArray[np.int32]]
"""Coordinates of consecutive positions, one after the other, and where each begins (n + 1,)."""

KINDS: Final = ("grundy", "remoteness")
BLOCK: Final = 1 << 20
"""Positions listed at a time."""
_LOOK: Final = 1 << 16
"""Positions looked up between two looks at the budget."""

MAX_CELLS: Final = 1 << 26
MAX_STEPS: Final = 20_000_000_000
_NUMBER: Final = re.compile(r"\d{1,6}")


@dataclass(frozen=True, slots=True)
class Layout(ABC):
    """The positions of one table, in the order of their ranks.

    Attributes:
        game: the game.
        sides: the numbers of the limit.
    """

    game: GameSpec
    sides: tuple[int, ...]

    form: ClassVar[str]
    plain_only: ClassVar[bool] = True
    """Whether tables are of normal play without passes alone."""

    first: ClassVar[int] = 0
    """The least rank that has a value."""

    @property
    def limit(self) -> str:
        """The canonical text of the limit."""
        return "x".join(map(str, self.sides))

    @property
    @abstractmethod
    def shape(self) -> Shape:
        """The positions and their ranks."""

    @property
    @abstractmethod
    def count(self) -> int:
        """Number of positions it holds."""

    def cells(self, kind: str) -> int:
        """Number of positions that are held at least while they are solved."""
        return self.count

    @property
    @abstractmethod
    def range(self) -> str:
        """The range of positions, in words."""

    @property
    @abstractmethod
    def steps(self) -> int:
        """About how many moves are looked at."""

    @abstractmethod
    def solve_bytes(self, kind: str) -> int:
        """Memory of `solve` at its peak, its result included."""

    @abstractmethod
    def solve(self, kind: str, progress: StepCallback | None = None) -> Values:
        """The values of all positions, int32 (count,).

        Raises:
            ResourceLimitError: too many positions.
        """

    @abstractmethod
    def rows_of(self, coordinates: Coordinates) -> Coordinates | None:
        """A position as it is in the shape; None where it is not."""

    def place(self, coordinates: Coordinates) -> int:
        """The index of the value of a position; -1 for positions that have none here."""
        rows = self.rows_of(coordinates)
        return -1 if rows is None else self.shape.rank(rows) - self.first

    def rows(self) -> Iterator[Rows]:
        """The coordinates of all positions, as positions are written, in blocks."""
        shape = self.shape
        for first in range(self.first, shape.count, BLOCK):
            yield self._written(shape.positions(first, min(first + BLOCK, shape.count)))

    def _written(self, rows: NDArray[np.int32]) -> Rows:
        count, width = rows.shape
        return rows.reshape(-1), np.arange(0, (count + 1) * width, width, dtype=np.int32)


class BoxLayout(Layout):
    """Chomp boards inside a box, but the empty one."""

    form = "the rows and columns of a box, e.g. 8x12"
    first = 1

    @property
    def box(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.sides[0], self.sides[-1]

    @property
    def shape(self) -> Shape:
        """All boards inside the box."""
        return _box(*self.box)

    @property
    def count(self) -> int:
        """One board is empty."""
        return self.shape.count - 1

    @property
    def range(self) -> str:
        """By its sides."""
        return f"boards inside {self.sides[0]} x {self.sides[-1]}, transposed ones too"

    @property
    def steps(self) -> int:
        """A move for each cookie."""
        return self.count * prod(self.box)

    def solve_bytes(self, kind: str) -> int:
        """Values of one to four bytes, and the result."""
        return (4 + 4) * self.count

    def solve(self, kind: str, progress: StepCallback | None = None) -> Values:
        """By all moves of all boards."""
        return solve(Ranked(self.shape), kind, progress=progress).values[1:, 0].astype(np.int32)

    def rows_of(self, coordinates: Coordinates) -> Coordinates | None:
        """The board, or its transpose where that fits."""
        try:
            return self.shape.orient(coordinates)[0] if coordinates else None
        except UnknownAnswerError:
            return None

    def _written(self, rows: NDArray[np.int32]) -> Rows:
        offsets = np.concatenate(([0], np.cumsum(np.count_nonzero(rows, axis=1))))
        return rows[rows > 0], offsets.astype(np.int32)


class ThreeRowLayout(BoxLayout):
    """Three-row Chomp up to a first row; values are found line by line."""

    form = "the largest a = x + y + z, e.g. 400"

    @property
    def box(self) -> tuple[int, int]:
        """Three rows."""
        return 3, self.sides[0]

    @property
    def count(self) -> int:
        """One board is empty."""
        return board_count(self.sides[0]) - 1

    @property
    def range(self) -> str:
        """By the first row."""
        return f"x + y + z <= {self.sides[0]}"

    @property
    def steps(self) -> int:
        """Bit sets take the moves of a line together."""
        return self.count * (8 + self.sides[0] // 64)

    def solve_bytes(self, kind: str) -> int:
        """That of the lines, and the result."""
        return three_row_values.estimate_bytes(kind, self.sides[0]) + 4 * self.count

    def solve(self, kind: str, progress: StepCallback | None = None) -> Values:
        """Line by line."""
        table = three_row_values.solve(kind, self.sides[0], progress=progress)
        return table.values[1:, 0].astype(np.int32)

    def rows_of(self, coordinates: Coordinates) -> Coordinates | None:
        """Row lengths of [x, y, z]."""
        rows = to_rows(coordinates)
        return rows if 0 < rows[0] <= self.sides[0] else None

    def _written(self, rows: NDArray[np.int32]) -> Rows:
        a, b, c = rows.T
        return Layout._written(self, np.stack((c, b - c, a - b), axis=1))


class HeapLayout(Layout):
    """Heap games up to a limit for each heap, the last heap running fastest."""

    form = "the largest heaps, e.g. 1000x1000, or one number for all"
    plain_only = False

    @property
    def shape(self) -> Shape:
        """Heaps in every order."""
        return numbered(self.sides, ordered=False)

    @property
    def count(self) -> int:
        """The product of the sides, each with 0."""
        return prod(side + 1 for side in self.sides)

    def cells(self, kind: str) -> int:
        """A search holds them with every number of passes."""
        by_itself = kind == "grundy" and self._is_wythoff
        return self.count if by_itself else max(self.count, self.cost.cells)

    @property
    def range(self) -> str:
        """By the largest heaps."""
        return f"heaps up to {' and '.join(map(str, self.sides))}"

    @property
    def steps(self) -> int:
        """A move for each token; bit sets take those of a line together."""
        return self.count * 8 if self._is_wythoff else self.cost.steps

    @property
    def cost(self) -> SearchCost:
        """The cost of a search of all positions."""
        return estimate_search(self.game, self.sides)

    def solve_bytes(self, kind: str) -> int:
        """That of the sheets or of the search, and the result."""
        if kind == "grundy" and self._is_wythoff:
            return 4 * self.count + heap_sheets.estimate_bytes(heap_sheets.WYTHOFF, *self.sides)
        return self.cost.size_bytes + 4 * self.count

    def solve(self, kind: str, progress: StepCallback | None = None) -> Values:
        """By sheets, or by a search of positions in one order of heaps."""
        if kind == "grundy" and self._is_wythoff:
            table = heap_sheets.solve(heap_sheets.WYTHOFF, *self.sides, progress=progress)
            return table.reshape(-1)
        game, shape = self.game, self.shape
        found = search_heaps(game, self.sides, max_cells=MAX_CELLS, max_steps=MAX_STEPS)
        values = solve(found.moves, kind, progress=progress).values[:, game.passes]
        out = np.empty(self.count, np.int32)
        for first, last in steps(0, self.count, _LOOK):
            out[first:last] = values[found.rank(shape.positions(first, last).astype(np.int64))]
        return out

    def rows_of(self, coordinates: Coordinates) -> Coordinates | None:
        """The heaps."""
        return coordinates if self.shape.contains(coordinates) else None

    @property
    def _is_wythoff(self) -> bool:
        """Whether it is the game of two heaps that has a solver of its own for Grundy values."""
        return self.game == wythoff_rules.TWO_HEAPS


LAYOUTS: Final[dict[str, type[Layout]]] = {
    "chomp3": ThreeRowLayout,
    "chomp": BoxLayout,
    "nim": HeapLayout,
    "wythoff": HeapLayout,
}


def layout_of(game: GameSpec, limit: str, kind: str) -> Layout:
    """The layout of a table of a game up to a limit.

    Raises:
        NotationError: the limit is not one of this game, or the game has no such values.
        ResourceLimitError: it would hold more than 2^26 positions, or take more than `MAX_STEPS`.
    """
    layout = LAYOUTS.get(game.family)
    if layout is None or game.noise is not None or (game.passes and layout.plain_only):
        raise NotationError(f"{game.text} has no tables of kind {kind}")
    if not game.is_plain and (kind == "grundy" or layout.plain_only):
        raise NotationError(
            f"{game.text} has no tables of kind {kind}: its end is not that of normal play"
        )
    found = layout(game, _sides(game, limit, layout))
    count = found.cells(kind)
    if count > MAX_CELLS:
        raise ResourceLimitError(
            f"limit {limit} of {game.text}: {count} positions; allowed are {MAX_CELLS}"
        )
    if found.steps > MAX_STEPS:
        raise ResourceLimitError(
            f"limit {limit} of {game.text}: {found.steps} moves; allowed are {MAX_STEPS}"
        )
    return found


def _sides(game: GameSpec, limit: str, layout: type[Layout]) -> tuple[int, ...]:
    parts = limit.strip().split("x")
    wanted = {"chomp3": 1, "chomp": 2}.get(game.family) or game.heaps
    if wanted is None:
        raise NotationError(
            f"{game.text}: write the number of heaps, e.g. {game.family}{{heaps=2}}"
        )
    least = 0 if layout is HeapLayout else 1
    if len(parts) not in {1, wanted} or not all(_NUMBER.fullmatch(part) for part in parts):
        raise NotationError(f"limit {limit[:40]!r} of {game.text}: write {layout.form}")
    sides = tuple(int(part) for part in parts) * (wanted // len(parts))
    if min(sides) < least or max(sides) > LIMIT_MAX:
        raise NotationError(
            f"limit {limit[:40]!r} of {game.text}: allowed are {least} to {LIMIT_MAX}"
        )
    return sides


@lru_cache(maxsize=8)
def _box(rows: int, columns: int) -> Shape:
    """Numbering a box takes 100 times as long as finding a board in it."""
    return box(rows, columns)
