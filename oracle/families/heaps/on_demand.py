"""Small games of heaps, solved on demand and cached.

A table of three heaps up to 1,023 takes some hundredths of a second, so variants can be played
without a build; a search of four or five heaps takes at most some tenths.
"""

from functools import lru_cache
from math import isqrt
from typing import TYPE_CHECKING, Final

from position_oracle.engine.budget import Cost
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.families.heaps.arrays import SheetArrays, sheet_arrays
from position_oracle.oracle.families.resources import Resources

if TYPE_CHECKING:
    from position_oracle.engine.solvers.tables import Table

SIDES: Final = (63, 255, 1023)
"""Maximum x and y of tables that are solved on demand."""

NOISE_SIDES: Final = SIDES[:2]
"""Maximum x and y with noise, which takes longer."""

SEARCHED_HEAPS: Final = (4, 5)
"""Numbers of heaps that are searched; games of fewer heaps have tables."""

MAX_STEPS: Final = 100_000_000
"""Maximum number of moves that a search visits: some tenths of a second."""

_STEP_SECONDS: Final = 5e-9

MAX_CELLS: Final = 2_000_000
"""Maximum number of positions that a search stores."""

MAX_HEAP: Final = isqrt(MAX_STEPS) - 1
"""Largest heap of a search; every search of a larger one exceeds `MAX_STEPS`, because it has h + 1
positions of h + 1 moves."""


def side_for(game: GameSpec) -> int:
    """Return the largest x and y for which a table is solved on demand."""
    return (SIDES if game.noise is None else NOISE_SIDES)[-1]


@lru_cache(maxsize=4096)
def search_cost(game: GameSpec, limits: tuple[int, ...]) -> Cost | None:
    """Return the cost of searching all positions up to these limits, or None if it is too large."""
    if max(limits) > MAX_HEAP:
        return None
    from position_oracle.engine.solvers.heap_search import estimate_search

    cells, moves = estimate_search(game, limits)
    if cells > MAX_CELLS or moves > MAX_STEPS:
        return None
    return Cost(0.005 + _STEP_SECONDS * moves, 16 * cells + (1 << 20))


class SolvedTables:
    """Solves small games once, and caches them."""

    def __init__(self, resources: Resources) -> None:
        self._cache = resources.cache

    def sheets(self, game: GameSpec, largest: int) -> SheetArrays:
        """Return a table of three heaps for x and y up to `largest`, at most `side_for(game)`."""
        side = next(side for side in SIDES if side >= largest)

        def solve() -> SheetArrays:
            from position_oracle.engine.solvers.heap_games import solve_sheets

            return sheet_arrays(game, solve_sheets(game, side, side))

        def serves(key: tuple[GameSpec, int]) -> bool:
            return key[0] == game and key[1] >= side

        return self._cache.find("heap sheets", (game, side), solve, _sheet_bytes, serves)

    def search(self, game: GameSpec, limits: tuple[int, ...], kind: str) -> "Table":
        """Return a number for all positions up to ascending limits that have a `search_cost`.

        Args:
            game: the game.
            limits: the largest heaps.
            kind: which number: `wins`, `grundy` or `remoteness`.
        """

        def solve() -> "Table":
            from position_oracle.engine.solvers import tables
            from position_oracle.engine.solvers.heap_search import heap_moves

            return tables.solve(heap_moves(game, limits), kind)

        def serves(key: tuple[GameSpec, tuple[int, ...]]) -> bool:
            return key[0] == game and all(map(int.__le__, limits, key[1]))

        key = game, limits
        return self._cache.find(f"heap {kind}", key, solve, lambda made: made.values.nbytes, serves)


def _sheet_bytes(arrays: SheetArrays) -> int:
    return arrays.rows.nbytes + arrays.columns.nbytes
