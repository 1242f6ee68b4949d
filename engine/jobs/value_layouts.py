"""Tables of Grundy values and remoteness of whole boxes of positions, in a fixed order.

A layout defines the positions of a table of a game and limit, their order, and their computation.
The values are one plain array. The limits, as texts:

    chomp3      400          every position with a first row a = x + y + z <= 400, by rank
                             (`schema.values`), without the empty board
    chomp       8x12         every board inside a box of 8 rows and 12 columns, by rank
                             (`engine.solvers.shape`), without the empty board
    nim, wythoff             every position with heaps up to the limits, the last heap running
                1000x1000    fastest; one number stands for all heaps
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from math import prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.games import wythoff as wythoff_rules
from position_oracle.engine.games.chomp3 import to_rows
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.jobs.limits import sides_within
from position_oracle.engine.solvers import heap_sheets, three_row_values
from position_oracle.engine.solvers.heap_search import estimate_search, heap_moves
from position_oracle.engine.solvers.ranked import Ranked
from position_oracle.engine.solvers.shape import Bounds, box
from position_oracle.engine.solvers.shape import heaps as numbered
from position_oracle.engine.solvers.steps import StepCallback, steps
from position_oracle.engine.solvers.tables import solve
from position_oracle.engine.solvers.three_row_values import LIMIT_MAX
from position_oracle.schema.errors import NotationError, ResourceLimitError, UnknownAnswerError
from position_oracle.schema.values import board_count

Values = NDArray[np.int32]
Rows = tuple[NDArray[np.int32], NDArray[np.int32]]
"""Coordinates of consecutive positions in sequence, and the beginning of each (n + 1,)."""

BLOCK: Final = 1 << 20
"""Number of positions listed at a time."""
_LOOK: Final = 1 << 16
"""Number of positions looked up between two checks of the budget."""

MAX_CELLS: Final = 1 << 26
MAX_STEPS: Final = 20_000_000_000
_BYTES_PER_CELL: Final = 9
"""Bytes of memory for each position of a search."""


def _same_length(rows: NDArray[np.int32]) -> Rows:
    """Return rows for positions with equal numbers of coordinates."""
    count, width = rows.shape
    return rows.reshape(-1), np.arange(0, (count + 1) * width, width, dtype=np.int32)


@dataclass(frozen=True, slots=True)
class Layout:
    """The positions of one table of one kind, in the order of their ranks.

    Attributes:
        game: the game.
        sides: the numbers of the limit.
        range: the range of positions, in words.
        count: number of positions.
        cells: minimum number of positions in memory while solving.
        steps: approximate number of moves visited.
        solve_bytes: peak memory of `solve`, including its result.
        shape: returns the positions and their ranks.
        values: computes the values of all positions, int32 (count,); takes a callback for the
            progress.
        rows_of: returns the position as an element of the shape; None if it is not one.
        written: converts rows of the shape to coordinates of positions.
        first: the least rank with a value.
    """

    game: GameSpec
    sides: tuple[int, ...]
    range: str
    count: int
    cells: int
    steps: int
    solve_bytes: int
    shape: Callable[[], Bounds]
    values: Callable[[StepCallback | None], Values]
    rows_of: Callable[[Coordinates], Coordinates | None]
    written: Callable[[NDArray[np.int32]], Rows] = _same_length
    first: int = 0

    @property
    def limit(self) -> str:
        """The canonical text of the limit."""
        return "x".join(map(str, self.sides))

    def place(self, coordinates: Coordinates) -> int:
        """Return the index of the value of a position; -1 for positions without a value."""
        rows = self.rows_of(coordinates)
        return -1 if rows is None else self.shape().rank(rows) - self.first

    def rows(self) -> Iterator[Rows]:
        """Yield the coordinates of all positions in blocks."""
        shape = self.shape()
        for first in range(self.first, shape.count, BLOCK):
            yield self.written(shape.positions(first, min(first + BLOCK, shape.count)))


def _boards(game: GameSpec, sides: tuple[int, ...], kind: str) -> Layout:
    """Return the layout of Chomp boards inside a box, without the empty board."""
    shape = _box(sides[0], sides[-1])
    count = shape.count - 1

    def values(progress: StepCallback | None) -> Values:
        return solve(Ranked(shape), kind, progress=progress).values[1:, 0].astype(np.int32)

    def rows_of(coordinates: Coordinates) -> Coordinates | None:
        try:
            return shape.orient(coordinates)[0] if coordinates else None
        except UnknownAnswerError:
            return None

    def written(rows: NDArray[np.int32]) -> Rows:
        offsets = np.concatenate(([0], np.cumsum(np.count_nonzero(rows, axis=1))))
        return rows[rows > 0], offsets.astype(np.int32)

    return Layout(
        game=game,
        sides=sides,
        range=f"boards inside {sides[0]} x {sides[-1]}, transposed ones too",
        count=count,
        cells=count,
        steps=count * sides[0] * sides[-1],
        solve_bytes=(4 + 4) * count,  # values of one to four bytes, and the result
        shape=lambda: shape,
        values=values,
        rows_of=rows_of,
        written=written,
        first=1,
    )


def _three_rows(game: GameSpec, sides: tuple[int, ...], kind: str) -> Layout:
    """Return the layout of three-row Chomp up to a first row, without the empty board."""
    (longest,) = sides
    count = board_count(longest) - 1

    def values(progress: StepCallback | None) -> Values:
        table = three_row_values.solve(kind, longest, progress=progress)
        return table.values[1:, 0].astype(np.int32)

    def rows_of(coordinates: Coordinates) -> Coordinates | None:
        rows = to_rows(coordinates)
        return rows if 0 < rows[0] <= longest else None

    def written(rows: NDArray[np.int32]) -> Rows:
        a, b, c = rows.T
        return _same_length(np.stack((c, b - c, a - b), axis=1))

    return Layout(
        game=game,
        sides=sides,
        range=f"x + y + z <= {longest}",
        count=count,
        cells=count,
        steps=count * (8 + longest // 64),  # bit sets handle all moves of a line together
        solve_bytes=three_row_values.estimate_bytes(kind, longest) + 4 * count,
        shape=lambda: _box(3, longest),
        values=values,
        rows_of=rows_of,
        written=written,
        first=1,
    )


def _heaps(game: GameSpec, sides: tuple[int, ...], kind: str) -> Layout:
    """Return the layout of heap games with a limit for each heap, the last heap running fastest.

    Sheets give the Grundy values of Wythoff's game of two heaps. A search gives all others, with
    every number of passes, in one order of heaps.
    """
    count = prod(side + 1 for side in sides)
    has_sheets = kind == "grundy" and game == wythoff_rules.TWO_HEAPS
    cells, moves = estimate_search(game, sides)
    bytes_held = _BYTES_PER_CELL * cells
    if has_sheets:
        bytes_held = heap_sheets.estimate_bytes(heap_sheets.WYTHOFF, *sides)

    @cache
    def shape() -> Bounds:
        return numbered(sides, ordered=False)

    def values(progress: StepCallback | None) -> Values:
        if has_sheets:
            return heap_sheets.solve(heap_sheets.WYTHOFF, *sides, progress=progress).reshape(-1)
        solved = solve(heap_moves(game, sides), kind, progress=progress)
        out, positions = np.empty(count, np.int32), shape()
        for first, last in steps(0, count, _LOOK):
            part = positions.positions(first, last).astype(np.int64)
            out[first:last] = solved.values[solved.shape.ranks(part), game.passes]
        return out

    return Layout(
        game=game,
        sides=sides,
        range=f"heaps up to {' and '.join(map(str, sides))}",
        count=count,
        cells=count if has_sheets else max(count, cells),
        steps=count * 8 if game == wythoff_rules.TWO_HEAPS else moves,
        solve_bytes=bytes_held + 4 * count,
        shape=shape,
        values=values,
        rows_of=lambda coordinates: coordinates if shape().contains(coordinates) else None,
    )


@dataclass(frozen=True, slots=True)
class _Family:
    """The layouts of a family, the form of its limits, and the minimum of their numbers."""

    layout: Callable[[GameSpec, tuple[int, ...], str], Layout]
    form: str
    least: int = 1

    @property
    def plain_only(self) -> bool:
        """Whether tables exist only for normal play without passes."""
        return self.layout is not _heaps


_HEAPS: Final = _Family(_heaps, "the largest heaps, e.g. 1000x1000, or one number for all", 0)
FAMILIES: Final = {
    "chomp3": _Family(_three_rows, "the largest a = x + y + z, e.g. 400"),
    "chomp": _Family(_boards, "the rows and columns of a box, e.g. 8x12"),
    "nim": _HEAPS,
    "wythoff": _HEAPS,
}


def layout_of(game: GameSpec, limit: str, kind: str) -> Layout:
    """Return the layout of a table of a game up to a limit.

    Raises:
        NotationError: the limit is not one of this game, or the game has no such values.
        ResourceLimitError: the table would hold more than 2^26 positions, or take more than
            `MAX_STEPS`.
    """
    family = FAMILIES.get(game.family)
    if family is None or game.noise is not None or (game.passes and family.plain_only):
        raise NotationError(f"{game.text} has no tables of kind {kind}")
    if not game.is_plain and (kind == "grundy" or family.plain_only):
        raise NotationError(
            f"{game.text} has no tables of kind {kind}: its end is not that of normal play"
        )
    found = family.layout(game, _sides(game, limit, family), kind)
    if found.cells > MAX_CELLS:
        raise ResourceLimitError(
            f"limit {limit} of {game.text}: {found.cells} positions; allowed are {MAX_CELLS}"
        )
    if found.steps > MAX_STEPS:
        raise ResourceLimitError(
            f"limit {limit} of {game.text}: {found.steps} moves; allowed are {MAX_STEPS}"
        )
    return found


def _sides(game: GameSpec, limit: str, family: _Family) -> tuple[int, ...]:
    wanted = {"chomp3": 1, "chomp": 2}.get(game.family) or game.heaps
    if wanted is None:
        raise NotationError(
            f"{game.text}: write the number of heaps, e.g. {game.family}{{heaps=2}}"
        )
    return sides_within(game, limit, wanted, family.form, family.least, LIMIT_MAX)


@lru_cache(maxsize=8)
def _box(rows: int, columns: int) -> Bounds:
    """Return the numbering of a box, cached: making it takes 100 times as long as a look-up."""
    return box(rows, columns)
