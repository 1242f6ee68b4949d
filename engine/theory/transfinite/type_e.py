r"""Type E of the 2 x 2 bases: [v z; u y] with w <= z < w^3 and v, y >= w^w.

Huddleston & Shurman, Transfinite Chomp, section 11, PE1: with T the L-shaped top of the parts of u,
v and y above w^w, the position is P exactly if G(T) = w\z. The paper leaves G(T) open in general;
here it is known for a two-wide top, for equal arms, for a corner whose leading power exceeds both
arms (the argument of (9-5), see docs/transfinite.md), and for small finite tops.
"""

from collections.abc import Iterator

from position_oracle.engine.theory.transfinite import small_families, two_wide
from position_oracle.engine.theory.transfinite.decision import Decision, Rule
from position_oracle.engine.theory.transfinite.ordinal import (
    OMEGA,
    OMEGA_OMEGA,
    ZERO,
    Ordinal,
    left_sub,
    natural,
    ordinal_add,
)
from position_oracle.engine.theory.transfinite.type_d import BlockBite, after

Arms = tuple[Ordinal, Ordinal, Ordinal]
"""An L-shaped top [v 0; u y] as (u, v, y), u >= max(v, y)."""


def arms_grundy(u: Ordinal, v: Ordinal, y: Ordinal) -> Ordinal | None:
    """Return the Grundy value of [v 0; u y], u >= max(v, y), or None if it is not known."""
    if v < y:
        v, y = y, v
    if not y.terms:
        return two_wide.grundy(u, v)
    if v == y:
        return u
    degree = u.degree
    if degree.terms and v.degree < degree:
        return Ordinal(u.terms[:1]) + (u.below(degree) ^ v ^ y)
    if u.is_finite:
        value = small_families.arms(int(u), int(v), int(y))
        return None if value is None else natural(value)
    return None


def verdict(u: Ordinal, v: Ordinal, y: Ordinal, z: Ordinal) -> Decision:
    """Return the verdict on a type E position with v >= y; bites are (x, y, height)."""
    top = (left_sub(OMEGA_OMEGA, u), left_sub(OMEGA_OMEGA, v), left_sub(OMEGA_OMEGA, y))
    wanted = left_sub(OMEGA, z)
    value = arms_grundy(*top)
    if value == wanted:
        return Decision.p(Rule.PE1)
    if value is not None and value < wanted:
        return Decision.n(Rule.PE1, 1, 1, ordinal_add(OMEGA, value))
    for i, j, height in _candidates(top, wanted):
        left = after((*top, ZERO), (i, j, height))
        if left is not None and arms_grundy(*left[:3]) == wanted:
            return Decision.n(Rule.PE1, i, j, ordinal_add(OMEGA_OMEGA, height))
    if value is not None or _bounded_away(top, wanted):
        return Decision.n_without_bite(
            Rule.PE1, "the winning bite depends on unknown L-shaped tops"
        )
    return Decision.unknown(
        f"needs the Grundy value of the L-shaped top [{top[1]} 0; {top[0]} {top[2]}]", Rule.PE1
    )


def _bounded_away(top: Arms, wanted: Ordinal) -> bool:
    """Return whether the Size Lemma alone shows G(T) to differ from the value wanted.

    G(T) is at most the size of T, and more than the value if a lower corner takes that value: one
    does that is at most 1 + the arms + the value (Corollary 5.2 for the construction of section 6).
    """
    u, v, y = top
    return u + v + y < wanted or u > natural(1) + v + y + wanted


def _candidates(top: Arms, wanted: Ordinal) -> Iterator[BlockBite]:
    """Places in the top whose bite may leave the value wanted."""
    u, v, y = top
    degree = u.degree
    corner = [wanted, two_wide.left_height(v, wanted)]
    if wanted.terms:
        leading = wanted.degree
        corner.append(Ordinal(wanted.terms[:1]) + (wanted.below(leading) ^ v ^ y))
    corner.append(u.above(degree) + Ordinal(u.terms[:1]) + (wanted.below(degree) ^ v ^ y))
    small = [natural(k) for k in range(small_families.MAX_HEIGHT)] if u.is_finite else []
    yield from ((0, 0, height) for height in (*corner, *small))
    right = two_wide.right_height(u, wanted)
    last = [] if right is None else [right]
    for other, i, j in ((y, 0, 1), (v, 1, 0)):
        crossed = wanted.below(degree) ^ u.below(degree) ^ other
        yield from ((i, j, height) for height in (ZERO, other, crossed, *small, *last))
