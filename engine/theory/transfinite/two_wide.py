"""Two-wide positions (1 x h) + (2 x k), h >= k: Grundy values for all ordinals below epsilon_0.

Huddleston & Shurman, Transfinite Chomp, section 9, formulas (9-1) to (9-6), and their inverses. The
formulas are used in one closed form. Write an exponent as a limit part (a multiple of w) plus a
*rank* n < w; exponents with equal limit parts make a block. The terms that h and k share down to
the first difference contribute

* rank >= 2:  w^e * c gives w^(e-1) * c                                     (9-4)
* rank 1, coefficient c, and rank 0, coefficients u >= v of the same block:
  w^limit * (3^c * G(u, v) + (3^c - 1)/2), G on finite heights              (9-1), (9-2), (9-6)

and where they first differ, at w^e of rank >= 1 with coefficients u > v, the rest contributes
w^e * (u - v) + (a ^ b), a and b being what is below w^e and ^ the Nim sum  (9-3), (9-5), (9-6).
"""

import operator
from collections.abc import Callable, Iterator

from position_oracle.engine.theory.transfinite.decision import Decision, Rule
from position_oracle.engine.theory.transfinite.ordinal import OMEGA, ZERO, Ordinal, omega_power
from position_oracle.schema.answers import Outcome
from position_oracle.schema.errors import UnknownAnswerError

MAX_TRIPLINGS = 8_192
"""Largest u for which 3^u, as in (9-2), is written out."""

PlaneBite = tuple[int, Ordinal]
"""A bite (column, height) into a position of few columns."""


def grundy(h: Ordinal | int, k: Ordinal | int) -> Ordinal:
    """G(h, k), h >= k: the Grundy value of (1 x h) + (2 x k), unrestricted (P exactly at 1).

    Raises:
        UnknownAnswerError: if the value involves 3^u with u > `MAX_TRIPLINGS`.
    """
    high, low = Ordinal.of(h), Ordinal.of(k)
    if not low.terms:
        return high
    index = _shared_terms(high, low)
    shared = Ordinal(high.terms[:index])
    if index == len(high.terms):
        return diagonal(shared)
    e, u = high.terms[index]
    v = low.coefficient(e)
    rest = high.below(e) ^ low.below(e)
    if e.finite_part:
        return diagonal(shared) + omega_power(e, u - v) + rest
    scale = _power_of_three(shared.coefficient(e + 1))
    return diagonal(shared) + omega_power(e, scale * finite_grundy(u, v)) + rest


