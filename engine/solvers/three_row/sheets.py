"""Loser sheets of three-row games as flat arrays: prefixes and certified tails."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from schema.errors import InvalidPositionError, UnknownAnswerError

__all__ = ["CUT", "STOPS", "Sheets"]

STOPS = 0
"""Period of a sheet that stops: its last P-position has z = 0."""

CUT = -1
"""Period of a sheet that is known only as far as its prefix goes."""


@dataclass(frozen=True, slots=True, eq=False)
class Sheets:
    """Loser sheets L_x for consecutive x: the z of the P-position [x, y, z] of every column y.

    A sheet is a prefix, one z for each y = 0, 1, ..., and what follows it: nothing (period 0: the
    prefix ends with z = 0, or is empty because of ``closed_by``), a tail that repeats for ever
    (period > 0), or the unknown (period -1: computed up to a limit in y only). Tails have their
    least period and begin as early as possible, so that equal sheets have equal arrays.

    Attributes:
        first_x: x of the first sheet.
        prefix_offset: int64, shape (n + 1,); the prefix of sheet ``first_x + i`` is
            ``z[prefix_offset[i] : prefix_offset[i + 1]]``.
        z: int32, the prefixes one after another.
        period: int32, shape (n,).
        tail_offset: int64, shape (n + 1,), into ``tail_z``.
        tail_z: int32, one period of every tail, from y = prefix length on.
        closed_by: x of a P-position [x, 0, 0]; no P-position has a larger x (every such board can
            be bitten down to that rectangle). None if there is none so far.
    """

    first_x: int
    prefix_offset: NDArray[np.int64]
    z: NDArray[np.int32]
    period: NDArray[np.int32]
    tail_offset: NDArray[np.int64]
    tail_z: NDArray[np.int32]
    closed_by: int | None = None

    def __len__(self) -> int:
        """Number of sheets."""
        return len(self.period)

    @property
    def end_x(self) -> int:
        """One more than the last x."""
        return self.first_x + len(self)

    @property
    def prefix_length(self) -> NDArray[np.int64]:
        """Length of every prefix, which is the y at which a tail starts; int64, shape (n,)."""
        return np.diff(self.prefix_offset)

    @property
    def p_count(self) -> NDArray[np.int64]:
        """P-positions stored per sheet: its prefix and one period of its tail; int64, shape (n,).

        For a sheet that stops these are all its P-positions.
        """
        return self.prefix_length + np.diff(self.tail_offset)

    def z_at(self, x: int, y: int) -> int | None:
        """The z of the P-position [x, y, z], or None where the column has none.

        Raises:
            InvalidPositionError: y is negative.
            UnknownAnswerError: x is not one of these sheets, or y lies beyond a cut sheet.
        """
        if y < 0:
            raise InvalidPositionError(f"y = {y} is negative")
        if not self.first_x <= x < self.end_x:
            if self.closed_by is not None and x > self.closed_by:
                return None
            raise UnknownAnswerError(f"sheet {x} is not among {self.first_x}..{self.end_x - 1}")
        i = x - self.first_x
        start, end = int(self.prefix_offset[i]), int(self.prefix_offset[i + 1])
        if y < end - start:
            return int(self.z[start + y])
        period = int(self.period[i])
        if period == CUT:
            raise UnknownAnswerError(f"sheet {x} is known for y < {end - start}, not at {y}")
        if period == STOPS:
            return None
        return int(self.tail_z[int(self.tail_offset[i]) + (y - (end - start)) % period])

    def census(self) -> dict[int, int]:
        """Number of sheets by period, in increasing order of the period."""
        periods, counts = np.unique(self.period, return_counts=True)
        return dict(zip(periods.tolist(), counts.tolist(), strict=True))

    @classmethod
    def concatenate(cls, blocks: Iterable[Self]) -> Self:
        """One object out of consecutive blocks.

        Raises:
            ValueError: No block, or blocks that do not follow one another.
        """
        parts = list(blocks)
        if not parts:
            raise ValueError("no blocks to concatenate")
        if len(parts) == 1:
            return parts[0]
        for left, right in pairwise(parts):
            if left.end_x != right.first_x:
                raise ValueError(f"sheets {right.first_x}.. do not follow ..{left.end_x - 1}")
        closed = [part.closed_by for part in parts if part.closed_by is not None]
        return cls(
            first_x=parts[0].first_x,
            prefix_offset=_joined_offsets([part.prefix_offset for part in parts]),
            z=np.concatenate([part.z for part in parts]),
            period=np.concatenate([part.period for part in parts]),
            tail_offset=_joined_offsets([part.tail_offset for part in parts]),
            tail_z=np.concatenate([part.tail_z for part in parts]),
            closed_by=closed[0] if closed else None,
        )


def _joined_offsets(offsets: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    lengths = np.concatenate([np.diff(part) for part in offsets])
    joined = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=joined[1:])
    return joined
