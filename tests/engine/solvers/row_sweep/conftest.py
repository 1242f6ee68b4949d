"""A census with checkpoints, and the same sheets from the solver that keeps every P-position."""

import pytest

from position_oracle.engine.solvers.row_sweep.driver import Checkpoint, census
from position_oracle.engine.solvers.three_row.build import solve
from position_oracle.schema.sheets import LoserSheets
from tests.engine.solvers.row_sweep.support import LIMIT, SPACING, Swept, Table, table_of


@pytest.fixture(scope="session")
def swept() -> Swept:
    made: list[Checkpoint] = []
    return Swept(census(LIMIT, threads=2, spacing=SPACING, sink=made.append), made)


@pytest.fixture(scope="session")
def sheets() -> LoserSheets:
    return solve(LIMIT + 1)


@pytest.fixture(scope="session")
def table(sheets: LoserSheets) -> Table:
    return Table(table_of(sheets, LIMIT, int(1.5 * LIMIT)))
