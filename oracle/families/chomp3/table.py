"""The table of one three-row game: its arrays, and answers about one position.

For each of the six moves at most one child is a P-position, because two of them would reach each
other by the same move. An *inverse look-up* in the arrays finds this child. The look-ups of one
position need no compiled code.
"""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from position_oracle.engine.games.position import Outcome
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.oracle.answers import Certainty, Limits
from position_oracle.oracle.families.chomp3.index import SheetIndex, ZArray
from position_oracle.oracle.families.sources import Rows
from position_oracle.schema.games import Build
from position_oracle.schema.sheets import CUT, NO_Z, STOPS


class _PlainArrays(NamedTuple):
    """The arrays of an index as Python objects, whose single elements are fast to read."""

    offset: list[int]
    z: memoryview
    period: list[int]
    tail_offset: list[int]
    tail_z: memoryview
    row_first: memoryview
    row_offset: memoryview


@dataclass(frozen=True)
class SheetTable:
    """The arrays of one game and their build.

    Attributes:
        game: the game.
        index: the arrays of the game.
        build: provenance; None for a table solved on demand.
    """

    game: GameSpec
    index: SheetIndex
    build: Build | None

    @property
    def certainty(self) -> Certainty:
        """The certainty of answers from this table."""
        return Certainty.EXACT_SEARCH if self.build is None else Certainty.EXACT_TABLE

    @cached_property
    def columns(self) -> int | None:
        """Number of known columns of every sheet; None if all are known."""
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

    @property
    def limits(self) -> Limits:
        """The positions covered, in numbers."""
        if self.index.closed_by >= 0:
            return {}
        x = {"x": self.index.limit}
        return x if self.columns is None else {**x, "y": self.columns - 1}

    @cached_property
    def reason(self) -> str:
        """The reason of answers from this table."""
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
            index.row_first.data,
            index.row_offset.data,
        )

    @cached_property
    def _periodic(self) -> dict[int, list[int]]:
        """Sheets with a tail of period 2 or more, ascending, by each z of the tail."""
        found: dict[int, list[int]] = {}
        for sheet in self.index.periodic_sheets.tolist():
            begin, end = self._plain.tail_offset[sheet : sheet + 2]
            for z in set(self.index.tail_z[begin:end].tolist()):
                found.setdefault(z, []).append(sheet)
        return found

    @cached_property
    def _absent(self) -> int:
        """Code for no P-position of a sheet in a row; larger than every z."""
        return int(np.iinfo(self.index.row_z.dtype).max)

    def outcome(self, coordinates: Coordinates) -> Outcome:
        """Return the outcome of a covered position."""
        x, y, z = coordinates
        if x > self.index.limit:
            return Outcome.N
        return Outcome.P if self._z_at(x, y) == z else Outcome.N

    def covers(self, coordinates: Coordinates) -> bool:
        """Return whether the sheet of a position is known up to the position."""
        x, y, _ = coordinates
        in_columns = self.columns is None or y < self.columns
        return self.index.closed_by >= 0 or (x <= self.index.limit and in_columns)

    def covers_rows(self, coordinates: Rows) -> npt.NDArray[np.bool_]:
        """Return which rows of a batch are covered, bool (n,); see `covers`."""
        if self.index.closed_by >= 0:
            return np.ones(len(coordinates), np.bool_)
        covered: npt.NDArray[np.bool_] = coordinates[:, 0] <= self.index.limit
        if self.columns is not None:
            covered &= coordinates[:, 1] < self.columns
        return covered

    def has_all_children(self, coordinates: Coordinates) -> bool:
        """Return whether all winning moves are known; a bite of row 3 may increase y."""
        x, y, _ = coordinates
        return self.columns is None or x + y < self.columns

    def winning_children(self, coordinates: Coordinates) -> list[Coordinates]:
        """Return the P-positions one move from a covered position, in the order of the moves."""
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
        """Return prefix length and period of sheet x; sheets beyond a closed table are empty."""
        if x > self.index.limit:
            return 0, STOPS
        offset = self._plain.offset
        return offset[x + 1] - offset[x], self._plain.period[x]

    def _z_at(self, x: int, y: int) -> int:
        """Return the z of the P-position in column y of sheet x; `NO_Z` if there is none."""
        if x > self.index.limit:
            return NO_Z
        plain = self._plain
        start, period = plain.offset[x], plain.period[x]
        past = y - (plain.offset[x + 1] - start)
        if past < 0:
            return int(plain.z[start + y])
        return int(plain.tail_z[plain.tail_offset[x] + past % period]) if period > 0 else NO_Z

    def _second_row(self, a: int, b: int, c: int) -> int | None:
        """Return the b' in c .. b - 1 with a P-position (a, b', c) (move M1)."""
        length, period = self._shape(c)
        target = a - c
        # In a column below `first` the required z would exceed every z.
        first, end = max(0, target - self._absent), min(b - c, length)
        if first < end:
            start = self._plain.offset[c]
            z = self.index.z[start + first : start + end]
            place = _first_equal(z, _descending(z.dtype, target - first, len(z)))
            if place is not None:
                return c + first + place
        for i in range(period):
            y = target - int(self._plain.tail_z[self._plain.tail_offset[c] + i])
            if length <= y < b - c and (y - length) % period == i:
                return c + y
        return None

    def _third_row(self, a: int, b: int, c: int) -> int | None:
        """Return the c' < c with a P-position (a, b, c') (move M4)."""
        index, plain, z = self.index, self._plain, a - b
        first = index.limit + 1
        if b < len(plain.row_first):
            last, first, start = min(c, first), plain.row_first[b], plain.row_offset[b]
            if last > first and z < self._absent:
                place = _first_equal(index.row_z[start : start + last - first], z)
                if place is not None:
                    return first + place
        below = min(first, c)
        if z < len(index.constant_tail) and 0 <= (sheet := int(index.constant_tail[z])) < below:
            return sheet
        for sheet in self._periodic.get(z, ()):
            if sheet < below and self._z_at(sheet, b - sheet) == z:
                return sheet
        return None


def _first_equal(z: ZArray, wanted: ZArray | int) -> int | None:
    """Return the first index of a value in z, or None."""
    equal = z == wanted
    place = int(equal.argmax())
    return place if equal[place] else None


def _descending(dtype: np.dtype[np.integer], largest: int, count: int) -> ZArray:
    """Return `largest`, `largest - 1`, ..., in the type of the values to compare with."""
    if dtype == np.uint16:
        start = _UINT16_MAX - largest
        return _ramp()[start : start + count]
    return np.arange(largest, largest - count, -1, dtype=np.int32)


_UINT16_MAX: Final = 2**16 - 1


@cache
def _ramp() -> npt.NDArray[np.uint16]:
    """Return 65535, 65534, ..., 0."""
    return np.arange(_UINT16_MAX, -1, -1).astype(np.uint16)
