"""The arrays of a game with three heaps, and the table that they come from."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.games.spec import GameSpec
from engine.solvers.heap_games import is_symmetric
from oracle.probers.heap_kernels import SheetArrays
from schema.provenance import BuildRecord


@dataclass(frozen=True)
class HeapTable:
    """The table of one game with three heaps.

    Attributes:
        game: the game.
        arrays: z for every x and y.
        build: provenance.
    """

    game: GameSpec
    arrays: SheetArrays
    build: BuildRecord | None

    @cached_property
    def range(self) -> str:
        """The positions covered, in words."""
        x, y = (size - 1 for size in self.arrays.rows.shape)
        if not self.arrays.symmetric:
            return f"x <= {x}, y <= {y}, any z"
        if x == y:
            return f"two smaller heaps up to {x}, any largest heap"
        return f"smallest heap up to {x}, second up to {y}, any largest heap"


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
