"""Windows of the sheets W_x and L_x of three-row Chomp, from sheets at hand, else swept."""

import numpy as np
import numpy.typing as npt

from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.solvers.instant_winners import check_window
from position_oracle.engine.solvers.instant_winners import instant_winners as from_sheets
from position_oracle.oracle.families.chomp3.census import CensusTable
from position_oracle.oracle.families.chomp3.index import sheets_of
from position_oracle.oracle.families.chomp3.sources import Sources, cannot_be_solved
from position_oracle.oracle.families.chomp3.table import SheetTable
from position_oracle.schema.errors import BuildError, UnknownAnswerError


def instant_winners(
    sources: Sources, game: GameSpec, x: int, size: tuple[int, int], first: tuple[int, int]
) -> npt.NDArray[np.uint8]:
    """A window of W_x, with what each cell comes from; see `Prober.instant_winners`.

    Beyond the sheets at hand it is swept from a census, which does not tell the two loser lines
    apart: see `CensusTable.instant_winners`.
    """
    check_window(x, *size, *first)
    # W_x shifts the smaller sheets: column y is column y + x of sheet 0.
    last = (max(x - 1, 0), x + first[0] + size[0], 0)
    source = _source(sources, game, x, last)
    if isinstance(source, CensusTable):
        return source.instant_winners(x, size, first)
    return from_sheets(sheets_of(source.index), x, *size, *first)


def losers(
    sources: Sources, game: GameSpec, x: int, size_y: int, first_y: int
) -> npt.NDArray[np.int32]:
    """Part of L_x; see `Prober.losers`."""
    check_window(x, size_y, 1, first_y)
    source = _source(sources, game, x, (x, first_y + size_y, 0))
    if isinstance(source, CensusTable):
        return source.losers(x, size_y, first_y)
    if (closed_by := source.index.closed_by) >= 0 and x > closed_by:
        return np.full(size_y, -1, np.int32)
    y = np.arange(first_y, first_y + size_y)
    return sheets_of(source.index).look_up(x, y).astype(np.int32)


def _source(
    sources: Sources, game: GameSpec, x: int, last: Coordinates
) -> SheetTable | CensusTable:
    """A table of sheets that reaches as far as a position, else a census that sweeps sheet x."""
    try:
        table = sources.table(game, last)
    except BuildError as error:
        raise UnknownAnswerError(cannot_be_solved(game, error)) from error
    if table is not None:
        return table
    census = sources.sweeping_census(game)
    if census is not None and x <= census.limit:
        return census
    raise UnknownAnswerError(sources.what_would_decide(game, last))
