"""Loser sheets: the P-positions of a three-row game, one prefix and one tail for each x."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from position_oracle.schema.errors import InvalidPositionError, UnknownAnswerError

STOPS: Final = 0
"""Period of a sheet that stops: its last P-position has z = 0."""

CUT: Final = -1
"""Period of a sheet that is known only up to the end of its prefix."""

NO_Z: Final = -1
"""Value in place of z: the column has no P-position, or none is known."""

Integers = NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class LoserSheets:
    """Loser sheets L_x for consecutive x: the z of the P-position [x, y, z] of every column y.

    A sheet has a prefix, which is one z for each y = 0, 1, ... The period says what comes
    after the prefix. Period 0: nothing; the prefix ends with z = 0, or is empty because of
    `closed_by`. Period > 0: a tail that repeats for ever. Period -1: an unknown part, because the
    sheet was computed only up to a limit in y. Tails have their least period and begin as early as
    possible, so that equal sheets have equal arrays.

    Attributes:
        first_x: x of the first sheet.
        prefix_offset: int64, shape (n + 1,); the prefix of sheet `first_x + i` is
            `prefix_z[prefix_offset[i] : prefix_offset[i + 1]]`.
        prefix_z: int32 (or a smaller type), the prefixes one after another.
        tail_period: int32, shape (n,).
        tail_offset: int64, shape (n + 1,), into `tail_z`.
        tail_z: int32, one period of every tail, from y = prefix length on.
        closed_by: x of a P-position [x, 0, 0]; no P-position has a larger x (every such board can
            be bitten down to that rectangle). None if there is none so far.
    """

    first_x: int
    prefix_offset: NDArray[np.int64]
    prefix_z: Integers
    tail_period: NDArray[np.int32]
    tail_offset: NDArray[np.int64]
    tail_z: NDArray[np.int32]
    closed_by: int | None = None

    def __len__(self) -> int:
        """Return the number of sheets."""
        return len(self.tail_period)

    @property
    def end_x(self) -> int:
        """One more than the last x."""
        return self.first_x + len(self)

    @cached_property
    def prefix_length(self) -> NDArray[np.int64]:
        """Length of every prefix, which is the y at which a tail begins; int64, shape (n,)."""
        return np.diff(self.prefix_offset)

    @cached_property
    def diagonal(self) -> NDArray[np.int64]:
        """The z at y = 0 of every sheet, `NO_Z` if there is none; int64, shape (n,)."""
        return self.look_up(np.arange(self.first_x, self.end_x), 0)

    @cached_property
    def tails(self) -> list[int]:
        """Every x whose sheet has a tail, ascending."""
        return [self.first_x + i for i in np.flatnonzero(self.tail_period > STOPS).tolist()]

    def prefix(self, x: int) -> Integers:
        """Return the z of the columns before the tail of sheet x."""
        begin, end = self.prefix_offset[x - self.first_x : x - self.first_x + 2]
        return self.prefix_z[begin:end]

    def tail(self, x: int) -> NDArray[np.int32]:
        """Return one period of the tail of sheet x; empty if it has none."""
        begin, end = self.tail_offset[x - self.first_x : x - self.first_x + 2]
        return self.tail_z[begin:end]

    def z_at(self, x: int, y: int) -> int | None:
        """Return the z of the P-position [x, y, z], or None if the column has none.

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
        start = int(self.prefix_offset[i])
        past = y - (int(self.prefix_offset[i + 1]) - start)
        if past < 0:
            return int(self.prefix_z[start + y])
        period = int(self.tail_period[i])
        if period == CUT:
            raise UnknownAnswerError(f"sheet {x} is known for y < {y - past}, not at {y}")
        if period == STOPS:
            return None
        return int(self.tail_z[int(self.tail_offset[i]) + past % period])

    def look_up(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.int64]:
        """Return the z of the P-positions of many columns; `NO_Z` if none exists or is known.

        Args:
            x: integers; each must be one of these sheets.
            y: integers, at least 0; x and y are broadcast against each other.

        Returns:
            int64, of the shape of x and y together.
        """
        sheet, column = np.broadcast_arrays(np.asarray(x, np.int64), np.asarray(y, np.int64))
        sheet = sheet - self.first_x
        z = np.full(sheet.shape, NO_Z, np.int64)
        past = column - self.prefix_length[sheet]
        inside = past < 0
        z[inside] = self.prefix_z[self.prefix_offset[sheet[inside]] + column[inside]]
        period = self.tail_period[sheet]
        in_tail = ~inside & (period > 0)
        begin = self.tail_offset[sheet[in_tail]]
        z[in_tail] = self.tail_z[begin + past[in_tail] % period[in_tail]]
        return z

    def covers(self, x: int, y: int) -> bool:
        """Return whether column y of sheet x is known: its z, or that it has none."""
        if not self.first_x <= x < self.end_x:
            return self.closed_by is not None and x > self.closed_by
        i = x - self.first_x
        return bool(self.tail_period[i] != CUT or y < self.prefix_length[i])

    def census(self) -> dict[int, int]:
        """Return the number of sheets by period, in increasing order of the period."""
        periods, counts = np.unique(self.tail_period, return_counts=True)
        return dict(zip(periods.tolist(), counts.tolist(), strict=True))

    def split(self, positions: int) -> Iterator[Self]:
        """Yield the sheets in consecutive parts of about this size, at least one sheet each."""
        begin = 0
        while begin < len(self):
            wanted = self.prefix_offset[begin] + positions
            end = int(np.searchsorted(self.prefix_offset, wanted, side="right")) - 1
            end = min(len(self), max(end, begin + 1))
            yield self.part(begin, end)
            begin = end

    def part(self, begin: int, end: int) -> Self:
        """Return the sheets number begin .. end - 1, counted from 0; the values are shared."""
        first, tail = self.prefix_offset[begin], self.tail_offset[begin]
        return replace(
            self,
            first_x=self.first_x + begin,
            prefix_offset=self.prefix_offset[begin : end + 1] - first,
            prefix_z=self.prefix_z[first : self.prefix_offset[end]],
            tail_period=self.tail_period[begin:end],
            tail_offset=self.tail_offset[begin : end + 1] - tail,
            tail_z=self.tail_z[tail : self.tail_offset[end]],
        )

    @classmethod
    def concatenate(cls, blocks: Iterable[Self]) -> Self:
        """Return one object from consecutive blocks.

        Raises:
            ValueError: There is no block, or the blocks are not consecutive.
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
            prefix_offset=offsets_of(np.concatenate([part.prefix_length for part in parts])),
            prefix_z=np.concatenate([part.prefix_z for part in parts]),
            tail_period=np.concatenate([part.tail_period for part in parts]),
            tail_offset=offsets_of(np.concatenate([np.diff(part.tail_offset) for part in parts])),
            tail_z=np.concatenate([part.tail_z for part in parts]),
            closed_by=closed[0] if closed else None,
        )


def whole_window(game: str, x: int) -> tuple[int, int]:
    """Return the numbers of columns and cells that show a whole sheet of a game.

    In Chomp they show all lines and the beginning of the tail. In heap games, whose sheets consist
    of blocks of powers of two, they show the first blocks.
    """
    if game.partition("{")[0] == "chomp3":
        return max(8, x), max(8, round(0.8 * x))
    side = max(8, round(2.56 * x))
    return side, side


def offsets_of(lengths: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Return the beginnings of consecutive parts of these lengths, and the end; int64, (n + 1,)."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets
