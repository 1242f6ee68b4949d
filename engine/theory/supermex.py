"""The supermex: loser sheets of three-row Chomp from smaller ones, by the definition.

Source: E. J. Friedman & A. S. Landsberg, Nonlinear dynamics in combinatorial games, Chaos 17
(2007), section III. The instant-winner sheet W_x holds the positions [x, y, z] from which one move
reaches a P-position of smaller x (equation 1), and the loser sheet is L_x = M W_x (equation 2),
with M the supermex operator, a mex of sheets:

    column by column, y = 0, 1, ..., the P-position of the column is the least z that is marked
    neither in W_x nor by a P-position of an earlier column, which marks its diagonal below and to
    the right (move M1); it ends with z = 0, from where M2 marks all later columns.

So three kinds of z are excluded in a column y of sheet x:

    M4    the z of L_(x - t) in column y + t
    M5    the z on the deadly diagonals, y + z = z*(x - t) - t, z*(k) being the z of L_k at y = 0
    M1    the z on the implied diagonals, y + z the same as that of an earlier column

and 0 in column 0 of sheet 0, since the empty board is N. (M6 marks nothing: no rectangle but the
poison is P.) A sheet that does not end is periodic in the end (S. Byrnes, Poset game periodicity,
Integers 3 (2003)): in a column beyond all deadly diagonals and all beginnings of smaller tails,
what follows depends only on y modulo the periods of these tails and on the implied diagonals that
lie ahead, so that a repeated state proves the tail.

`engine.solvers.three_row` computes the same sheets with bit sets, fast and for variants as well.
"""

from functools import lru_cache
from itertools import chain, count
from math import lcm
from typing import NamedTuple

import numpy as np

from position_oracle.engine.budget import current
from position_oracle.schema.sheets import STOPS, LoserSheets, offsets_of


class _Sheet(NamedTuple):
    """The z of columns 0, 1, ...: a prefix, then one period of a tail (empty if the sheet ends)."""

    prefix: list[int]
    tail: list[int]

    def z_at(self, y: int) -> int | None:
        """Return the z of column y; None if the sheet has ended."""
        if y < len(self.prefix):
            return self.prefix[y]
        return self.tail[(y - len(self.prefix)) % len(self.tail)] if self.tail else None


@lru_cache(maxsize=4)
def loser_sheets(limit: int = 128) -> LoserSheets:
    """Return the loser sheets L_x of plain three-row Chomp for x < limit, by the supermex.

    Hundreds of sheets take seconds: enough for small positions, and as a reference.
    """
    sheets: list[_Sheet] = []
    for _ in range(limit):
        sheets.append(supermex(sheets))
    periods = np.array([len(sheet.tail) or STOPS for sheet in sheets], np.int32)
    lengths = np.array([len(sheet.prefix) for sheet in sheets], np.int64)
    return LoserSheets(
        first_x=0,
        prefix_offset=offsets_of(lengths),
        prefix_z=np.fromiter(chain.from_iterable(s.prefix for s in sheets), np.int32),
        tail_period=periods,
        tail_offset=offsets_of(periods),
        tail_z=np.fromiter(chain.from_iterable(s.tail for s in sheets), np.int32),
    )


def supermex(smaller: list[_Sheet]) -> _Sheet:
    """Return the sheet L_x = M W_x, given the sheets L_0, ..., L_(x - 1)."""
    x = len(smaller)
    deadly = {(smaller[k].z_at(0) or 0) - (x - k) for k in range(x)}
    tails_begin = max((len(s.prefix) - (x - k) for k, s in enumerate(smaller)), default=0)
    pure = max(tails_begin, max(deadly, default=-1) + 1, 1)
    modulus = lcm(*(len(sheet.tail) for sheet in smaller if sheet.tail))
    implied: set[int] = set()
    seen: dict[tuple[int, frozenset[int]], int] = {}
    column_z: list[int] = []
    for y in count():
        current().check()
        if y >= pure:
            ahead = frozenset(total - y for total in implied if total >= y)
            state = (y % modulus, ahead)
            if state in seen:
                return _least_tail(column_z, y - seen[state])
            seen[state] = y
        below = {smaller[k].z_at(y + x - k) for k in range(x)}
        z = 1 if x == y == 0 else 0
        while z in below or y + z in deadly or y + z in implied:
            z += 1
        implied.add(y + z)
        column_z.append(z)
        if z == 0:
            break
    return _Sheet(column_z, [])


def _least_tail(column_z: list[int], period: int) -> _Sheet:
    """Return the sheet that repeats its last `period` values, in canonical form."""
    end = column_z[-period:]
    least = next(
        p for p in range(1, period + 1) if period % p == 0 and end == end[:p] * (period // p)
    )
    start = len(column_z) - least
    while start > 0 and column_z[start - 1] == column_z[start - 1 + least]:
        start -= 1
    return _Sheet(column_z[:start], column_z[start : start + least])
