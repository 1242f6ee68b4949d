"""Tables of games of heaps as sources: stored ones, and those solved when they are asked for."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import Cost, current
from position_oracle.engine.games.heaps import is_symmetric
from position_oracle.engine.games.position import Outcome
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.oracle.answers import Certainty
from position_oracle.oracle.families.base import Outcomes
from position_oracle.oracle.families.heaps.arrays import LINES, HeapTable, SheetArrays
from position_oracle.oracle.families.heaps.frames import Frame, Int64Array
from position_oracle.oracle.families.heaps.on_demand import (
    SEARCHED_HEAPS,
    SIDES,
    SolvedTables,
    search_fits,
    search_price,
    side_for,
)
from position_oracle.oracle.families.heaps.theorems import Source, as_outcomes

if TYPE_CHECKING:
    from position_oracle.engine.solvers.heap_search import HeapGame


@dataclass(frozen=True)
class _ThreeHeaps(Source):
    """A table of three heaps, for positions of which at most three heaps are not empty.

    Attributes:
        game: the game of the table.
        lines: places of the lines of the game in `LINES`; None for Nim, with any number of heaps.
        axes: for games that are not symmetric, which heaps are x, y and z of the table.
    """

    game: GameSpec
    lines: tuple[int, ...] | None
    axes: tuple[int, int, int] = field(default=(0, 1, 2), kw_only=True)

    @abstractmethod
    def _arrays(self, x: int, y: int) -> SheetArrays | None:
        """Arrays that hold x and y, the smaller first where heaps may be permuted."""

    @cached_property
    def _symmetric(self) -> bool:
        return is_symmetric(self.game)

    def outcome_of(self, heaps: Coordinates) -> Outcome:
        """One position, by one look-up."""
        order = self._order(heaps)
        if order is None:
            return Outcome.UNKNOWN
        x, y, z = _chosen(heaps, order)
        arrays = self._arrays(x, y)
        if arrays is None:
            return Outcome.UNKNOWN
        return Outcome.P if arrays.rows.item(x, y) == z else Outcome.N

    def taken_of(self, heaps: Coordinates) -> list[int]:
        """By inverse look-ups."""
        order = self._order(heaps)
        assert order is not None  # noqa: S101 - the outcome is known from here
        x, y, z = _chosen(heaps, order)
        arrays = self._arrays(x, y)
        assert arrays is not None  # noqa: S101 - likewise
        from position_oracle.oracle.families.heaps import kernels

        found = np.zeros((1, len(LINES)), np.int64)
        kernels.sheet_taken(np.array([[x, y, z]]), arrays, found)
        taken = dict(zip(LINES, found[0].tolist(), strict=True))
        place = {heap: slot for slot, heap in enumerate(order)}
        if self.lines is None:
            return [taken[(place[heap],)] if heap in place else 0 for heap in range(len(heaps))]
        wanted = (LINES[line] for line in self.lines)
        return [taken[tuple(sorted(place[heap] for heap in line))] for line in wanted]

    def _order(self, heaps: Coordinates) -> Sequence[int] | None:
        """Which heaps are x, y and z of the table; None where a further heap is not empty."""
        if not self._symmetric:
            return self.axes
        padded = (*heaps, *(0,) * (3 - len(heaps)))
        order = sorted(range(len(padded)), key=padded.__getitem__)
        return None if len(order) > 3 and padded[order[-4]] else order[-3:]

    def _frame(self, heaps: Int64Array) -> Frame:
        return Frame.largest(heaps) if self._symmetric else Frame.of_axes(heaps, self.axes)

    def _outcomes_in(self, frame: Frame, arrays: SheetArrays) -> Outcomes:
        from position_oracle.oracle.families.heaps import kernels

        out = np.zeros(len(frame.heaps), np.uint8)
        kernels.sheet_outcomes(np.ascontiguousarray(frame.heaps), arrays, out)
        out[~frame.fits] = Outcome.UNKNOWN
        return out

    def _taken_in(self, frame: Frame, arrays: SheetArrays, heaps: int) -> Int64Array:
        from position_oracle.oracle.families.heaps import kernels

        taken = np.zeros((len(frame.heaps), len(LINES)), np.int64)
        kernels.sheet_taken(np.ascontiguousarray(frame.heaps), arrays, taken)
        if self.lines is None:
            return frame.single_lines(taken[:, :3], heaps)
        return frame.all_lines(taken)[:, self.lines]


@dataclass(frozen=True)
class Stored(_ThreeHeaps):
    """A stored table."""

    table: HeapTable

    @property
    def certainty(self) -> Certainty:
        """Looked up."""
        return Certainty.EXACT_TABLE

    @cached_property
    def reason(self) -> str:
        """Which table."""
        return f"table of {self.table.game.text}, {self.table.range}"

    def outcomes(self, heaps: Int64Array) -> Outcomes:
        """Positions in the table."""
        return self._outcomes_in(self._frame(heaps), self.table.arrays)

    def price_of_rows(self, heaps: Int64Array) -> tuple[Cost, NDArray[np.bool_]]:
        """Look-ups, for positions in the table."""
        rows, columns = self.table.arrays.rows.shape
        frame = self._frame(heaps)
        return Cost(), frame.fits & (frame.heaps[:, 0] < rows) & (frame.heaps[:, 1] < columns)

    def taken(self, heaps: Int64Array) -> Int64Array:
        """By inverse look-ups."""
        return self._taken_in(self._frame(heaps), self.table.arrays, heaps.shape[1])

    def _arrays(self, x: int, y: int) -> SheetArrays | None:
        rows, columns = self.table.arrays.rows.shape
        return self.table.arrays if x < rows and y < columns else None


@dataclass(frozen=True)
class Solved(_ThreeHeaps):
    """A table solved when asked for, of a few sizes.

    Attributes:
        tables: where they are kept.
    """

    tables: SolvedTables

    @property
    def needs_kernels(self) -> bool:
        """To solve the table or search."""
        return True

    @property
    def certainty(self) -> Certainty:
        """Computed."""
        return Certainty.EXACT_SEARCH

    @cached_property
    def reason(self) -> str:
        """Which game was solved."""
        return f"sheets of {self.game.text}, solved when asked for"

    def outcomes(self, heaps: Int64Array) -> Outcomes:
        """Positions of which two heaps are small."""
        frame = self._frame(heaps)
        out = np.zeros(len(heaps), np.uint8)
        largest = frame.heaps[:, :2].max(axis=1, initial=0)
        small = np.asarray(frame.fits & (largest <= side_for(self.game)))
        if small.any():
            arrays = self._solved(int(largest[small].max()))
            out[small] = self._outcomes_in(frame.part(small), arrays)
        return out

    def taken(self, heaps: Int64Array) -> Int64Array:
        """By inverse look-ups."""
        frame = self._frame(heaps)
        arrays = self._solved(int(frame.heaps[:, :2].max(initial=0)))
        return self._taken_in(frame, arrays, heaps.shape[1])

    def price_of(self, heaps: Coordinates) -> Cost | None:
        """That of solving the table."""
        order = self._order(heaps)
        if order is None:
            return None
        largest = max(_chosen(heaps, order)[:2])
        return None if largest > side_for(self.game) else self._price(largest)

    def price_of_rows(self, heaps: Int64Array) -> tuple[Cost, NDArray[np.bool_]]:
        """That of solving the table for the largest of them."""
        frame = self._frame(heaps)
        largest = frame.heaps[:, :2].max(axis=1, initial=0)
        known = np.asarray(frame.fits & (largest <= side_for(self.game)))
        return (self._price(int(largest[known].max())) if known.any() else Cost()), known

    def _price(self, largest: int) -> Cost:
        side = next(side for side in SIDES if side >= largest)
        return Cost(1e-7 * (side + 64) ** 2 * (1 if self.game.noise is None else 10), 1 << 24)

    def _arrays(self, x: int, y: int) -> SheetArrays | None:
        largest = max(x, y)
        return self._solved(largest) if largest <= side_for(self.game) else None

    def _solved(self, largest: int) -> SheetArrays:
        return self.tables.sheets(self._framed_game, largest)

    @cached_property
    def _framed_game(self) -> GameSpec:
        from position_oracle.engine.solvers.heap_games import permuted

        return self.game if self._symmetric else permuted(self.game, self.axes)


@dataclass(frozen=True)
class Searched(Source):
    """Nim with an odd number of passes and four or five heaps, searched when asked for."""

    misere: bool
    tables: SolvedTables

    @property
    def needs_kernels(self) -> bool:
        """To solve the table or search."""
        return True

    @property
    def certainty(self) -> Certainty:
        """Computed."""
        return Certainty.EXACT_SEARCH

    @property
    def reason(self) -> str:
        """That all smaller positions were searched."""
        return "search of all smaller positions with one pass; two more passes change no outcome"

    def outcomes(self, heaps: Int64Array) -> Outcomes:
        """Small positions, as far as a few searches cover them."""
        out = np.zeros(len(heaps), np.uint8)
        for count in SEARCHED_HEAPS:
            frame = Frame.largest(heaps, count)
            rows = np.flatnonzero(frame.fits & (frame.heaps[:, 0] > 0))
            out[rows] = self._searched(frame.heaps[rows], count)
        return out

    def _searched(self, heaps: Int64Array, count: int) -> Outcomes:
        """Outcomes of ascending heaps; the largest are searched first, and cover others."""
        out = np.zeros(len(heaps), np.uint8)
        for row in np.argsort(-heaps.astype(np.float64).prod(axis=1)):
            limits = tuple(heaps[row].tolist())
            if out[row] or not search_fits(self._game(count), limits):
                continue
            current().check()
            found = self.tables.search(self._game(count), limits)
            covered = (heaps <= np.array(found.limits)).all(axis=1)
            out[covered] = as_outcomes(~found.outcome_n[1, found.rank(heaps[covered])])
        return out

    def price_of(self, heaps: Coordinates) -> Cost | None:
        """That of the search."""
        limits = tuple(sorted(heap for heap in heaps if heap))
        if len(limits) not in SEARCHED_HEAPS:
            return None
        return search_price(self._game(len(limits)), limits)

    def price_of_rows(self, heaps: Int64Array) -> tuple[Cost, NDArray[np.bool_]]:
        """That of the searches that `outcomes` makes."""
        known, total = np.zeros(len(heaps), np.bool_), Cost()
        for count in SEARCHED_HEAPS:
            frame = Frame.largest(heaps, count)
            rows = np.flatnonzero(frame.fits & (frame.heaps[:, 0] > 0))
            part = frame.heaps[rows]
            for row in np.argsort(-part.astype(np.float64).prod(axis=1)):
                limits = tuple(part[row].tolist())
                price = None if known[rows[row]] else search_price(self._game(count), limits)
                if price is None:
                    continue
                total += price
                known[rows[(part <= part[row]).all(axis=1)]] = True
                if not total.fits(current().limit):
                    break
        return total, known

    def taken(self, heaps: Int64Array) -> Int64Array:
        """By looking at all children."""
        from position_oracle.oracle.families.heaps import kernels

        back = np.zeros(heaps.shape, np.int64)
        for row, position in enumerate(heaps):
            count = int(np.count_nonzero(position))
            frame = Frame.largest(position[np.newaxis], count)
            found = self.tables.search(self._game(count), tuple(frame.heaps[0].tolist()))
            taken = np.zeros(frame.heaps.shape, np.int64)
            kernels.search_taken(frame.heaps, found.offset, found.outcome_n[1], taken)
            back[row] = frame.single_lines(taken, heaps.shape[1])
        return back

    def _game(self, heaps: int) -> "HeapGame":
        from position_oracle.engine.solvers.heap_search import HeapGame

        return HeapGame(heaps, passes=1, misere=self.misere)


def _chosen(heaps: Coordinates, order: Sequence[int]) -> tuple[int, ...]:
    """Heaps in another order; 0 for those that are not there."""
    return tuple(heaps[heap] if heap < len(heaps) else 0 for heap in order)
