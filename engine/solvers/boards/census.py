"""Numbers of boards of each size that are P-positions, or have one or several winning bites."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import current
from position_oracle.engine.solvers.boards.outcomes import STEP, OutcomeTable
from position_oracle.engine.solvers.shape import Bounds
from position_oracle.engine.solvers.steps import StepCallback, steps
from position_oracle.schema.errors import ResourceLimitError

MAX_CELLS: Final = 2**28
"""Maximum of heights times widths times cookies: 4 GiB while counting."""

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class BoardCounts:
    """Counts of the boards inside a bounding board, by their size.

    All attributes are int64 arrays of one length, sorted by height, width and cookies; sizes that
    no board has are left out.

    Attributes:
        height: number of rows.
        width: length of the poison row.
        cookies: number of cookies; the empty board has 0.
        boards: number of boards of that size.
        p_positions: of these, P-positions.
        one_winning_bite: N-positions with exactly one winning bite.
        more_winning_bites: N-positions with several. The empty board is N without any.
    """

    height: Counts
    width: Counts
    cookies: Counts
    boards: Counts
    p_positions: Counts
    one_winning_bite: Counts
    more_winning_bites: Counts


def cells_of(shape: Bounds) -> int:
    """Return the number of cells, of 16 bytes each, of the table in which a census counts."""
    return (shape.rows + 1) * (shape.columns + 1) * (sum(shape.lengths) + 1)


def take_census(table: OutcomeTable, *, progress: StepCallback | None = None) -> BoardCounts:
    """Count all boards of a table, using one byte for each board besides the cells.

    Raises:
        ResourceLimitError: more than `MAX_CELLS` sizes; raised before the work starts.
    """
    shape = table.shape
    if cells_of(shape) > MAX_CELLS:
        raise ResourceLimitError(
            f"a census inside {shape.name}: {cells_of(shape)} sizes; the limit is {MAX_CELLS}"
        )
    from position_oracle.engine.solvers.boards import kernels

    limits, total, flag = shape.limits, 2 * shape.count, current().flag
    wins = np.zeros(shape.count, np.uint8)
    sizes = (shape.rows + 1, shape.columns + 1, sum(shape.lengths) + 1)
    cells = np.zeros((*sizes, 4), np.uint32)

    def report_half(half: int) -> StepCallback | None:
        return progress and (lambda done, _: progress(done + half * shape.count, total))

    for first, last in steps(0, shape.count, STEP, report_half(0)):
        kernels.count_wins(shape.weights, limits, table.bits, wins, first, last, flag)
    for first, last in steps(0, shape.count, STEP, report_half(1)):
        kernels.tally(shape.weights, limits, table.bits, wins, cells, first, last)
    height, width, cookies = np.nonzero(cells[..., 0])
    return BoardCounts(height, width, cookies, *cells[height, width, cookies].T.astype(np.int64))
