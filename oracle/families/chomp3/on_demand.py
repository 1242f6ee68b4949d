"""Sheets of three-row Chomp solved on demand: their number, their cost, and advice beyond."""

from functools import lru_cache
from typing import Final

from position_oracle.engine.budget import Cost
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.theory.supermex import loser_sheets
from position_oracle.oracle.cache import Cache
from position_oracle.oracle.families.chomp3.index import build_index
from position_oracle.oracle.families.chomp3.table import SheetTable
from position_oracle.schema.errors import BuildError, ResourceLimitError
from position_oracle.schema.sheets import LoserSheets

SIZES: Final = (64, 512, 4096)
"""Numbers of sheets solved on demand; with noise only the first two, and as many columns."""

_AGAIN: Final = Cost(0.09)
_AGAIN_WITH_PASS: Final = Cost(1.5, 280 << 20)
"""Costs added for declared positions, without and with a pass; some restart the search for
a tail."""

_CELL_SECONDS: Final = 2.2e-8
"""Seconds for a row of a sheet before its tail."""

_ROW_BYTES: Final = 300
"""Bytes of a row besides its values."""

_SECONDS: Final = {64: 0.002, 512: 0.02, 4096: 0.5}
"""Seconds to solve the sheets, with the index; twice as much with a pass, more with noise."""

MAX_ADVISED: Final = 200_000
"""Largest x for which a build is recommended."""


def with_few_passes(game: GameSpec) -> GameSpec:
    """Return the game with no pass or one pass and the same P-positions (docs/nim-passes.md)."""
    return game.with_passes(game.passes % 2)


def sizes_of(game: GameSpec) -> tuple[int, ...]:
    """Return the numbers of sheets that are solved on demand for a game, ascending."""
    if game.noise is None:
        return SIZES
    return () if game.passes else SIZES[:2]


def size_for(game: GameSpec, coordinates: Coordinates) -> int | None:
    """Return the number of sheets to solve for a position; None if there are too many."""
    x, y, _ = coordinates
    needed = x if game.noise is None else x + y
    return next((size for size in sizes_of(game) if needed < size), None)


def cost_of(game: GameSpec, size: int) -> Cost:
    """Return the cost of solving a number of sheets."""
    times = (1 + game.passes) * (1 if game.noise is None else 10)
    solving = Cost(_SECONDS[size] * times, 3 * size * size)
    if not game.declared:
        return solving
    # No tail begins before the last row with a declared position.
    rows = max((x + y for x, y, _ in game.declared if x < size), default=0)
    if game.noise is not None:  # then only as many columns are solved
        rows = min(rows, 2 * size)
    rest = Cost(_CELL_SECONDS * size * rows, rows * (_ROW_BYTES + size // 2))
    return solving + (_AGAIN_WITH_PASS if game.passes else _AGAIN) + rest


def solved(cache: Cache, game: GameSpec, size: int) -> SheetTable:
    """Return the first sheets of a game, and with noise as many columns, solved once.

    Raises:
        BuildError: the sheets cannot be solved; this is remembered, too.
    """

    def solve() -> SheetTable | str:
        try:
            return SheetTable(game, build_index(_first_sheets(game, size)), None)
        except ResourceLimitError:  # another caller may have a higher limit
            raise
        except BuildError as error:
            return str(error)

    found = cache.find("chomp3 sheets", (game, size), solve, _bytes_of)
    if isinstance(found, str):
        raise BuildError(found)
    return found


@lru_cache(maxsize=1024)
def build_advice(game: GameSpec, reach: Coordinates) -> str:
    """Return the build whose sheets reach x, and with noise y, or the reason why there is none."""
    from position_oracle.engine.jobs.plan import BuildPlan, estimate_all

    x, y = reach
    if x > MAX_ADVISED or (game.noise is not None and y > MAX_ADVISED):
        return "no table can go that far"
    if game.noise is not None and game.passes:
        return "games with both noise and passes are not solved"
    limit = f"{max(x, 1_000)}" + (f"x{max(y, 1_000)}" if game.noise is not None else "")
    plans = BuildPlan.all_needed(game, limit)
    return f"to decide it, run oracle build '{game.text}' --limit {limit} ({estimate_all(plans)})"


def _first_sheets(game: GameSpec, size: int) -> LoserSheets:
    """Return the first sheets of a game; few plain ones by the definition of the supermex."""
    if game == GameSpec("chomp3") and size == SIZES[0]:
        return loser_sheets(size)
    from position_oracle.engine.solvers.three_row_games import solve_game

    return solve_game(game, size, size)


def _bytes_of(found: SheetTable | str) -> int:
    return len(found) if isinstance(found, str) else found.index.nbytes
