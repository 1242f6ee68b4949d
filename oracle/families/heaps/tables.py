"""Tables of heap games as sources: stored ones, and ones solved on demand."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import factorial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import Cost, Plan, current, watched
from position_oracle.engine.games.heaps import is_symmetric
from position_oracle.engine.games.position import Outcome
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.oracle.answers import Certainty
from position_oracle.oracle.families.heaps.arrays import LINES, HeapArrays, SheetArrays
from position_oracle.oracle.families.heaps.frames import Frame, Int64Array
from position_oracle.oracle.families.heaps.on_demand import (
    MAX_CELLS,
    MAX_STEPS,
    SEARCHED_HEAPS,
    SIDES,
    SolvedTables,
    search_cost,
    side_for,
)
from position_oracle.oracle.families.heaps.theorems import Knowledge, as_outcomes
from position_oracle.oracle.families.rows import distinct_rows
from position_oracle.oracle.families.sources import LOOK_UP, Mask, Outcomes

if TYPE_CHECKING:
    from position_oracle.engine.solvers.tables import Table

_ROW_SECONDS = 3e-7


@dataclass(frozen=True)
class _ThreeHeaps(Knowledge):
    """A table of three heaps, for positions with at most three nonempty heaps.

    Attributes:
        game: the game of the table.
        lines: indices of the game's lines in `LINES`; None for Nim, with any number of heaps.
        axes: for games that are not symmetric, the heaps that are x, y and z of the table.
    """

    game: GameSpec
    lines: tuple[int, ...] | None
    axes: tuple[int, int, int] = field(default=(0, 1, 2), kw_only=True)

    @property
    @abstractmethod
    def _shape(self) -> tuple[int, int]:
        """The numbers of x and of y, the smaller heap first in symmetric games."""

    @abstractmethod
    def _arrays(self, largest: int) -> SheetArrays:
        """Return the arrays with x and y up to a number."""

    @abstractmethod
    def cost(self, largest: int) -> Cost:
        """Return the cost of arrays with x and y up to a number."""

    @cached_property
    def _symmetric(self) -> bool:
        return is_symmetric(self.game)

    def plan_outcome(self, heaps: Coordinates) -> Plan[Outcome] | None:
        """Plan one position by one look-up."""
        order = self._order(heaps)
        if order is None:
            return None
        x, y, z = _chosen(heaps, order)
        rows, columns = self._shape
        if x >= rows or y >= columns:
            return None

        def run() -> Outcome:
            is_p = self._arrays(max(x, y)).rows.item(x, y) == z
            return Outcome.P if is_p else Outcome.N

        return Plan(max(LOOK_UP, self.cost(max(x, y)), key=lambda cost: cost.seconds), run)

    def taken_of(self, heaps: Coordinates) -> list[int]:
        """Return the tokens by inverse look-ups."""
        from position_oracle.oracle.families.heaps import kernels

        order = self._order(heaps)
        assert order is not None  # noqa: S101 - the outcome is known from here
        x, y, z = _chosen(heaps, order)
        found = np.zeros((1, len(LINES)), np.int64)
        kernels.sheet_taken(np.array([[x, y, z]]), self._arrays(max(x, y)), found)
        taken = dict(zip(LINES, found[0].tolist(), strict=True))
        place = {heap: slot for slot, heap in enumerate(order)}
        if self.lines is None:
            return [taken[(place[heap],)] if heap in place else 0 for heap in range(len(heaps))]
        wanted = (LINES[line] for line in self.lines)
        return [taken[tuple(sorted(place[heap] for heap in line))] for line in wanted]

    def _order(self, heaps: Coordinates) -> Sequence[int] | None:
        """Return the heaps that are x, y, z of the table; None if a further heap is not empty."""
        if not self._symmetric:
            return self.axes
        padded = (*heaps, *(0,) * (3 - len(heaps)))
        order = sorted(range(len(padded)), key=padded.__getitem__)
        return None if len(order) > 3 and padded[order[-4]] else order[-3:]

    def plan_outcomes(self, heaps: Int64Array) -> tuple[Mask, Cost]:
        """Return which positions have x and y in the table."""
        frame, (rows, columns) = self._frame(heaps), self._shape
        known = frame.fits & (frame.heaps[:, 0] < rows) & (frame.heaps[:, 1] < columns)
        cost = self.cost(int(frame.heaps[known, :2].max())) if known.any() else Cost()
        return known, cost + Cost(_ROW_SECONDS * len(heaps))

    def outcomes(self, heaps: Int64Array) -> Outcomes:
        """Return outcomes by look-ups."""
        from position_oracle.oracle.families.heaps import kernels

        frame, out = self._frame(heaps), np.zeros(len(heaps), np.uint8)
        kernels.sheet_outcomes(np.ascontiguousarray(frame.heaps), self._arrays_of(frame), out)
        return out

    def taken(self, heaps: Int64Array) -> Int64Array:
        """Return the tokens by inverse look-ups."""
        from position_oracle.oracle.families.heaps import kernels

        frame, taken = self._frame(heaps), np.zeros((len(heaps), len(LINES)), np.int64)
        kernels.sheet_taken(np.ascontiguousarray(frame.heaps), self._arrays_of(frame), taken)
        if self.lines is None:
            return frame.single_lines(taken[:, :3], heaps.shape[1])
        return frame.all_lines(taken)[:, self.lines]

    def _frame(self, heaps: Int64Array) -> Frame:
        return Frame.largest(heaps) if self._symmetric else Frame.of_axes(heaps, self.axes)

    def _arrays_of(self, frame: Frame) -> SheetArrays:
        return self._arrays(int(frame.heaps[:, :2].max(initial=0)))


@dataclass(frozen=True)
class Stored(_ThreeHeaps):
    """A stored table of three heaps."""

    certainty = Certainty.EXACT_TABLE
    table: HeapArrays

    @cached_property
    def reason(self) -> str:
        """The name and range of the table."""
        return f"table of {self.table.game.text}, {self.table.range}"

    def cost(self, largest: int) -> Cost:
        """Return no cost: the table is stored."""
        return Cost()

    @property
    def _shape(self) -> tuple[int, int]:
        rows, columns = self.table.arrays.rows.shape
        return rows, columns

    def _arrays(self, largest: int) -> SheetArrays:
        return self.table.arrays


@dataclass(frozen=True)
class Solved(_ThreeHeaps):
    """A table of three heaps solved on demand, in one of a few sizes.

    Attributes:
        tables: the cache of solved tables.
    """

    certainty = Certainty.EXACT_SEARCH
    needs_kernels = True
    tables: SolvedTables

    @cached_property
    def reason(self) -> str:
        """The name of the game that was solved."""
        return f"sheets of {self.game.text}, solved on demand"

    def cost(self, largest: int) -> Cost:
        """Return the cost of solving the table."""
        side = next(side for side in SIDES if side >= largest)
        return Cost(1e-7 * (side + 64) ** 2 * (1 if self.game.noise is None else 10), 1 << 24)

    @property
    def _shape(self) -> tuple[int, int]:
        return (side_for(self.game) + 1,) * 2

    def _arrays(self, largest: int) -> SheetArrays:
        return self.tables.sheets(self._framed_game, largest)

    @cached_property
    def _framed_game(self) -> GameSpec:
        """The game in which heap i is heap axes[i] of the game, which then has no noise."""
        if self._symmetric:
            return self.game
        declared = (tuple(each[axis] for axis in self.axes) for each in self.game.declared)
        return replace(self.game, declared=tuple(declared))


@dataclass(frozen=True)
class SearchedNim(Knowledge):
    """Search of Nim with an odd number of passes and four or five heaps, on demand."""

    certainty = Certainty.EXACT_SEARCH
    needs_kernels = True
    move_seconds = 3e-7
    misere: bool
    tables: SolvedTables

    @property
    def reason(self) -> str:
        """A description of the search of all smaller positions."""
        return "search of all smaller positions with one pass; two more passes change no outcome"

    def plan_outcome(self, heaps: Coordinates) -> Plan[Outcome] | None:
        """Plan one position by a search of all positions up to its heaps."""
        limits = tuple(sorted(heap for heap in heaps if heap))
        cost = self._cost(limits) if len(limits) in SEARCHED_HEAPS else None
        if cost is None:
            return None
        rows = np.array([heaps], np.int64)
        return Plan(cost, lambda: Outcome(int(self.outcomes(rows)[0])))

    def plan_outcomes(self, heaps: Int64Array) -> tuple[Mask, Cost]:
        """Return which positions are small enough for a few searches."""
        known, total = np.zeros(len(heaps), np.bool_), Cost(_ROW_SECONDS * len(heaps))
        for rows, frame in self._frames(heaps):
            for cost, covered in self._searches(frame.heaps):
                total += cost
                known[rows[covered]] = True
                if not total.fits(current().limit):
                    break
        return known, total

    def outcomes(self, heaps: Int64Array) -> Outcomes:
        """Return outcomes by searches of the largest positions, which cover others."""
        out = np.zeros(len(heaps), np.uint8)
        for rows, part, is_p in self._searched(heaps):
            out[rows] = as_outcomes(is_p(part.heaps))
        return out

    def _frames(self, heaps: Int64Array) -> Iterator[tuple[NDArray[np.intp], Frame]]:
        """Return the positions of four and of five heaps with their row numbers."""
        for count in SEARCHED_HEAPS:
            current().check()
            frame = Frame.largest(heaps, count)
            has_count = frame.fits & (frame.heaps[:, 0] > 0)
            yield np.flatnonzero(has_count), frame.part(has_count)

    def _searched(
        self, heaps: Int64Array
    ) -> Iterator[tuple[NDArray[np.intp], Frame, Callable[[Int64Array], NDArray[np.bool_]]]]:
        """Return positions with their row numbers and a look-up of which smaller ones are P."""
        for rows, frame in self._frames(heaps):
            for _, covered in self._searches(frame.heaps):
                current().check()
                part = frame.part(covered)
                limits = tuple(part.heaps.max(axis=0).tolist())
                found = self.tables.search(self._game(len(limits)), limits, "wins")
                yield rows[covered], part, partial(_is_p_in, found)

    def _searches(self, heaps: Int64Array) -> Iterator[tuple[Cost, Mask]]:
        """Return searches that cover ascending heaps, the largest first, with costs and ranges."""
        least = (heaps + 1.0).prod(axis=1) / factorial(heaps.shape[1])  # of the positions inside
        fits = (2 * least <= MAX_CELLS) & (2 * least * heaps.sum(axis=1) <= MAX_STEPS)
        left, tried = fits.copy(), np.flatnonzero(fits)
        tried = tried[distinct_rows(heaps[tried])[0]]
        for row in watched(tried[np.argsort(-least[tried], kind="stable")].tolist()):
            cost = self._cost(tuple(heaps[row].tolist())) if left[row] else None
            if cost is not None:
                covered = left & (heaps <= heaps[row]).all(axis=1)
                left &= ~covered
                yield cost, covered

    def _cost(self, limits: Coordinates) -> Cost | None:
        return search_cost(self._game(len(limits)), limits)

    def taken(self, heaps: Int64Array) -> Int64Array:
        """Return the tokens by visiting all children; the first P-position of each line counts."""
        back = np.zeros(heaps.shape, np.int64)
        for rows, part, is_p in self._searched(heaps):
            taken = np.zeros(part.heaps.shape, np.int64)
            for line, column in enumerate(part.heaps.T):
                for rest in watched(range(int(column.max()))):
                    left = np.flatnonzero((column > rest) & (taken[:, line] == 0))
                    children = part.heaps[left]
                    children[:, line] = rest
                    lost = left[is_p(children)]
                    taken[lost, line] = column[lost] - rest
            back[rows] = part.single_lines(taken, heaps.shape[1])
        return back

    def _game(self, heaps: int) -> GameSpec:
        return GameSpec("nim", heaps, passes=1, misere=self.misere)


def _is_p_in(table: "Table", heaps: Int64Array) -> NDArray[np.bool_]:
    """Return which positions are P by a search; with one pass."""
    return np.asarray(~table.values[table.shape.ranks(heaps), 1])


def _chosen(heaps: Coordinates, order: Sequence[int]) -> tuple[int, ...]:
    """Return heaps in another order; 0 for missing heaps."""
    return tuple(heaps[heap] if heap < len(heaps) else 0 for heap in order)
