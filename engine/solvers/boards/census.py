"""Numbers of boards of each size that are P-positions, or have one or several winning bites."""

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

SIZES: Final = ("height", "width", "cookies")
COUNTS: Final = ("boards", "p_positions", "one_winning_bite", "more_winning_bites")


def cells_of(shape: Bounds) -> int:
    """Return the number of cells, of 16 bytes each, of the table in which a census counts."""
    return (shape.rows + 1) * (shape.columns + 1) * (sum(shape.lengths) + 1)


def take_census(
    table: OutcomeTable, *, progress: StepCallback | None = None
) -> dict[str, NDArray[np.int64]]:
    """Count all boards of a table by size, using one byte for each board besides the cells.

    Returns:
        Columns of one length, sorted by size; sizes that no board has are left out. The size:
        `height` (rows), `width` (length of the poison row) and `cookies` (0 for the empty board).
        The numbers: `boards` of that size; of these `p_positions`, N-positions with exactly
        `one_winning_bite`, and with `more_winning_bites`. The empty board is N without any.

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
    size = np.nonzero(cells[..., 0])
    columns = (*size, *cells[size].T.astype(np.int64))
    return dict(zip((*SIZES, *COUNTS), columns, strict=True))
