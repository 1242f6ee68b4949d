"""Answers from a census of three-row Chomp: read from the sheets if possible, else swept.

A *census* is a stored summary of every sheet up to a limit, with checkpoints. The sheets give
tails, stops, deadly diagonals and openings. Other outcomes follow from the states of a column at
two checkpoints, or from a *sweep*, which recomputes the rows from the checkpoint below
(docs/row-sweep.md).
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from position_oracle.engine.budget import Cost, Plan, watched
from position_oracle.engine.games.chomp3 import to_rows
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.theory.openings import Openings, openings
from position_oracle.oracle.answers import Answer, Certainty, Origin
from position_oracle.oracle.families.chomp3.loading import census_of
from position_oracle.oracle.families.resources import StoredTable
from position_oracle.oracle.families.sources import LOOK_UP, NOT_ALL
from position_oracle.schema.census import Census, reader_of
from position_oracle.schema.errors import ResourceLimitError

if TYPE_CHECKING:
    from position_oracle.engine.solvers.row_sweep.query import Answers

PLAIN: Final = GameSpec("chomp3")

SWEEP = Cost(0.15, 80 << 20)
"""Cost of an answer by a sweep."""

MAX_SWEPT_CELLS: Final = 1 << 22
"""Maximum size of a window that is swept, in cells."""

MAX_SWEPT_COLUMNS: Final = 1 << 16
"""Maximum number of columns y of a swept window: each is a row that all live columns pass."""


class CensusTable:
    """A stored census and its answers."""

    def __init__(self, stored: StoredTable) -> None:
        self._arrays = stored.arrays
        self.build = stored.build
        self.limit = len(stored.arrays["tail_period"]) - 1
        rows = stored.arrays["rows"]
        self.spacing = int(rows[0]) if len(rows) else 0

    @property
    def range(self) -> str:
        """The positions covered, in words."""
        if self.spacing:
            return (
                f"x <= {self.limit}, any y and z, swept from checkpoints every {self.spacing} rows"
            )
        return f"tails, stops and deadly diagonals of x <= {self.limit}"

    @cached_property
    def sheets(self) -> Census:
        """The sheets of the census."""
        return census_of(self._arrays)

    @cached_property
    def openings(self) -> Openings:
        """The winning openings of rectangles."""
        sheets = self.sheets
        return openings(sheets.diagonal_z, sheets.prefix_length, sheets.tail_period)

    @cached_property
    def _answers(self) -> "Answers":
        from position_oracle.engine.solvers.row_sweep.query import Answers

        read = reader_of(self._arrays["offsets"], self._arrays["data"])  # type: ignore[arg-type]
        count = len(self._arrays["rows"])
        return Answers(self.sheets, read, count, self.spacing)

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer] | None:
        """Plan the answer to one position; None beyond the census."""
        read = self._read_answer(position, with_moves=with_moves)
        if read is not None:
            return Plan(LOOK_UP, lambda: read, is_sure=NOT_ALL not in read.reason)
        if position.coordinates[0] > self.limit or not self.spacing:
            return None
        return Plan(SWEEP, lambda: self._swept(position, with_moves=with_moves))

    def answer(self, coordinates: Coordinates, *, with_moves: bool) -> Answer | None:
        """Return the answer to one position without passes; None if there is no plan."""
        plan = self.plan(Position(PLAIN, coordinates), with_moves=with_moves)
        return None if plan is None else plan.run()

    def _read_answer(self, position: Position, *, with_moves: bool) -> Answer | None:
        """Read the answer from the sheets without a sweep; None if they do not decide."""
        x, y, z = position.coordinates
        if x > 0 and y == z == 0:
            opening = self._opening(x)
            if opening is not None:
                answer = self._read(position, Outcome.N, (opening,) if with_moves else None)
                is_all = not with_moves or self._is_only_opening(x)
                return answer if is_all else replace(answer, reason=f"{answer.reason}; {NOT_ALL}")
        if x > self.limit:
            return None
        if not with_moves and (known := self._known_z(x, y)) is not None:
            return self._read(position, Outcome.P if known == z else Outcome.N, None)
        return None

    def outcomes(self, positions: Iterable[Coordinates]) -> npt.NDArray[np.uint8]:
        """Return outcomes of many positions with x up to the limit; close ones share sweeps."""
        if not self.spacing:
            found = [self.answer(each, with_moves=False) for each in positions]
            return np.array([0 if each is None else each.outcome for each in found], np.uint8)
        swept = self._answers.answers(positions, with_moves=False)  # type: ignore[arg-type]
        return np.array([Outcome.N if each.wins else Outcome.P for each in swept], np.uint8)

    def children(self, positions: Iterable[Coordinates]) -> list[tuple[Coordinates, ...]]:
        """Return P-positions one move from each of many positions, in the order of the rules."""
        asked = list(positions)
        swept = self._answers.answers(asked)  # type: ignore[arg-type]
        pairs = zip(asked, swept, strict=True)
        return [_in_order(position, found.moves) for position, found in pairs]

    def instant_winners(
        self, x: int, shape: tuple[int, int], corner: tuple[int, int]
    ) -> npt.NDArray[np.uint8]:
        """Return a window of W_x, `shape` cells (y, z) from `corner` on.

        Returns:
            uint8 of `Origin` flags: FLAT and DIAGONAL as from tables; every other instant winner is
            LINE, because a sweep shows that a cell is reached, but not from which line. For the
            same reason LINE is not marked on deadly diagonals.

        Raises:
            ResourceLimitError: the window is too large.
            StoppedError: the budget is spent.
        """
        rows, cells = shape
        if rows > MAX_SWEPT_COLUMNS or rows * cells > MAX_SWEPT_CELLS:
            raise ResourceLimitError(
                f"a window of {rows} x {cells} cells is too large to be swept; the limits"
                f" are {MAX_SWEPT_CELLS:,} cells and {MAX_SWEPT_COLUMNS:,} columns"
            )
        window = np.zeros(shape, np.uint8)
        if not window.size:
            return window
        self._mark_diagonals(window, x, sum(corner))
        self._mark_tails(window, x, corner)
        taken = self._answers.winners(x, *corner, shape)
        window[taken & (window == 0)] = np.uint8(Origin.LINE)
        return window

    def losers(self, x: int, size_y: int, first_y: int) -> npt.NDArray[np.int32]:
        """Return the z of L_x for y = first_y, first_y + 1, ...; -1 if there is none.

        Raises:
            ResourceLimitError: there are too many columns.
            StoppedError: the budget is spent.
        """
        if size_y > MAX_SWEPT_COLUMNS:
            raise ResourceLimitError(
                f"{size_y:,} columns are too many to be swept; the limit is {MAX_SWEPT_COLUMNS:,}"
            )
        if not size_y:
            return np.zeros(0, np.int32)
        return self._answers.losers(x, first_y, size_y)

    def cost_of_window(self, x: int, rows: int, cells: int, first_y: int) -> Cost:
        """Return the cost of sweeping the rows of a window: 1 ns for each row and live column."""
        first, last = x + first_y, min(x + first_y + rows, 2 * self.limit)
        intervals = 2 + max(0, last - first) // max(self.spacing, 1)
        swept = intervals * (0.3 * x + self.spacing) * self.spacing
        seconds = 0.1 + 1.5e-9 * swept + 2e-8 * rows * cells + 1e-7 * len(self.sheets)
        return Cost(seconds, SWEEP.memory_bytes + 4 * rows * cells)

    def cost_of_batch(self, coordinates: npt.NDArray[np.integer[Any]], *, with_moves: bool) -> Cost:
        """Return the cost of many positions; positions between two checkpoints share a sweep.

        Outcomes alone need fewer sweeps, and shorter ones: two checkpoints settle most of them.
        """
        above = coordinates[:, 0].astype(np.int64) + coordinates[:, 1]
        sweeps = len(np.unique(above // max(self.spacing, 1)))
        each = (4e-10 * self.limit * self.spacing + 0.004) * (1.0 if with_moves else 0.1)
        return Cost(
            1e-3 * len(coordinates) + sweeps * each, SWEEP.memory_bytes + 500 * len(coordinates)
        )

    def _mark_diagonals(self, window: npt.NDArray[np.uint8], x: int, corner: int) -> None:
        """Mark the deadly diagonals y + z = j + z_j - x of the sheets j below x."""
        from position_oracle.engine.solvers.instant_winners import mark_diagonal

        totals = np.arange(x) + self.sheets.diagonal_z[:x] - x - corner
        inside = (totals >= 0) & (totals < sum(window.shape))
        for total in watched(totals[inside].tolist()):
            mark_diagonal(window, total, 0, len(window))

    def _mark_tails(self, window: npt.NDArray[np.uint8], x: int, corner: tuple[int, int]) -> None:
        """Mark the tails of the sheets below x."""
        sheets, (rows, cells) = self.sheets, window.shape
        z = sheets.tail_z[: sheets.tail_offset[x]]
        shown = np.flatnonzero((z >= corner[1]) & (z < corner[1] + cells))
        sheet = np.searchsorted(sheets.tail_offset, shown, side="right") - 1
        # In the window's own count, column j of sheet x' is y = j - (x - x') - first_y.
        begin = sheet + sheets.prefix_length[sheet] - x - corner[0]
        begin += shown - sheets.tail_offset[sheet]
        period = sheets.tail_period[sheet].astype(np.int64)
        begin += period * np.maximum(0, -(begin // period))
        seen = np.flatnonzero(begin < rows)
        for k in watched(seen.tolist()):
            window[begin[k] :: period[k], z[shown[k]] - corner[1]] |= np.uint8(Origin.FLAT)

    def _swept(self, position: Position, *, with_moves: bool) -> Answer:
        coordinates: Any = position.coordinates
        found = self._answers.answer(coordinates, with_moves=with_moves)
        outcome = Outcome.N if found.wins else Outcome.P
        children = _in_order(coordinates, found.moves) if with_moves else None
        answer = self._read(position, outcome, children)
        if not found.swept:
            return answer
        reason = f"{answer.reason}, swept from the checkpoint below"
        return replace(answer, certainty=Certainty.EXACT_SEARCH, reason=reason)

    def _read(
        self, position: Position, outcome: Outcome, children: tuple[Coordinates, ...] | None
    ) -> Answer:
        moves = None
        if children is not None:
            moves = tuple(Move(position.child(child)) for child in children)
        reason = f"census of chomp3, x <= {self.limit}"
        return Answer(position, outcome, Certainty.EXACT_TABLE, reason, moves)

    def _known_z(self, x: int, y: int) -> int | None:
        """Return the z of a column from the sheets, -1 if it has no P-position; else None."""
        sheets = self.sheets
        past = y - int(sheets.prefix_length[x])
        if past >= 0:
            tail = sheets.tail(x)
            return int(tail[past % len(tail)]) if len(tail) else -1
        return int(sheets.diagonal_z[x]) if y == 0 else None

    def _opening(self, n: int) -> Coordinates | None:
        """Return the winning opening of the 3 x n rectangle if the sheets give just one."""
        found = self.openings
        if not 2 <= n <= found.complete_to or found.count[n] != 1:
            return None
        j = int(found.column[n]) - 1
        return (j, n - j, 0) if found.row[n] == 3 else (j, 0, n - j)

    def _is_only_opening(self, n: int) -> bool:
        """Return whether no sheet beyond the limit has another winning opening."""
        return n <= self.limit + 1 or self.openings.row[n] == 2


def _in_order(position: Coordinates, children: Iterable[Coordinates]) -> tuple[Coordinates, ...]:
    """Return children in the order of the rules: bites in row 1, 2, 3."""
    rows = to_rows(position)

    def place(child: Coordinates) -> tuple[int, int]:
        after = to_rows(child)
        row = next(i for i in range(3) if after[i] != rows[i])
        return row, after[row]

    return tuple(sorted(children, key=place))
