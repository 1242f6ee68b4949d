"""Facts of three-row Chomp for transfinite Chomp: loser sheets, and infinite tails.

A finite three-wide position has column heights u >= v >= x; it is [x, v - x, u - v] of three-row
Chomp, and the loser sheet L_x holds the P-positions. For given v and x there is one u, until the
sheet stops with a square (u, u, x); a sheet that never stops has an infinite tail, which is
eventually periodic (Byrnes, Poset Game Periodicity). The Side-Top Theorem (Huddleston & Shurman,
section 8) needs the ranks of such x among each other.
"""

from bisect import bisect_left

from position_oracle.schema.sheets import STOPS, LoserSheets


def finite_left_height(sheets: LoserSheets, v: int, x: int) -> int:
    """Return the height at which cutting a tall left column over (v, x) leaves a P-position.

    Raises:
        UnknownAnswerError: if sheet x is beyond the table.
    """
    z = sheets.z_at(x, v - x)
    return x + int(sheets.prefix_length[x]) - 1 if z is None else v + z


def square_height(sheets: LoserSheets, x: int) -> int | None:
    """Return the u with (u, u, x) a P-position, u >= x; None if the sheet has an infinite tail."""
    return x + int(sheets.prefix_length[x]) - 1 if sheets.tail_period[x] == STOPS else None


def spread(sheets: LoserSheets, x: int) -> int:
    """Return the largest u - v in a sheet."""
    return int(max(sheets.prefix(x).max(initial=0), sheets.tail(x).max(initial=0)))


def tail_rank(sheets: LoserSheets, x: int) -> int | None:
    """Return the restricted Grundy value of a side column of height x (section 8), or None.

    It is the number of smaller sheets with an infinite tail; None if sheet x has no such tail.
    """
    at = bisect_left(sheets.tails, x)
    return at if at < len(sheets.tails) and sheets.tails[at] == x else None
