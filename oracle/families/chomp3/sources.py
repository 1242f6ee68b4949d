"""What decides positions of three-row Chomp: stored tables, a census, sheets solved when asked."""

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from position_oracle.engine.budget import Cost
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.oracle.families.base import LOOK_UP, Shelf
from position_oracle.oracle.families.base import Coordinates as CoordinateArray
from position_oracle.oracle.families.chomp3.census import SWEEP, CensusTable
from position_oracle.oracle.families.chomp3.index import index_of
from position_oracle.oracle.families.chomp3.on_demand import (
    build_advice,
    price_of,
    size_for,
    sizes_of,
    solved,
    with_few_passes,
)
from position_oracle.oracle.families.chomp3.table import SheetTable
from position_oracle.schema.errors import BuildError

PLAIN: Final = GameSpec("chomp3")

ESTIMATE: Final = Cost(3e-4)
"""What saying the chance of a position takes."""


class Sources:
    """Tables by game, and the census of the plain game.

    Since two more passes change no P-position, the tables without a pass and with one answer for
    every number of passes.

    Attributes:
        tables: the stored tables.
        census: a stored census; None where there is none.
    """

    def __init__(self, shelf: Shelf) -> None:
        self.tables = {
            stored.game: SheetTable(stored.game, index_of(dict(stored.arrays)), stored.build)
            for stored in shelf.tables("chomp3", "sheets")
        }
        censuses = shelf.tables("chomp3", "census")
        self.census = CensusTable(censuses[0]) if censuses else None
        self._cache = shelf.cache

    def limit(self, game: GameSpec) -> int:
        """Largest x of the stored table of a game; -1 where there is none."""
        table = self.tables.get(game)
        return -1 if table is None else table.index.limit

    def table(self, game: GameSpec, coordinates: Coordinates) -> SheetTable | None:
        """A table in which a position is decided: a stored one, else one that is soon solved.

        Raises:
            BuildError: the game cannot be solved.
        """
        game = with_few_passes(game)
        table = self.tables.get(game)
        if table is not None and table.covers(coordinates):
            return table
        size = size_for(game, coordinates)
        return None if size is None else solved(self._cache, game, size)

    def is_in_census(self, position: Position) -> bool:
        """Whether a census is to be asked: beyond the stored table of the plain game."""
        if self.census is None or with_few_passes(position.game) != PLAIN:
            return False
        x, y, z = position.coordinates
        is_opening = y == z == 0 and x <= self.census.openings.complete_to
        return x > self.limit(PLAIN) and (x <= self.census.limit or is_opening)

    def sweeping_census(self, game: GameSpec) -> CensusTable | None:
        """The census where any position of a game, up to its limit, can be swept."""
        census = self.census
        if census is None or with_few_passes(game) != PLAIN or not census.spacing:
            return None
        return census

    def price(self, position: Position) -> Cost:
        """What the outcome of a position takes, a pass from it not looked at."""
        game = with_few_passes(position.game)
        table = self.tables.get(game)
        if table is not None and table.covers(position.coordinates):
            return LOOK_UP
        if self.is_in_census(position):
            return SWEEP
        size = size_for(game, position.coordinates)
        return ESTIMATE if size is None and game == PLAIN else price_of(game, size)

    def what_would_decide(self, game: GameSpec, coordinates: Coordinates) -> str:
        """What would decide a position that nothing here does, in words."""
        few = with_few_passes(game)
        table = self.tables.get(few)
        known = f"no table of {game.text}" if table is None else f"{table.reason}: beyond it"
        return f"{known}; {build_advice(few, coordinates[:2])}"

    def swept_rows(self, game: GameSpec, coordinates: CoordinateArray) -> npt.NDArray[np.intp]:
        """Rows of a batch that the census answers together, so that they share sweeps."""
        if (census := self.sweeping_census(game)) is None:
            return np.zeros(0, np.intp)
        x = coordinates[:, 0]
        return np.flatnonzero((x > self.limit(PLAIN)) & (x <= census.limit))

    def parts(
        self, game: GameSpec, coordinates: CoordinateArray
    ) -> Iterator[tuple[SheetTable, npt.NDArray[np.intp] | slice]]:
        """Tables for a batch, and the rows that each of them answers, as single questions are."""
        if not len(coordinates):
            return
        game = with_few_passes(game)
        rest: npt.NDArray[np.intp] = np.arange(len(coordinates))
        if (census := self.sweeping_census(game)) is not None:
            rest = np.flatnonzero(coordinates[:, 0] > census.limit)
        table = self.tables.get(game)
        if table is not None:
            covered = table.covers_rows(coordinates)
            if covered.all():
                yield table, slice(None)
                return
            yield table, np.flatnonzero(covered)
            rest = np.flatnonzero(~covered)
        needed = needed_sheets(game, coordinates[rest])
        sizes = sizes_of(game)
        for smaller, size in zip((0, *sizes), sizes, strict=False):
            rows = rest[(needed >= smaller) & (needed < size)]
            if len(rows):
                try:
                    yield solved(self._cache, game, size), rows
                except BuildError:
                    return


def needed_sheets(game: GameSpec, coordinates: CoordinateArray) -> npt.NDArray[np.int64]:
    """Fewer sheets than are needed to decide each row of a batch; with noise as many columns."""
    needed = coordinates[:, 0].astype(np.int64)
    return needed if game.noise is None else needed + coordinates[:, 1]


def cannot_be_solved(game: GameSpec, error: BuildError) -> str:
    """Why nothing decides a game without stored tables."""
    return f"{game.text} cannot be solved: {error}"
