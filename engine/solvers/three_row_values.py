"""Grundy values and remoteness of all three-row boards up to a longest row.

The positions are those of the box of three rows, in its order; the kernels need a few operations
for each position, however many moves it has, while `tables.solve` visits every move.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import current
from position_oracle.engine.solvers.shape import box
from position_oracle.engine.solvers.steps import StepCallback, steps
from position_oracle.engine.solvers.tables import Table
from position_oracle.schema.values import board_count

LIMIT_MAX: Final = 21_845
"""Longest first row: all values are at most a + b + c <= 3 * 21845 = 2^16 - 1."""


def solve(kind: str, limit: int, *, progress: StepCallback | None = None) -> Table:
    """Compute the values of all boards with first row at most `limit`, 1 .. `LIMIT_MAX`; uint16."""
    from position_oracle.engine.solvers import three_row_kernels as kernels

    shape = box(3, limit)
    pairs = (limit + 1) * (limit + 2) // 2
    values = np.zeros(shape.count, np.uint16)
    # The kernels count from the empty board: the poison may be eaten.
    if kind == "grundy":
        words = _words(limit)
        column, row, diagonal = (
            np.zeros((count, words), np.uint64) for count in (limit + 1, pairs, limit + 1)
        )
        arrays: tuple[Any, ...] = (values, column, row, diagonal, np.zeros(words, np.uint64))
        fill = kernels.fill_grundy
    else:
        arrays = (values, *(_no_lines(count) for count in (limit + 1, pairs, limit + 1)))
        fill = kernels.fill_remoteness
    flag, first = current().flag, int(kind == "remoteness")
    for first_row, _ in steps(first, limit + 1):
        fill(first_row, *arrays, flag)
        if progress is not None:
            progress(int(shape.weights[0, first_row]), shape.count)
    current().check()
    if progress is not None:
        progress(shape.count, shape.count)
    values[1:] -= np.uint16(1)
    values.flags.writeable = False
    return Table(shape, values.reshape(-1, 1))


def estimate_bytes(kind: str, limit: int) -> int:
    """Estimate the peak memory of `solve`, with working arrays and result."""
    lines = (limit + 1) * (limit + 2) // 2 + 2 * (limit + 1)
    each = 8 * _words(limit) if kind == "grundy" else 4
    return 2 * board_count(limit) + each * (lines + 1)


def _words(limit: int) -> int:
    """Return the number of words of a bit set of values, which are at most the cookies."""
    return 3 * limit // 64 + 1


def _no_lines(count: int) -> NDArray[np.uint16]:
    """Return lines without a P-position."""
    lines = np.zeros((count, 2), np.uint16)
    lines[:, 0] = 0xFFFF
    return lines
