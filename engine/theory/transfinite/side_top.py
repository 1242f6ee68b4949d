"""Side-Top positions U = (2 x w) + S@(2,0) + T@(0,w), S finite, T at most two wide.

Huddleston & Shurman, Transfinite Chomp, Theorem 8.1: if cutting the two infinite columns at some
finite height leaves a P-position, U is N; if not, U is P exactly if G_S(S) = G(T), where G_S is the
Grundy value restricted to sides S with the same property.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.theory.transfinite import two_wide
from engine.theory.transfinite.ordinal import OMEGA, Ordinal, left_sub, ordinal_add
from engine.theory.transfinite.sheets import square_height, tail_rank
from engine.theory.transfinite.verdict import (
    Rule,
    Verdict,
    n_position,
    n_without_bite,
    p_position,
    unknown,
)
from schema.errors import ResourceLimitError, UnknownAnswerError
from schema.sheets import LoserSheets

Side = tuple[int, ...]
"""A finite side S: the heights of its columns, which do not increase and are at least 1."""

HasTail = Callable[[Side], bool]
"""Whether no finite height of the two columns beside S gives a P-position (S in script S)."""

MAX_SIDES = 200_000
"""Most sides for which a restricted Grundy value is computed."""


@dataclass(slots=True)
class RestrictedGrundy:
    """The restricted Grundy value G_S of finite sides, given which sides have a tail."""

    has_tail: HasTail
    known: dict[Side, int]

    def __init__(self, has_tail: HasTail) -> None:
        self.has_tail = has_tail
        self.known = {}

    def __call__(self, side: Side) -> int | None:
        """G_S(S), or None if S has no tail.

        Raises:
            ResourceLimitError: if S has too many subpositions.
        """
        if not self.has_tail(side):
            return None
        # Smaller sides first: ascending tuples of heights, so nothing recurses.
        for smaller in subsides(side):
            if smaller not in self.known and self.has_tail(smaller):
                reached = {self.known[left] for _, left in bites(smaller) if left in self.known}
                value = 0
                while value in reached:
                    value += 1
                self.known[smaller] = value
        return self.known[side]


def subsides(side: Side) -> list[Side]:
    """All sides within a side, every one after those it can be bitten down to.

    Raises:
        ResourceLimitError: if there are more than `MAX_SIDES`.
    """
    found: list[Side] = [()]
    layer: list[Side] = [()]
    for height in side:
        layer = [
            (*head, h)
            for head in layer
            for h in range(1, min(height, head[-1] if head else height) + 1)
        ]
        found += layer
        if len(found) > MAX_SIDES:
            raise ResourceLimitError(f"a side with over {MAX_SIDES} subpositions is not searched")
    return sorted(found, key=lambda heights: (sum(heights), heights))


def bites(side: Side) -> list[tuple[tuple[int, int], Side]]:
    """Every bite (column, height) into a side, and what it leaves."""
    return [
        (
            (column, height),
            (*side[:column], *(min(h, height) for h in side[column:] if min(h, height))),
        )
        for column in range(len(side))
        for height in range(side[column])
    ]


def verdict(
    u: Ordinal, v: Ordinal, side: Side, square_height: int | None, restricted: RestrictedGrundy
) -> Verdict:
    """The verdict on columns u >= v >= w with the finite side S to their right.

    `square_height` is the finite height at which cutting everything leaves a P-position, None if
    there is none; bites are (column, height).
    """
    if square_height is not None:
        return n_position(Rule.SIDE_TOP, 0, square_height)
    value = restricted(side)
    if value is None:
        return unknown("the side is not among those with a tail", Rule.SIDE_TOP)
    found = _bite_top(u, v, value)
    if found is not None:
        return found
    target = two_wide.grundy(left_sub(OMEGA, u), left_sub(OMEGA, v))
    for (column, height), left in bites(side):
        if restricted(left) == target:
            return n_position(Rule.SIDE_TOP, column + 2, height)
    return unknown("the restricted Grundy values given are inconsistent", Rule.SIDE_TOP)


def _bite_top(u: Ordinal, v: Ordinal, value: int) -> Verdict | None:
    """P if G(T) = value, N with a bite into T if it is greater, None if it is smaller."""
    high, low = left_sub(OMEGA, u), left_sub(OMEGA, v)
    try:
        top = two_wide.grundy(high, low)
    except UnknownAnswerError:
        top = OMEGA  # finite, but greater than any restricted value in reach
    if top == value:
        return p_position(Rule.SIDE_TOP)
    if top < value:
        return None
    bite = two_wide.bite_to(high, low, value)
    if bite is None:
        return unknown("no bite into the top reaches the value of the side", Rule.SIDE_TOP)
    return n_position(Rule.SIDE_TOP, bite[0], ordinal_add(OMEGA, bite[1]))


def column_verdict(u: Ordinal, v: Ordinal, x: int, sheets: LoserSheets) -> Verdict:
    """The verdict on three columns u >= v >= w > x: the side is one column of finite height x.

    A side column's restricted value is its rank among the sheets with an infinite tail.
    """
    if x >= sheets.end_x:
        return _beyond_table(u, v, x, sheets)
    square = square_height(sheets, x)
    if square is not None:
        return n_position(Rule.SIDE_TOP, 0, square)
    rank = tail_rank(sheets, x)
    assert rank is not None  # noqa: S101 - a sheet without a square has a tail
    found = _bite_top(u, v, rank)
    if found is not None:
        return found
    value = int(two_wide.grundy(left_sub(OMEGA, u), left_sub(OMEGA, v)))
    return n_position(Rule.SIDE_TOP, 2, sheets.tails[value])


def _beyond_table(u: Ordinal, v: Ordinal, x: int, sheets: LoserSheets) -> Verdict:
    """What can be said without sheet x: its rank is between the number of tails known and x."""
    try:
        value = two_wide.grundy(left_sub(OMEGA, u), left_sub(OMEGA, v))
    except UnknownAnswerError:
        value = OMEGA
    if value < len(sheets.tails):
        return n_position(Rule.SIDE_TOP, 2, sheets.tails[int(value)])
    reason = f"needs sheet {x} of three-row Chomp; the table has x < {sheets.end_x}"
    if value > x:
        return n_without_bite(Rule.SIDE_TOP, reason)
    return unknown(reason, Rule.SIDE_TOP)
