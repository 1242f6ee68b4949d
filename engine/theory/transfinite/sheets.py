"""What transfinite Chomp asks of three-row Chomp: its loser sheets and which have infinite tails.

A finite three-wide position has column heights u >= v >= x; it is [x, v - x, u - v] of three-row
Chomp, and the loser sheet L_x holds those that are P. For given v and x there is one u, until the
sheet stops with a square (u, u, x); a sheet that never stops has an infinite tail, which is
eventually periodic (Byrnes, Poset Game Periodicity). The Side-Top Theorem (Huddleston & Shurman,
section 8) needs the ranks of such x among each other.
"""

from bisect import bisect_left
from functools import lru_cache
from itertools import chain
from math import lcm

import numpy as np

from engine.budget import current
from schema.errors import UnknownAnswerError
from schema.sheets import STOPS, LoserSheets, offsets_of


def finite_left_height(sheets: LoserSheets, v: int, x: int) -> int:
    """The unique height at which cutting a tall left column over (v, x) leaves a P-position.

    Raises:
        UnknownAnswerError: if sheet x is beyond the table.
    """
    z = sheets.z_at(x, v - x)
    return x + int(sheets.prefix_length[x]) - 1 if z is None else v + z


def square_height(sheets: LoserSheets, x: int) -> int | None:
    """The u with (u, u, x) a P-position, u >= x; None if the sheet has an infinite tail.

    Raises:
        UnknownAnswerError: if sheet x is beyond the table.
    """
    _check(sheets, x)
    return x + int(sheets.prefix_length[x]) - 1 if sheets.tail_period[x] == STOPS else None


def spread(sheets: LoserSheets, x: int) -> int:
    """The largest u - v in a sheet.

    Raises:
        UnknownAnswerError: if sheet x is beyond the table.
    """
    _check(sheets, x)
    return int(max(sheets.prefix(x).max(initial=0), sheets.tail(x).max(initial=0)))


def tail_rank(sheets: LoserSheets, x: int) -> int | None:
    """The restricted Grundy value of a side column of height x (section 8); None if it has none.

    It is the number of smaller sheets with an infinite tail.
    """
    at = bisect_left(sheets.tails, x)
    return at if at < len(sheets.tails) and sheets.tails[at] == x else None


def _check(sheets: LoserSheets, x: int) -> None:
    if x >= sheets.end_x:
        raise UnknownAnswerError(f"sheet {x} is beyond the table, which has x < {sheets.end_x}")


@lru_cache(maxsize=4)
def small_sheets(limit: int = 128) -> LoserSheets:
    """The sheets x < limit, computed here: enough for small positions and where no table is given.

    In sheet x the value of row v is the least u >= v that no smaller sheet has in row v, that this
    sheet has not had before, and for which no (u, k, k), k < x, is P. Once v is past all starts of
    smaller tails, what follows depends only on v modulo their periods and on the values already
    taken above v; a repeated state proves the tail.
    """
    sheets: list[_Sheet] = []
    deadly: set[int] = set()
    for x in range(limit):
        sheets.append(_next_sheet(sheets, deadly))
        first = sheets[x][0] or sheets[x][1]
        deadly.add(x + first[0])
    prefixes, tails = [prefix for prefix, _ in sheets], [tail for _, tail in sheets]
    periods = np.array([len(tail) for tail in tails], np.int32)
    return LoserSheets(
        first_x=0,
        prefix_offset=offsets_of(np.array([len(prefix) for prefix in prefixes], np.int64)),
        prefix_z=np.fromiter(chain.from_iterable(prefixes), np.int32),
        tail_period=periods,
        tail_offset=offsets_of(periods),
        tail_z=np.fromiter(chain.from_iterable(tails), np.int32),
    )


_Sheet = tuple[list[int], list[int]]
"""The values of u - v in the rows v = x, x + 1, ...: a prefix, and what is repeated after it."""


def _next_sheet(smaller: list[_Sheet], deadly: set[int]) -> _Sheet:
    x = len(smaller)
    starts = [k + len(prefix) + len(tail) for k, (prefix, tail) in enumerate(smaller)]
    pure = max([*starts, max(deadly, default=0) + 1])
    modulus = lcm(*(len(tail) for _, tail in smaller if tail))
    taken: set[int] = set()
    seen: dict[tuple[int, frozenset[int]], int] = {}
    row: list[int] = []
    v = x
    while True:
        current().check()
        if v > pure:
            state = (v % modulus, frozenset(u - v for u in taken if u >= v))
            if state in seen:
                return _least_tail(row, v - seen[state])
            seen[state] = v
        in_row = {v + z for k, sheet in enumerate(smaller) if (z := _value(sheet, v - k)) >= 0}
        u = max(v, 1)
        while u in in_row or u in taken or u in deadly:
            u += 1
        taken.add(u)
        row.append(u - v)
        if u == v:
            return row, []
        v += 1


def _value(sheet: _Sheet, y: int) -> int:
    """U - v of a sheet in its row number y; -1 where it has stopped before."""
    prefix, tail = sheet
    if y < len(prefix):
        return prefix[y]
    return tail[(y - len(prefix)) % len(tail)] if tail else -1


def _least_tail(row: list[int], period: int) -> _Sheet:
    """Prefix and tail of a row that repeats its last values: least period, earliest beginning."""
    end = row[-period:]
    least = next(
        p for p in range(1, period + 1) if period % p == 0 and end == end[:p] * (period // p)
    )
    start = len(row) - least
    while start > 0 and row[start - 1] == row[start - 1 + least]:
        start -= 1
    return row[:start], row[start : start + least]
