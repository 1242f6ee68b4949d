"""Windows of the sheets W_x and L_x of three-row Chomp, from known sheets, else swept."""

import numpy as np
import numpy.typing as npt

from position_oracle.engine.budget import Plan
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.solvers.instant_winners import check_window
from position_oracle.engine.solvers.instant_winners import instant_winners as from_sheets
from position_oracle.oracle.families.chomp3.census import CensusTable
from position_oracle.oracle.families.chomp3.index import sheets_of
from position_oracle.oracle.families.chomp3.sources import SheetTables, cannot_be_solved
from position_oracle.oracle.families.chomp3.table import SheetTable
from position_oracle.oracle.families.sources import window_cost
from position_oracle.schema.errors import BeyondTablesError, BuildError


def plan_instant_winners(
    tables: SheetTables, game: GameSpec, x: int, size: tuple[int, int], first: tuple[int, int]
) -> Plan[npt.NDArray[np.uint8]]:
    """Plan a window of W_x with the origin of each cell; see `Prober.plan_instant_winners`.

    Beyond the known sheets a census sweeps the window; a sweep does not tell the two loser lines
    apart: see `CensusTable.instant_winners`.
    """
    check_window(x, *size, *first)
    # W_x shifts the smaller sheets: column y is column y + x of sheet 0.
    source = _source(tables, game, x, (max(x - 1, 0), x + first[0] + size[0], 0))
    if isinstance(source, CensusTable):
        cost = source.cost_of_window(x, *size, first[0])
        return Plan(cost, lambda: source.instant_winners(x, size, first))

    def run() -> npt.NDArray[np.uint8]:
        return from_sheets(sheets_of(_solved(game, source).index), x, *size, *first)

    return Plan(source.cost + window_cost(x, *size), run)


def plan_losers(
    tables: SheetTables, game: GameSpec, x: int, size_y: int, first_y: int
) -> Plan[npt.NDArray[np.int32]]:
    """Plan a part of L_x; see `Prober.plan_losers`."""
    check_window(x, size_y, 1, first_y)
    source = _source(tables, game, x, (x, first_y + size_y, 0))
    if isinstance(source, CensusTable):
        cost = source.cost_of_window(x, size_y, 1, first_y)
        return Plan(cost, lambda: source.losers(x, size_y, first_y))

    def run() -> npt.NDArray[np.int32]:
        index = _solved(game, source).index
        if index.closed_by >= 0 and x > index.closed_by:
            return np.full(size_y, -1, np.int32)
        y = np.arange(first_y, first_y + size_y)
        return sheets_of(index).look_up(x, y).astype(np.int32)

    return Plan(source.cost + window_cost(0, size_y, 1), run)


def _source(
    tables: SheetTables, game: GameSpec, x: int, last: Coordinates
) -> Plan[SheetTable] | CensusTable:
    """Return a table of sheets that contains a position, else a census that sweeps sheet x."""
    table = tables.plan(game, last)
    if table is not None:
        return table
    census = tables.sweeping_census(game)
    if census is not None and x <= census.limit:
        return census
    raise BeyondTablesError(tables.what_would_decide(game, last))


def _solved(game: GameSpec, plan: Plan[SheetTable]) -> SheetTable:
    try:
        return plan.run()
    except BuildError as error:
        raise BeyondTablesError(cannot_be_solved(game, error)) from error
