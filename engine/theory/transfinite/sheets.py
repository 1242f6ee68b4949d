"""What transfinite Chomp asks of three-row Chomp: its loser sheets and which have infinite tails.

A finite three-wide position has column heights u >= v >= x; the loser sheet L_x holds those that
are P. For given v and x there is one u, until the sheet stops with a square (u, u, x); a sheet that
never stops has an infinite tail, which is eventually periodic (Byrnes, Poset Game Periodicity).
The Side-Top Theorem (Huddleston & Shurman, section 8) needs the ranks of such x among each other.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import lcm
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.budget import current
from schema.errors import UnknownAnswerError

Integers = Sequence[int] | NDArray[np.integer[Any]]


class ThreeRowSheets(Protocol):
    """Loser sheets L_x of three-row Chomp for x < limit."""

    @property
    def limit(self) -> int:
        """The number of sheets known: x < limit."""

    @property
    def tails(self) -> Sequence[int]:
        """All x < limit whose sheet has an infinite tail, ascending: rank r is tails[r]."""

    def left_height(self, v: int, x: int) -> int:
        """The unique height at which cutting a tall left column over (v, x) leaves a P-position."""

    def square_height(self, x: int) -> int | None:
        """The u with (u, u, x) a P-position, u >= x; None if the sheet has an infinite tail."""

    def spread(self, x: int) -> int:
        """The largest u - v in the sheet."""


@dataclass(frozen=True, slots=True)
class SheetTable:
    """Sheets kept as sequences.

    `rows[x][i]` is u - v for v = x + i: up to the square, where it is 0, or up to the end of the
    first period. `periods[x]` is 0 for a sheet that stops, else the last values repeat for ever.
    """

    rows: Sequence[Sequence[int]]
    periods: Sequence[int]
    tails: Sequence[int] = field(init=False)

    def __post_init__(self) -> None:
        tails = tuple(x for x, period in enumerate(self.periods) if period)
        object.__setattr__(self, "tails", tails)

    @property
    def limit(self) -> int:
        """The number of sheets known."""
        return len(self.rows)

    def left_height(self, v: int, x: int) -> int:
        """The unique height at which cutting a tall left column over (v, x) leaves a P-position.

        Raises:
            UnknownAnswerError: if sheet x is beyond the table.
        """
        row, period = self._sheet(x)
        at = v - x
        if at < len(row):
            return v + int(row[at])
        if not period:
            return x + len(row) - 1
        start = len(row) - period
        return v + int(row[start + (at - start) % period])

    def square_height(self, x: int) -> int | None:
        """The u with (u, u, x) a P-position; None if the sheet has an infinite tail.

        Raises:
            UnknownAnswerError: if sheet x is beyond the table.
        """
        row, period = self._sheet(x)
        return None if period else x + len(row) - 1

    def spread(self, x: int) -> int:
        """The largest u - v in the sheet."""
        return int(max(self._sheet(x)[0]))

    def _sheet(self, x: int) -> tuple[Sequence[int], int]:
        if x >= self.limit:
            raise UnknownAnswerError(f"sheet {x} is beyond the table, which has x < {self.limit}")
        return self.rows[x], int(self.periods[x])


@dataclass(frozen=True, slots=True)
class ArraySheets:
    """Sheets x = 0, 1, ... in flat arrays, as three-row solvers give them.

    Sheet x has z = u - v for v = x + y: `z[prefix_offset[x] + y]` within its prefix, and beyond it
    the values of `tail_z[tail_offset[x]:tail_offset[x + 1]]` for ever; `period[x]` is the length
    of that tail, 0 for a sheet that stops with a square.
    """

    prefix_offset: Integers
    z: Integers
    period: Integers
    tail_offset: Integers
    tail_z: Integers
    tails: Sequence[int] = field(init=False)

    def __post_init__(self) -> None:
        tails = tuple(x for x, period in enumerate(self.period) if period)
        object.__setattr__(self, "tails", tails)

    @property
    def limit(self) -> int:
        """The number of sheets known."""
        return len(self.period)

    def left_height(self, v: int, x: int) -> int:
        """As `SheetTable.left_height`."""
        start, length = self._prefix(x)
        at = v - x
        if at < length:
            return v + int(self.z[start + at])
        period = int(self.period[x])
        if not period:
            return x + length - 1
        return v + int(self.tail_z[int(self.tail_offset[x]) + (at - length) % period])

    def square_height(self, x: int) -> int | None:
        """As `SheetTable.square_height`."""
        _, length = self._prefix(x)
        return None if self.period[x] else x + length - 1

    def spread(self, x: int) -> int:
        """The largest u - v in the sheet."""
        start, length = self._prefix(x)
        tail = self.tail_z[int(self.tail_offset[x]) : int(self.tail_offset[x + 1])]
        return int(max([*self.z[start : start + length], *tail]))

    def _prefix(self, x: int) -> tuple[int, int]:
        if x >= self.limit:
            raise UnknownAnswerError(f"sheet {x} is beyond the table, which has x < {self.limit}")
        start = int(self.prefix_offset[x])
        return start, int(self.prefix_offset[x + 1]) - start


def tail_rank(sheets: ThreeRowSheets, x: int) -> int | None:
    """The restricted Grundy value of a side column of height x (section 8); None if it has none.

    It is the number of smaller sheets with an infinite tail.
    """
    at = bisect_left(sheets.tails, x)
    return at if at < len(sheets.tails) and sheets.tails[at] == x else None


@lru_cache(maxsize=4)
def small_sheets(limit: int = 128) -> SheetTable:
    """The sheets x < limit, computed here: enough for small positions and where no table is given.

    In sheet x the value of row v is the least u >= v that no smaller sheet has in row v, that this
    sheet has not had before, and for which no (u, k, k), k < x, is P. Once v is past all starts of
    smaller tails, what follows depends only on v modulo their periods and on the values already
    taken above v; a repeated state proves the tail.
    """
    rows: list[list[int]] = []
    periods: list[int] = []
    deadly: set[int] = set()
    for x in range(limit):
        row, period = _sheet(SheetTable(tuple(rows), tuple(periods)), x, deadly)
        rows.append(row)
        periods.append(period)
        deadly.add(x + row[0])
    return SheetTable(tuple(map(tuple, rows)), tuple(periods))


def _sheet(smaller: SheetTable, x: int, deadly: set[int]) -> tuple[list[int], int]:
    pure = max(
        [x + len(smaller.rows[k]) for k in range(x)] + [max(deadly, default=0) + 1], default=0
    )
    modulus = lcm(*(period for period in smaller.periods if period))
    taken: set[int] = set()
    seen: dict[tuple[int, frozenset[int]], int] = {}
    row: list[int] = []
    v = x
    while True:
        current().check()
        if v > pure:
            state = (v % modulus, frozenset(u - v for u in taken if u >= v))
            if state in seen:
                return row, v - seen[state]
            seen[state] = v
        in_row = {smaller.left_height(v, k) for k in range(x) if _reaches(smaller, v, k)}
        u = max(v, 1)
        while u in in_row or u in taken or u in deadly:
            u += 1
        taken.add(u)
        row.append(u - v)
        if u == v:
            return row, 0
        v += 1


def _reaches(smaller: SheetTable, v: int, k: int) -> bool:
    """Whether sheet k has a value in row v: it has not stopped before."""
    return bool(smaller.periods[k]) or v - k < len(smaller.rows[k])
