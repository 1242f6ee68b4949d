"""Grundy values and remoteness of three-row Chomp: stored, else computed when asked for."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from position_oracle.engine.games.chomp3 import to_rows
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import Coordinates
from position_oracle.oracle.answers import Certainty, GameInfo
from position_oracle.oracle.families.base import Shelf
from position_oracle.oracle.families.stored_values import StoredValues, stored_values
from position_oracle.oracle.families.values import Value, ValueTable

if TYPE_CHECKING:
    from position_oracle.engine.solvers import grundy3

SIZES: Final = (60, 200, 400)
"""Longest first rows of the tables that are computed: 0.25 s for the largest."""


SMALL_MOVES: Final = 2**16
"""Most boards times cookies of a table that is made without kernels: 0.2 s."""


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
        first_row = sum(coordinates)
        remoteness = self._remoteness(coordinates)
        if (stored := self._reaching("grundy", first_row)) is not None:
            return ValueTable(stored.at, remoteness, Certainty.EXACT_TABLE, stored.reason)
        size = _size(first_row)
        if size is None:
            return ValueTable(None, remoteness)
        reason = f"solved with all positions inside {list(coordinates)}"
        if (grundy_inside := self._inside("grundy", coordinates)) is not None:
            return ValueTable(grundy_inside, remoteness, Certainty.EXACT_SEARCH, reason)
        table = self._cache.find("chomp3 grundy", size, _grundy(size), _nbytes, size.__le__)

        def grundy(position: Position) -> int | None:
            return table.value(*position.coordinates)

        return ValueTable(grundy, remoteness, Certainty.EXACT_SEARCH, reason)

    def _remoteness(self, coordinates: Coordinates) -> Value | None:
        first_row = sum(coordinates)
        if (stored := self._reaching("remoteness", first_row)) is not None:
            return stored.at
        size = _size(first_row)
        if size is None:
            return None
        if (inside := self._inside("remoteness", coordinates)) is not None:
            return inside
        table = self._cache.find("chomp3 remoteness", size, _remoteness(size), _nbytes, size.__le__)
        return lambda position: table.remoteness(*position.coordinates)

    def _inside(self, kind: str, coordinates: Coordinates) -> Value | None:
        """Look-ups from a table of the boards inside a small one, made without kernels."""
        from position_oracle.engine.solvers import boards
        from position_oracle.engine.theory.bounds import estimate_ideals

        rows = rows_of(coordinates)
        if not rows or estimate_ideals(rows) * sum(rows) > SMALL_MOVES:
            return None
        shape = boards.under(rows)
        if kind == "grundy":
            grundy = boards.solve_grundy(shape, max_work=SMALL_MOVES)
            return lambda position: grundy.restricted(rows_of(position.coordinates))
        remoteness = boards.solve_remoteness(shape, max_work=SMALL_MOVES)
        return lambda position: remoteness.remoteness(rows_of(position.coordinates))

    def _reaching(self, kind: str, first_row: int) -> StoredValues | None:
        stored = self._stored.get(kind)
        return stored if stored is not None and first_row <= stored.layout.sides[0] else None


def rows_of(coordinates: Coordinates) -> Coordinates:
    """Row lengths without empty rows, poison row first."""
    return tuple(row for row in to_rows(coordinates) if row)


def _size(first_row: int) -> int | None:
    return next((size for size in SIZES if first_row <= size), None)


def _grundy(size: int) -> "Callable[[], grundy3.GrundyTable]":
    def solve() -> "grundy3.GrundyTable":
        from position_oracle.engine.solvers import grundy3

        return grundy3.solve_grundy(size)

    return solve


def _remoteness(size: int) -> "Callable[[], grundy3.RemotenessTable]":
    def solve() -> "grundy3.RemotenessTable":
        from position_oracle.engine.solvers import grundy3

        return grundy3.solve_remoteness(size)

    return solve


def _nbytes(table: "grundy3.GrundyTable | grundy3.RemotenessTable") -> int:
    return table.values.nbytes
