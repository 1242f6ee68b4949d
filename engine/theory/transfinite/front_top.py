"""Front-Top positions U = B + F@(1,0,0) + T@(0,0,w): a brick B = 1 x 2 x w with a front and a top.

Huddleston & Shurman, Transfinite Chomp, Theorem 11.1: with F finite and such that no finite height
of the brick gives a P-position, U is P exactly if G_F(F) = G(T), G_F being the Grundy value
restricted to such fronts. The fronts needed for a 2 x 2 base are two columns of one height z; their
restricted value is z (PA2).
"""

from __future__ import annotations

from position_oracle.engine.theory.transfinite import two_wide
from position_oracle.engine.theory.transfinite.ordinal import OMEGA, Ordinal, left_sub, ordinal_add
from position_oracle.engine.theory.transfinite.verdict import (
    Rule,
    Verdict,
    n_position,
    n_without_bite,
    p_position,
    unknown,
)
from position_oracle.schema.errors import UnknownAnswerError


def verdict(
    u: Ordinal, v: Ordinal, front_height: int | None, value: int | None, rule: Rule = Rule.FRONT_TOP
) -> Verdict:
    """The verdict on brick columns u >= v >= w with a finite front; bites are (x, y, height).

    `front_height` is the finite height at which cutting everything leaves a P-position, None if
    there is none; then `value` is the restricted Grundy value of the front. Where the reply is a
    bite into the front, the verdict has no bite: `reason` gives the value that must be left.
    """
    if front_height is not None:
        return n_position(rule, 0, 0, front_height)
    if value is None:
        return unknown("the restricted Grundy value of the front is not known", rule)
    high, low = left_sub(OMEGA, u), left_sub(OMEGA, v)
    try:
        top = two_wide.grundy(high, low)
    except UnknownAnswerError:
        top = OMEGA  # finite, but greater than any front in reach
    if top == value:
        return p_position(rule)
    if top < value:
        return n_without_bite(rule, f"bite the front down to restricted Grundy value {top}")
    bite = two_wide.bite_to(high, low, value)
    if bite is None:
        return unknown("no bite into the top reaches the value of the front", rule)
    return n_position(rule, 0, bite[0], ordinal_add(OMEGA, bite[1]))


def level_front(u: Ordinal, v: Ordinal, z: int) -> Verdict:
    """PA2: the verdict on [v z; u z] with v >= w > z; the front (z, z) has value z."""
    found = verdict(u, v, None, z, Rule.PA2)
    if found.bite is None and found.reason:
        target = two_wide.grundy(left_sub(OMEGA, u), left_sub(OMEGA, v))
        return n_position(Rule.PA2, 1, 0, target)
    return found
