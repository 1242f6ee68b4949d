"""Side-Top positions U = (2 x w) + S@(2,0) + T@(0,w), S a finite column, T at most two wide.

Huddleston & Shurman, Transfinite Chomp, Theorem 8.1: if cutting the two infinite columns at some
finite height leaves a P-position, U is N; if not, U is P exactly if G_S(S) = G(T), where G_S is the
Grundy value restricted to sides S with the same property.
"""

from collections.abc import Callable

from position_oracle.engine.theory.transfinite import two_wide
from position_oracle.engine.theory.transfinite.decision import Decision, Rule
from position_oracle.engine.theory.transfinite.ordinal import OMEGA, Ordinal, left_sub, ordinal_add
from position_oracle.engine.theory.transfinite.sheets import square_height, tail_rank
from position_oracle.schema.sheets import LoserSheets


def top_value(u: Ordinal, v: Ordinal) -> Ordinal:
    """Return G of the top of columns u >= v >= w; w if finite but too large to write out."""
    value = two_wide.written_grundy(left_sub(OMEGA, u), left_sub(OMEGA, v))
    return OMEGA if value is None else value


def bite_top(
    u: Ordinal, v: Ordinal, value: int, rule: Rule, at: Callable[[int], tuple[int, ...]]
) -> Decision | None:
    """Return P if G(T) = value, N with a bite into the top if greater, None if smaller.

    Args:
        u: the first column, at least w.
        v: the second one.
        value: the restricted value of the side or front.
        rule: the theorem.
        at: the place of a column of the top.
    """
    top = top_value(u, v)
    if top == value:
        return Decision.p(rule)
    if top < value:
        return None
    bite = two_wide.bite_to(left_sub(OMEGA, u), left_sub(OMEGA, v), value)
    if bite is None:
        return Decision.unknown(
            "no bite into the top reaches the value of the part beside it", rule
        )
    return Decision.n(rule, *at(bite[0]), ordinal_add(OMEGA, bite[1]))


def column_verdict(u: Ordinal, v: Ordinal, x: int, sheets: LoserSheets) -> Decision:
    """Return the verdict on columns u >= v >= w > x: the side has finite height x.

    A side column's restricted value is its rank among the sheets with an infinite tail.
    """
    if x >= sheets.end_x:
        return _beyond_table(u, v, x, sheets)
    square = square_height(sheets, x)
    if square is not None:
        return Decision.n(Rule.SIDE_TOP, 0, square)
    rank = tail_rank(sheets, x)
    assert rank is not None  # noqa: S101 - a sheet without a square has a tail
    found = bite_top(u, v, rank, Rule.SIDE_TOP, lambda column: (column,))
    if found is not None:
        return found
    return Decision.n(Rule.SIDE_TOP, 2, sheets.tails[int(top_value(u, v))])


def _beyond_table(u: Ordinal, v: Ordinal, x: int, sheets: LoserSheets) -> Decision:
    """Return the verdict without sheet x: its rank is between the number of known tails and x."""
    value = top_value(u, v)
    if value < len(sheets.tails):
        return Decision.n(Rule.SIDE_TOP, 2, sheets.tails[int(value)])
    reason = f"needs sheet {x} of three-row Chomp; the table has x < {sheets.end_x}"
    if value > x:
        return Decision.n_without_bite(Rule.SIDE_TOP, reason)
    return Decision.unknown(reason, Rule.SIDE_TOP)
