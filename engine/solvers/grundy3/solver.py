"""Filling the tables, first row by first row."""

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import current
from position_oracle.engine.solvers.grundy3.layout import NO_VALUE, position_count
from position_oracle.engine.solvers.grundy3.tables import GrundyTable, RemotenessTable
from position_oracle.engine.solvers.steps import Progress, steps
from position_oracle.schema.errors import ResourceLimitError

MAX_BYTES: Final = 2**32
"""Default limit on memory; enough for first rows up to about 2000."""


def solve_grundy(
    limit: int,
    *,
    max_bytes: int = MAX_BYTES,
    progress: Progress | None = None,
) -> GrundyTable:
    """Grundy values of all positions whose first row is at most `limit`.

    Raises:
        InvalidPositionError: the limit is not in 0..21845.
        ResourceLimitError: more than `max_bytes` of memory would be needed.
        StoppedError: the current budget is spent.
    """
    _check_memory(limit, estimate_grundy_bytes(limit), max_bytes)
    words = _words(limit)
    values = np.zeros(position_count(limit), np.uint16)
    column = np.zeros((limit + 1, words), np.uint64)
    row = np.zeros((_pair_count(limit), words), np.uint64)
    diagonal = np.zeros((limit + 1, words), np.uint64)
    seen = np.zeros(words, np.uint64)
    from position_oracle.engine.solvers.grundy3 import kernels

    flag = current().flag
    for first_row in _first_rows(0, limit, progress):
        kernels.fill_grundy(first_row, values, column, row, diagonal, seen, flag)
    return GrundyTable(limit, _restricted(values))


def solve_remoteness(
    limit: int,
    *,
    max_bytes: int = MAX_BYTES,
    progress: Progress | None = None,
) -> RemotenessTable:
    """Remoteness of all positions whose first row is at most `limit`.

    Raises:
        InvalidPositionError: the limit is not in 0..21845.
        ResourceLimitError: more than `max_bytes` of memory would be needed.
        StoppedError: the current budget is spent.
    """
    _check_memory(limit, estimate_remoteness_bytes(limit), max_bytes)
    values = np.zeros(position_count(limit), np.uint16)
    column = np.empty((limit + 1, 2), np.uint16)
    row = _empty_lines(_pair_count(limit))
    diagonal = _empty_lines(limit + 1)
    from position_oracle.engine.solvers.grundy3 import kernels

    flag = current().flag
    for first_row in _first_rows(1, limit, progress):
        kernels.fill_remoteness(first_row, values, column, row, diagonal, flag)
    return RemotenessTable(limit, _restricted(values))


def estimate_grundy_bytes(limit: int) -> int:
    """Bytes that `solve_grundy` holds at its peak, working arrays and result.

    Raises:
        InvalidPositionError: the limit is not in 0..21845.
    """
    lines = _pair_count(limit) + 2 * (limit + 1) + 1
    return 2 * position_count(limit) + 8 * _words(limit) * lines


def estimate_remoteness_bytes(limit: int) -> int:
    """Bytes that `solve_remoteness` holds at its peak, working arrays and result.

    Raises:
        InvalidPositionError: the limit is not in 0..21845.
    """
    return 2 * position_count(limit) + 4 * (_pair_count(limit) + 2 * (limit + 1))


def _check_memory(limit: int, needed: int, max_bytes: int) -> None:
    if needed > max_bytes:
        raise ResourceLimitError(
            f"first rows up to {limit} take {needed} bytes; the limit is {max_bytes}"
        )


def _words(limit: int) -> int:
    """Words for a bit set of unrestricted values, none of which exceeds the number of cookies."""
    return 3 * limit // 64 + 1


def _pair_count(limit: int) -> int:
    """How many second and third rows there are."""
    return (limit + 1) * (limit + 2) // 2


def _empty_lines(count: int) -> NDArray[np.uint16]:
    lines = np.zeros((count, 2), np.uint16)
    lines[:, 0] = NO_VALUE
    return lines


def _restricted(values: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """Count from the poison cookie instead of the empty board, in place; 0 becomes NO_VALUE."""
    values -= np.uint16(1)
    values.flags.writeable = False
    return values


def _first_rows(first: int, limit: int, progress: Progress | None) -> Iterator[int]:
    """The first rows in order; `progress` is told the positions done."""
    total = position_count(limit)

    def tell(done: int, _: int) -> None:
        if progress is not None:
            progress(position_count(done - 1), total)

    for a, _ in steps(first, limit + 1, progress=tell):
        yield a
    current().check()
