"""The arrays of a game with three heaps, and their table."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.heaps import is_symmetric
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.families.resources import Arrays, Loader, StoredTable
from position_oracle.oracle.families.stored_values import VALUE_LOADERS
from position_oracle.schema.errors import CorruptTableError
from position_oracle.schema.games import Build, Limits

if TYPE_CHECKING:
    from position_oracle.schema.snapshot import Snapshot


LINES: Final = ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2))
"""All lines of three heaps, in the order of the columns of `taken`."""


class SheetArrays(NamedTuple):
    """The P-positions of a game with three heaps; a NamedTuple, so that kernels take it.

    Attributes:
        rows: integers (X, Y), z for every x and y.
        columns: integers (Y, X), the transpose, so that a column is contiguous in memory.
        symmetric: whether heaps may be permuted; if so, X <= Y.
        pairs: whether equal numbers may be taken from two heaps.
        triples: whether equal numbers may be taken from all three heaps.
    """

    rows: NDArray[np.integer]
    columns: NDArray[np.integer]
    symmetric: bool
    pairs: bool
    triples: bool


@dataclass(frozen=True)
class HeapArrays:
    """The table of one game with three heaps.

    Attributes:
        game: the game.
        arrays: z for every x and y.
        build: provenance.
    """

    game: GameSpec
    arrays: SheetArrays
    build: Build | None

    @property
    def limits(self) -> Limits:
        """The positions covered, in numbers."""
        least = min(self.arrays.rows.shape) - 1
        if self.arrays.symmetric:
            return {"heaps": 3, "other_heaps": least}
        return {"heaps": 3, "heap": least}

    @cached_property
    def range(self) -> str:
        """The positions covered, in words."""
        x, y = (size - 1 for size in self.arrays.rows.shape)
        if not self.arrays.symmetric:
            return f"x <= {x}, y <= {y}, any z"
        if x == y:
            return f"two smaller heaps up to {x}, any largest heap"
        return f"smallest heap up to {x}, second up to {y}, any largest heap"


def stored_table(stored: StoredTable) -> HeapArrays:
    """Make the table of stored arrays."""
    arrays, game = stored.arrays, stored.game
    rows, columns = arrays["rows"], arrays["columns"]
    flags = (bool(arrays[name]) for name in ("symmetric", "pairs", "triples"))
    return HeapArrays(game, SheetArrays(rows, columns, *flags), stored.build)  # type: ignore[arg-type]


def load_sheets(snapshot: "Snapshot", build: Build) -> Arrays:
    """Make the arrays for answers from the rows of a build.

    Raises:
        CorruptTableError: the rows make no table.
    """
    sheets = snapshot.read_sheets(build.game)
    columns = int(sheets.prefix_length[0])
    if columns == 0 or (sheets.prefix_length != columns).any():
        raise CorruptTableError(f"{snapshot.path}: the sheets of {build.game} differ in length")
    z = sheets.prefix_z.reshape(len(sheets), columns).astype(np.int32, copy=False)
    made = sheet_arrays(parse_game(build.game), z)
    return {name: np.asarray(value) for name, value in made._asdict().items()}


HEAP_LOADERS: Final[Mapping[str, Loader]] = MappingProxyType(
    {"sheets": load_sheets, **VALUE_LOADERS}
)


def sheet_arrays(game: GameSpec, z: NDArray[np.int32]) -> SheetArrays:
    """Arrange z, integers (X, Y), for look-ups along rows and columns."""
    symmetric = is_symmetric(game)
    if symmetric and z.shape[0] > z.shape[1]:
        z = z.T
    small = z.size == 0 or int(z.max()) <= np.iinfo(np.uint16).max
    rows: NDArray[np.integer] = np.ascontiguousarray(z, np.uint16 if small else np.int32)
    is_square = z.shape[0] == z.shape[1]
    return SheetArrays(
        rows=rows,
        columns=rows if symmetric and is_square else rows.T.copy(),
        symmetric=symmetric,
        pairs=game.rule in {"pairs", "both"},
        triples=game.rule in {"all", "both"},
    )