def finite_grundy(u: int, v: int) -> int:
    """(9-1): G(u, v) for finite columns u >= v."""
    d = u - v
    if d % 2 == 0:
        return d + (3 * v + 1) // 2
    return min(d + v // 2, (3 * d - 1) // 2)


def is_p(h: Ordinal | int, k: Ordinal | int) -> bool:
    """Return whether G(h, k) = 1: exactly for (k+1, k) with k finite, and for (w, w)."""
    high, low = Ordinal.of(h), Ordinal.of(k)
    return high == low + 1 if low.is_finite else high == low == OMEGA


def verdict(h: Ordinal, k: Ordinal) -> Decision:
    """Decide (1 x h) + (2 x k), with h >= k and h > 0; bites are (column, height)."""
    if is_p(h, k):
        return Decision.p(Rule.TWO_WIDE)
    try:
        value, reason = grundy(h, k), ""
    except UnknownAnswerError as error:
        value, reason = None, str(error)
    bite = bite_to(h, k, 1)
    return Decision(
        Outcome.N, Rule.TWO_WIDE, value, bite and (Ordinal.of(bite[0]), bite[1]), reason
    )


def diagonal(h: Ordinal) -> Ordinal:
    """G(h, h).

    Raises:
        UnknownAnswerError: if the value involves 3^u with u > `MAX_TRIPLINGS`.
    """
    total = ZERO
    for index, (e, c) in enumerate(h.terms):
        rank = e.finite_part
        if rank >= 2:
            total = total + omega_power(predecessor(e), c)
        elif rank == 1:
            power = _power_of_three(c)
            total = total + omega_power(predecessor(e), power // 2)
        else:
            before = h.terms[index - 1] if index else None
            shared = before is not None and before[0] == e + 1
            scale = _power_of_three(before[1]) if shared and before else 1
            total = total + omega_power(e, scale * finite_grundy(c, c))
    return total


def diagonal_height(g: Ordinal | int) -> Ordinal:
    """Return the unique h with G(h, h) = g."""
    total = ZERO
    for e, c in Ordinal.of(g).terms:
        if e.finite_part:
            total = total + omega_power(e + 1, c)
            continue
        triplings, rest = 0, c
        while rest % 3 == 1:
            triplings, rest = triplings + 1, rest // 3
        even, odd = divmod(rest, 3)
        total = total + omega_power(e + 1, triplings) + omega_power(e, 2 * even + (odd == 2))
    return total


def left_height(k: Ordinal | int, g: Ordinal | int) -> Ordinal:
    """Return the height h at which a bite (0, h) into a tall left column over k leaves value g.

    Either h >= k and G(h, k) = g, or h < k and G(h, h) = g; it exists and is unique by the
    Fundamental Theorem (section 6).
    """
    low, value = Ordinal.of(k), Ordinal.of(g)
    for h in _candidates(low, value, value, operator.add, _finite_left):
        if h >= low and written_grundy(h, low) == value:
            return h
    return diagonal_height(value)


def right_height(h: Ordinal | int, g: Ordinal | int) -> Ordinal | None:
    """Return the unique k <= h with G(h, k) = g, or None if there is none."""
    high, value = Ordinal.of(h), Ordinal.of(g)
    for k in _candidates(high, value, high, operator.sub, _finite_right):
        if k <= high and written_grundy(high, k) == value:
            return k
    return None


def bite_to(h: Ordinal, k: Ordinal, g: Ordinal | int) -> PlaneBite | None:
    """Return a bite that leaves Grundy value g, or None; there is one for every g < G(h, k)."""
    low = left_height(k, g)
    if low < h:
        return 0, low
    right = right_height(h, g)
    return (1, right) if right is not None and right < k else None


def predecessor(e: Ordinal) -> Ordinal:
    """Return the exponent before a successor exponent."""
    *terms, (_, c) = e.terms
    return Ordinal((*terms, (ZERO, c - 1)) if c > 1 else tuple(terms))


def _shared_terms(h: Ordinal, k: Ordinal) -> int:
    index = 0
    for left, right in zip(h.terms, k.terms, strict=False):
        if left != right:
            break
        index += 1
    return index


def _power_of_three(exponent: int) -> int:
    if exponent > MAX_TRIPLINGS:
        raise UnknownAnswerError(
            f"the Grundy value involves 3^{exponent}: exponents up to {MAX_TRIPLINGS} are computed"
        )
    return int(3**exponent)


def written_grundy(h: Ordinal, k: Ordinal) -> Ordinal | None:
    """Return G(h, k); None if it is too large to write out."""
    try:
        return grundy(h, k)
    except UnknownAnswerError:
        return None


def _reduced(g: Ordinal, e: Ordinal, shared: Ordinal) -> int | None:
    """Return the excess of g's coefficient at w^e over the contribution of the shared terms."""
    try:
        base = diagonal(shared)
    except UnknownAnswerError:
        return None
    excess = g.coefficient(e) - base.coefficient(e)
    return excess if excess >= 0 and g.above(e) == base.above(e) else None


def _candidates(
    given: Ordinal,
    g: Ordinal,
    differences: Ordinal,
    shifted: Callable[[int, int], int],
    finite: Callable[[int, int], list[int]],
) -> Iterator[Ordinal]:
    """Yield heights that may give value g beside a given column, by their first difference from it.

    Args:
        given: the height of the given column.
        g: the value.
        differences: an ordinal with terms at all exponents where the heights may first differ.
        shifted: returns the coefficient of the height at such an exponent of rank >= 1, from that
            of the given column and the excess of g.
        finite: returns the possible coefficients at an exponent of rank 0.
    """
    yield given
    for e, _ in differences.terms:
        shared = given.above(e)
        excess = _reduced(g, e, shared)
        if excess is None:
            continue
        coefficient, rest = given.coefficient(e), given.below(e) ^ g.below(e)
        if e.finite_part:
            found = [shifted(coefficient, excess)]
        else:
            found = finite(coefficient, excess // _power_of_three(shared.coefficient(e + 1)))
        for other in found:
            if other >= 0:
                yield shared + omega_power(e, other) + rest


def _finite_left(v: int, g: int) -> list[int]:
    """Return the heights u >= v that may give G(u, v) = g: the three branches of (9-1) inverted."""
    guesses = (g - (v + 1) // 2, g - v // 2 + v, (2 * g + 1) // 3 + v)
    return [u for u in guesses if u >= v and finite_grundy(u, v) == g]


def _finite_right(u: int, g: int) -> list[int]:
    """Return the heights v <= u that may give G(u, v) = g: the three branches of (9-1) inverted."""
    odd = u % 2
    guesses = (2 * (g - u) - odd, 2 * (u - g) - 1 + odd, u - (2 * g + 1) // 3)
    return [v for v in guesses if 0 <= v <= u and finite_grundy(u, v) == g]
