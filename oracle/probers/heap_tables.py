"""Tables of games of heaps as sources: stored ones, and those solved when they are asked for."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from engine.games.spec import GameSpec
from engine.solvers.heap_games import is_symmetric, permuted
from engine.solvers.heap_search import HeapGame
from oracle.answers import Certainty
from oracle.probers import heap_kernels as kernels
from oracle.probers.base import Outcomes
from oracle.probers.heap_arrays import HeapTable
from oracle.probers.heap_frames import Frame, Int64Array
from oracle.probers.heap_on_demand import (
    MAX_SEARCHES,
    SEARCHED_HEAPS,
    SolvedTables,
    search_fits,
    side_for,
)
from oracle.probers.heap_sources import Source, as_outcomes

_NATURAL: Final = (0, 1, 2)


@dataclass(frozen=True, slots=True)
class _ThreeHeaps(Source):
    """A table of three heaps, for positions of which at most three heaps are not empty.

    Attributes:
        game: the game of the table.
        lines: places of the lines of the game in `LINES`; None for Nim, with any number of heaps.
    """

    game: GameSpec
    lines: tuple[int, ...] | None

    def _taken(self, frame: Frame, arrays: kernels.SheetArrays, heaps: int) -> Int64Array:
        taken = np.zeros((len(frame.heaps), len(kernels.LINES)), np.int64)
        kernels.sheet_taken(np.ascontiguousarray(frame.heaps), arrays, taken)
        if self.lines is None:
            return frame.single_lines(taken[:, :3], heaps)
        return frame.all_lines(taken)[:, self.lines]


@dataclass(frozen=True, slots=True)
class Stored(_ThreeHeaps):
    """A stored table."""

    table: HeapTable

    @property
    def certainty(self) -> Certainty:
        """Looked up."""
        return Certainty.EXACT_TABLE

    @property
    def reason(self) -> str:
        """Which table."""
        return f"table of {self.table.game.text}, {self.table.range}"

    def outcomes(self, heaps: Int64Array) -> Outcomes:
        """Positions in the table."""
        return _sheet_outcomes(self._frame(heaps), self.table.arrays)

    def taken(self, heaps: Int64Array) -> Int64Array:
        """By inverse look-ups."""
        return self._taken(self._frame(heaps), self.table.arrays, heaps.shape[1])

    def _frame(self, heaps: Int64Array) -> Frame:
        if self.table.arrays.symmetric:
            return Frame.largest(heaps)
        return Frame.of_axes(heaps, _NATURAL)


@dataclass(frozen=True, slots=True)
class Solved(_ThreeHeaps):
    """A table solved when asked for, of a few sizes, for the heaps in a certain order.

    Attributes:
        tables: where they are kept.
        axes: for games that are not symmetric, which heaps are x, y and z of the table.
    """

    tables: SolvedTables
    axes: tuple[int, int, int] = _NATURAL

    @property
    def certainty(self) -> Certainty:
        """Computed."""
        return Certainty.EXACT_SEARCH

    @property
    def reason(self) -> str:
        """Which game was solved."""
        return f"sheets of {self.game.text}, solved when asked for"

    def outcomes(self, heaps: Int64Array) -> Outcomes:
        """Positions of which two heaps are small."""
        frame = self._frame(heaps)
        out = np.zeros(len(heaps), np.uint8)
        largest = frame.heaps[:, :2].max(axis=1, initial=0)
        small = np.array(frame.fits & (largest <= side_for(self.game)))
        if small.any():
            arrays = self._arrays(int(largest[small].max()))
            out[small] = _sheet_outcomes(frame.part(small), arrays)
        return out

    def taken(self, heaps: Int64Array) -> Int64Array:
        """By inverse look-ups."""
        frame = self._frame(heaps)
        arrays = self._arrays(int(frame.heaps[:, :2].max(initial=0)))
        return self._taken(frame, arrays, heaps.shape[1])

    def _frame(self, heaps: Int64Array) -> Frame:
        if is_symmetric(self.game):
            return Frame.largest(heaps)
        return Frame.of_axes(heaps, self.axes)

    def _arrays(self, largest: int) -> kernels.SheetArrays:
        game = self.game if self.axes == _NATURAL else permuted(self.game, self.axes)
        return self.tables.sheets(game, largest)


@dataclass(frozen=True, slots=True)
class Searched(Source):
    """Nim with an odd number of passes and four or five heaps, searched when asked for."""

    misere: bool
    tables: SolvedTables

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
        searches = 0
        for row in np.argsort(-heaps.astype(np.float64).prod(axis=1)):
            limits = tuple(heaps[row].tolist())
            if out[row] or not search_fits(self._game(count), limits):
                continue
            if searches == MAX_SEARCHES:
                break
            found = self.tables.search(self._game(count), limits)
            covered = (heaps <= np.array(found.limits)).all(axis=1)
            out[covered] = as_outcomes(~found.outcome_n[1, found.rank(heaps[covered])])
            searches += 1
        return out

    def taken(self, heaps: Int64Array) -> Int64Array:
        """By looking at all children."""
        back = np.zeros(heaps.shape, np.int64)
        for row, position in enumerate(heaps):
            count = int(np.count_nonzero(position))
            frame = Frame.largest(position[np.newaxis], count)
            found = self.tables.search(self._game(count), tuple(frame.heaps[0].tolist()))
            taken = np.zeros(frame.heaps.shape, np.int64)
            kernels.search_taken(frame.heaps, found.offset, found.outcome_n[1], taken)
            back[row] = frame.single_lines(taken, heaps.shape[1])
        return back

    def _game(self, heaps: int) -> HeapGame:
        return HeapGame(heaps, passes=1, misere=self.misere)


def _sheet_outcomes(frame: Frame, arrays: kernels.SheetArrays) -> Outcomes:
    out = np.zeros(len(frame.heaps), np.uint8)
    kernels.sheet_outcomes(np.ascontiguousarray(frame.heaps), arrays, out)
    out[~frame.fits] = 0
    return out
