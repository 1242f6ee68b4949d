"""The table of one three-row game: its arrays, and what can be said from them of one position.

Children are found by inverse look-ups: for each of the six moves at most one child is a P-position
(two of them would reach each other by the same move), and the arrays say where it is. The look-ups
of one position need no compiled code.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from engine.games.position import Outcome
from engine.games.spec import Coordinates, GameSpec
from oracle.answers import Certainty
from oracle.families.chomp3.index import SheetIndex
from schema.answers import Build
from schema.sheets import CUT, NO_Z, STOPS


class _PlainArrays(NamedTuple):
    """The arrays of an index as Python objects, whose single elements are quickly read."""

    offset: list[int]
    z: memoryview
    period: list[int]
    tail_offset: list[int]
    tail_z: memoryview


@dataclass(frozen=True)
class SheetTable:
    """The arrays of one game and the build they come from.

    Attributes:
        game: the game.
        index: its arrays.
        build: provenance; None for a table that was solved when asked for.
    """

    game: GameSpec
    index: SheetIndex
    build: Build | None

    @property
    def certainty(self) -> Certainty:
        """How answers from this table are known."""
        return Certainty.EXACT_SEARCH if self.build is None else Certainty.EXACT_TABLE

    @cached_property
    def columns(self) -> int | None:
        """Number of columns known of every sheet; None where all are, as in games without noise."""
        lengths = self.index.prefix_offset[1:] - self.index.prefix_offset[:-1]
        cut = lengths[self.index.period == CUT]
        return int(cut.min()) if len(cut) else None

    @cached_property
    def range(self) -> str:
        """The positions covered, in words."""
        if self.index.closed_by >= 0:
            return "any x, y and z"
        rest = "any y and z" if self.columns is None else f"y < {self.columns}, any z"
        return f"x <= {self.index.limit}, {rest}"

    @cached_property
    def reason(self) -> str:
        """What answers from this table rest on."""
        return f"loser sheets of {self.game.text}, {self.range}"

    @cached_property
    def _plain(self) -> "_PlainArrays":
        index = self.index
        return _PlainArrays(
            index.prefix_offset.tolist(),
            index.z.data,
            index.period.tolist(),
            index.tail_offset.tolist(),
            index.tail_z.data,
        )

    @cached_property
    def _y(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        lengths = self.index.prefix_offset[1:] - self.index.prefix_offset[:-1]
        return np.arange(int(lengths.max(initial=0)))

    def outcome(self, coordinates: Coordinates) -> Outcome:
        """The outcome of a position that is covered."""
        x, y, z = coordinates
        if x > self.index.limit:
            return Outcome.N
        return Outcome.P if self._z_at(x, y) == z else Outcome.N

    def covers(self, coordinates: Coordinates) -> bool:
        """Whether the sheet of a position is known as far as the position."""
        x, y, _ = coordinates
        in_columns = self.columns is None or y < self.columns
        return self.index.closed_by >= 0 or (x <= self.index.limit and in_columns)

    def has_all_children(self, coordinates: Coordinates) -> bool:
        """Whether every winning move is known; a bite of the third row can lead to a larger y."""
        x, y, _ = coordinates
        return self.columns is None or x + y < self.columns

    def winning_children(self, coordinates: Coordinates) -> list[Coordinates]:
        """The P-positions one move from a position that is covered, in the order of the moves."""
        x, y, z = coordinates
        closed_by, diagonal = self.index.closed_by, self.index.diagonal
        a, b = x + y + z, x + y
        found: list[Coordinates] = []
        if 0 <= closed_by < x:
            found.append((closed_by, 0, 0))
        length, period = self._shape(x)
        if period == STOPS and 0 < length <= y:
            found.append((x, length - 1, 0))
        lower = self._z_at(x, y)
        if NO_Z < lower < z:
            found.append((x, y, lower))
        if a < len(diagonal) and 0 <= (j := int(diagonal[a])) < x:
            found.append((j, 0, a - j))
        if (second := self._second_row(a, b, x)) is not None:
            found.append((x, second - x, a - second))
        if (third := self._third_row(a, b, x)) is not None:
            found.append((third, b - third, z))
        return found

    def _shape(self, x: int) -> tuple[int, int]:
        """Length of the prefix and period of sheet x; beyond a closed table sheets are empty."""
        if x > self.index.limit:
            return 0, STOPS
        offset = self._plain.offset
        return offset[x + 1] - offset[x], self._plain.period[x]

    def _z_at(self, x: int, y: int) -> int:
        """The z of the P-position in column y of sheet x; `NO_Z` where there is none."""
        if x > self.index.limit:
            return NO_Z
        offset, prefix_z, periods, tail_offset, tail_z = self._plain
        start, period = offset[x], periods[x]
        past = y - (offset[x + 1] - start)
        if past < 0:
            return int(prefix_z[start + y])
        return int(tail_z[tail_offset[x] + past % period]) if period > 0 else NO_Z

    def _second_row(self, a: int, b: int, c: int) -> int | None:
        """The b' in c .. b - 1 for which (a, b', c) is a P-position (M1)."""
        length, period = self._shape(c)
        target, count = a - c, min(b - c, length)
        if count:
            start = self._plain.offset[c]
            tops = self.index.z[start : start + count] + self._y[:count]
            places = np.flatnonzero(tops == target)
            if len(places):
                return c + int(places[0])
        for i in range(period):
            y = target - int(self._plain.tail_z[self._plain.tail_offset[c] + i])
            if length <= y < b - c and (y - length) % period == i:
                return c + y
        return None

    def _third_row(self, a: int, b: int, c: int) -> int | None:
        """The c' < c for which (a, b, c') is a P-position (M4)."""
        index, z = self.index, a - b
        first = index.limit + 1
        if b < len(index.row_first):
            first = int(index.row_first[b])
            start = int(index.row_offset[b])
            if c > first and z < np.iinfo(index.row_z.dtype).max:
                places = np.flatnonzero(index.row_z[start : start + c - first] == z)
                if len(places):
                    return first + int(places[0])
        below = min(first, c)
        if z < len(index.constant_tail) and 0 <= (sheet := int(index.constant_tail[z])) < below:
            return sheet
        periodic = index.periodic_sheets
        for sheet in periodic[: np.searchsorted(periodic, below)].tolist():
            if self._z_at(sheet, b - sheet) == z:
                return sheet
        return None
