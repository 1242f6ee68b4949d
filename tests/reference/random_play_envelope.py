"""The least and the greatest 1/2 - P of the boards of a three-row table, in numpy."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.random_play.three_row import RandomTable
from position_oracle.schema import values as numbered


@dataclass(frozen=True)
class ThreeRowEnvelope:
    """The extremes for each number of cookies n, of boards with several rows and several columns.

    Up to n = limit + 1 the table holds every such board of n cookies, because at most n - 1 of them
    are in the first row. For larger n, only boards with a first row up to the limit count.
    """

    cookies: NDArray[np.int64]
    least: NDArray[np.float64]
    least_rows: NDArray[np.int32]
    greatest: NDArray[np.float64]
    greatest_rows: NDArray[np.int32]
    complete: NDArray[np.bool_]


def three_row_envelope(table: RandomTable) -> ThreeRowEnvelope:
    every = numbered.boards(0, len(table.excess))
    ranks = np.flatnonzero((every[:, 0] > 1) & (every[:, 1] > 0))
    rows, gaps = every[ranks], -table.excess[ranks]
    cookies = rows.sum(axis=1)
    order = np.lexsort((gaps, cookies))
    values, starts = np.unique(cookies[order], return_index=True)
    least, greatest = order[starts], order[np.append(starts[1:], len(order)) - 1]
    return ThreeRowEnvelope(
        cookies=values.astype(np.int64),
        least=gaps[least],
        least_rows=rows[least],
        greatest=gaps[greatest],
        greatest_rows=rows[greatest],
        complete=values <= table.limit + 1,
    )
