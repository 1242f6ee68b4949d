"""Grundy values and remoteness of three-row Chomp: stored, else computed when asked for."""

from typing import Final

from position_oracle.engine.games.chomp3 import to_rows
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import Coordinates
from position_oracle.oracle.answers import Certainty, GameInfo
from position_oracle.oracle.families.base import Shelf
from position_oracle.oracle.families.stored_values import StoredValues, stored_values
from position_oracle.oracle.families.values import Value, ValueTable

SIZES: Final = (60, 200, 400)
"""Longest first rows of the tables that are computed: 0.25 s for the largest."""


class ThreeRowValues:
    """The plain game without passes, up to the stored first row, or 400."""

    def __init__(self, shelf: Shelf) -> None:
        self._cache = shelf.cache
        self._stored = {each.kind: each for each in stored_values(shelf, "chomp3")}

    def games(self) -> tuple[GameInfo, ...]:
        """One entry a stored table."""
        return tuple(each.info for each in self._stored.values())

    def around(self, coordinates: Coordinates) -> ValueTable:
        """Look-ups for a position [x, y, z] and all that it can become."""
        grundy, remoteness = (self._value(kind, coordinates) for kind in ("grundy", "remoteness"))
        if grundy is None:
            return ValueTable(None, remoteness)
        if (stored := self._reaching("grundy", sum(coordinates))) is not None:
            return ValueTable(grundy, remoteness, Certainty.EXACT_TABLE, stored.reason)
        reason = f"solved with all positions inside {list(coordinates)}"
        return ValueTable(grundy, remoteness, Certainty.EXACT_SEARCH, reason)

    def _value(self, kind: str, coordinates: Coordinates) -> Value | None:
        """Look-ups in a stored table; of the boards inside a small one; up to a first row."""
        if (stored := self._reaching(kind, sum(coordinates))) is not None:
            return stored.at
        if (size := _size(sum(coordinates))) is None:
            return None
        from position_oracle.engine.solvers import tables, three_row_values
        from position_oracle.engine.solvers.ranked import Ranked
        from position_oracle.engine.solvers.shape import under

        rows = rows_of(coordinates)
        game = Ranked(under(rows or (1,)))
        if game.is_plain:
            table = tables.solve(game, kind)
        else:
            table = self._cache.find(
                f"chomp3 {kind}",
                size,
                lambda: three_row_values.solve(kind, size),
                lambda made: made.values.nbytes,
                size.__le__,
            )

        def value(position: Position) -> int | None:
            board = rows_of(position.coordinates)
            return table.at(board) if board else None

        return value

    def _reaching(self, kind: str, first_row: int) -> StoredValues | None:
        stored = self._stored.get(kind)
        return stored if stored is not None and first_row <= stored.layout.sides[0] else None


def rows_of(coordinates: Coordinates) -> Coordinates:
    """Row lengths without empty rows, poison row first."""
    return tuple(row for row in to_rows(coordinates) if row)


def _size(first_row: int) -> int | None:
    return next((size for size in SIZES if first_row <= size), None)
