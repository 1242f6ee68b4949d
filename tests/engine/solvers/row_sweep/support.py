"""Data for the tests of the row sweep: a census, its checkpoints, and a table of f(b, c)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.row_sweep.driver import Checkpoint
from position_oracle.schema.census import Census
from position_oracle.schema.sheets import LoserSheets

LIMIT = 5_000
SPACING = 512


@dataclass(frozen=True)
class Swept:
    """A census with its checkpoints."""

    census: Census
    checkpoints: list[Checkpoint]

    def data(self, i: int) -> bytes:
        """Return the bytes of checkpoint i, counted from 1."""
        return self.checkpoints[i - 1].data


@dataclass(frozen=True)
class Table:
    """The values f(b, c), as ``value[c, b]``, from the sheets of the other solver; -1 for none."""

    value: NDArray[np.int32]

    def children(self, x: int, y: int, z: int) -> set[tuple[int, int, int]]:
        """Return the P-positions that one bite reaches, by trying every bite."""
        a, b, c = x + y + z, x + y, x
        first, second, third = np.arange(a), np.arange(b), np.arange(c)
        r = np.concatenate([np.full(c, a), np.full(b, a), first])
        s = np.concatenate([np.full(c, b), second, np.minimum(first, b)])
        t = np.concatenate([third, np.minimum(second, c), np.minimum(first, c)])
        lost = np.flatnonzero(self.value[t, s] == r)
        return {(int(t[j]), int(s[j] - t[j]), int(r[j] - s[j])) for j in lost}


FIELDS = (
    "tail_period",
    "prefix_length",
    "tail_offset",
    "tail_z",
    "diagonal_z",
    "max_z",
    "upper",
    "lower",
)


def assert_equal(left: Census, right: Census) -> None:
    """Check that two censuses are equal in every field."""
    assert left.limit == right.limit
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(left, name), getattr(right, name), name)


def table_of(sheets: LoserSheets, limit: int, rows: int) -> NDArray[np.int32]:
    """Return f(b, c) for c <= limit and b < rows."""
    value = np.full((limit + 1, rows), -1, np.int32)
    for x in range(limit + 1):
        z = sheets.prefix_z[sheets.prefix_offset[x] : sheets.prefix_offset[x + 1]][: rows - x]
        b = np.arange(x, rows)
        value[x, x : x + len(z)] = b[: len(z)] + z
        period = int(sheets.tail_period[x])
        if period > 0:
            tail = sheets.tail_z[sheets.tail_offset[x] : sheets.tail_offset[x + 1]]
            rest = b[len(z) :]
            value[x, rest] = rest + tail[(rest - x - len(z)) % period]
    return value
