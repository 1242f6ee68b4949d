"""The table of one three-row game: its arrays, and what can be said about them."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from engine.games.position import Outcome
from engine.games.spec import Coordinates, GameSpec
from oracle.answers import Certainty
from oracle.index import SheetIndex
from schema.provenance import BuildRecord
from schema.sheets import CUT


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
    build: BuildRecord | None

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

    def outcome(self, coordinates: Coordinates) -> Outcome:
        """The outcome of a position that is covered.

        One look-up, too little work for the call of a compiled function to pay.
        """
        x, y, z = coordinates
        if x > self.index.limit:
            return Outcome.N
        offset, prefix_z, periods, tail_offset, tail_z = self._plain
        start, period = offset[x], periods[x]
        past = y - (offset[x + 1] - start)
        if past < 0:
            found: int | None = prefix_z[start + y]
        else:
            found = tail_z[tail_offset[x] + past % period] if period > 0 else None
        return Outcome.P if found == z else Outcome.N

    def covers(self, coordinates: Coordinates) -> bool:
        """Whether the sheet of a position is known as far as the position."""
        x, y, _ = coordinates
        in_columns = self.columns is None or y < self.columns
        return self.index.closed_by >= 0 or (x <= self.index.limit and in_columns)

    def has_all_children(self, coordinates: Coordinates) -> bool:
        """Whether every winning move is known; a bite of the third row can lead to a larger y."""
        x, y, _ = coordinates
        return self.columns is None or x + y < self.columns
