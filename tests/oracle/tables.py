"""Stored tables made in memory, in the form that loaders make from a table file."""

from datetime import datetime

import numpy as np

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.solvers.boards.outcomes import solve_shape
from position_oracle.engine.solvers.boards.outer import Outer
from position_oracle.engine.solvers.heap_games import solve_sheets
from position_oracle.oracle.families.chomp3.index import build_index
from position_oracle.oracle.families.heaps.arrays import sheet_arrays
from position_oracle.oracle.families.resources import Arrays, StoredTable
from position_oracle.schema.games import Build
from position_oracle.schema.sheets import LoserSheets


def three_row_table(game: GameSpec, sheets: LoserSheets) -> StoredTable:
    """Return loser sheets of three-row Chomp as a stored table."""
    return stored(game.text, "sheets", f"{len(sheets) - 1}", build_index(sheets).arrays())


def heap_table(game: GameSpec, limit_x: int, limit_y: int) -> StoredTable:
    """Solve three heaps, and return them as a stored table."""
    made = sheet_arrays(game, solve_sheets(game, limit_x, limit_y))
    arrays = {name: np.asarray(value) for name, value in made._asdict().items()}
    return stored(game.text, "sheets", f"{limit_x}x{limit_y}", arrays)


def board_table(*outers: Outer) -> StoredTable:
    """Solve all boards inside some bounding boards, and return the outcomes as a stored table."""
    arrays = {outer.text: solve_shape(outer.shape).bits for outer in outers}
    return stored("chomp", "outcomes", "+".join(outer.text for outer in outers), arrays)


def stored(game: str, kind: str, limit: str, arrays: Arrays) -> StoredTable:
    """Return a table with the record of a build that never ran."""
    build = Build(1, game, kind, limit, datetime(2026, 1, 1), 0.1, 1, "", "", "{}")
    return StoredTable(build, arrays)
