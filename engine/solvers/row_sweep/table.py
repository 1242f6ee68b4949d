"""The result of a census: what every sheet comes to, without its P-positions."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.row_sweep.ledger import Ledger
from position_oracle.schema.census import StoredCensus

__all__ = ["Census", "census_of", "census_record"]


@dataclass(frozen=True, slots=True, eq=False)
class Census:
    """The sheets x = 0 .. limit of three-row Chomp, one entry of every array for each.

    A sheet is a prefix, one P-position [x, y, z] for each y < ``prefix_length``, and then nothing
    (period 0, the last z of the prefix being 0) or a tail that repeats for ever. Prefixes are as
    short as possible and periods as small.

    Attributes:
        limit: The last x.
        period: int32; 0 for a sheet that stops.
        prefix_length: int32; for a sheet with a tail the y at which the tail starts.
        tail_offset: int64, shape (limit + 2,); the tail of sheet x repeats
            ``tail_z[tail_offset[x] : tail_offset[x + 1]]``.
        tail_z: int32.
        diagonal_z: int32; the z of [x, 0, z], so that (x + z, x, x) is a P-position.
        largest_z: int32; the largest z of the whole sheet.
        upper: int32; values of the prefix on the upper loser line, that is rows x + y + z above
            x + diagonal_z.
        lower: int32; values of the prefix on the lower line, below x + diagonal_z. A prefix
            consists of its first value (unless it is empty), the upper and the lower ones.
    """

    limit: int
    period: NDArray[np.int32]
    prefix_length: NDArray[np.int32]
    tail_offset: NDArray[np.int64]
    tail_z: NDArray[np.int32]
    diagonal_z: NDArray[np.int32]
    largest_z: NDArray[np.int32]
    upper: NDArray[np.int32]
    lower: NDArray[np.int32]

    def counts(self) -> dict[int, int]:
        """Number of sheets by period, in increasing order of the period."""
        periods, counts = np.unique(self.period, return_counts=True)
        return dict(zip(periods.tolist(), counts.tolist(), strict=True))

    @property
    def positions(self) -> int:
        """P-positions of all prefixes together."""
        return int(self.prefix_length.sum(dtype=np.int64))


def census_of(ledger: Ledger, limit: int) -> Census:
    """The census of a ledger in which all sheets are finished; takes its arrays over."""
    x = np.arange(limit + 1, dtype=np.int32)
    ledger.end[:] -= x
    ledger.diagonal[:] -= x
    offset = np.zeros(limit + 2, np.int64)
    np.cumsum(ledger.period, out=offset[1:])
    lower = ledger.top  # no longer needed, and of the right size
    np.subtract(ledger.end, ledger.upper, out=lower)
    lower -= ledger.end > 0
    return Census(
        limit=limit,
        period=ledger.period,
        prefix_length=ledger.end,
        tail_offset=offset,
        tail_z=ledger.tail_z[: offset[-1]].copy(),
        diagonal_z=ledger.diagonal,
        largest_z=ledger.largest_z,
        upper=ledger.upper,
        lower=lower,
    )


def census_record(stored: StoredCensus) -> Census:
    """The census that stored rows are; the arrays are shared."""
    return Census(
        limit=len(stored) - 1,
        period=stored.tail_period,
        prefix_length=stored.prefix_length,
        tail_offset=stored.tail_offset,
        tail_z=stored.tail_z,
        diagonal_z=stored.diagonal_z,
        largest_z=stored.max_z,
        upper=stored.upper,
        lower=stored.lower,
    )
