"""Three-wide positions (1 x u) + (2 x v) + (3 x x), u >= v >= x: outcome and winning bite.

Huddleston & Shurman, Transfinite Chomp, section 10: finite computation and the Beanstalk Lemma for
v < w, the Side-Top Theorem for x < w <= v, criterion (10-1) for w <= x < w^w, and the tall box 3 x
w^w beyond. Bites are (column, height). A reply is searched among the few bites that can satisfy
(10-1), and verified by (10-1).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import xor

from position_oracle.engine.theory.transfinite import two_wide
from position_oracle.engine.theory.transfinite.decision import Decision, Rule
from position_oracle.engine.theory.transfinite.ordinal import (
    OMEGA,
    OMEGA_2,
    OMEGA_OMEGA,
    ZERO,
    Ordinal,
    left_sub,
    natural,
    omega_power,
    ordinal_add,
)
from position_oracle.engine.theory.transfinite.sheets import finite_left_height, spread
from position_oracle.engine.theory.transfinite.side_top import column_verdict
from position_oracle.schema.errors import UnknownAnswerError
from position_oracle.schema.sheets import LoserSheets


def verdict(u: Ordinal, v: Ordinal, x: Ordinal, sheets: LoserSheets) -> Decision:
    """Return the verdict on heights u >= v >= x, u > 0; sheets decide finite x and replies."""
    if not x.terms:
        return two_wide.verdict(u, v)
    if x >= OMEGA_OMEGA:
        if u == OMEGA_OMEGA:
            return Decision.p(Rule.TALL_BOX)
        return Decision.n(Rule.TALL_BOX, 0, OMEGA_OMEGA)
    if not x.is_finite:
        return _infinite(u, v, x, sheets)
    if not v.is_finite:
        return column_verdict(u, v, int(x), sheets)
    return _finite_right(u, int(v), int(x), sheets)


def is_p(u: Ordinal, v: Ordinal, x: Ordinal) -> bool:
    """Apply criterion (10-1) for w <= x < w^w: return whether (u, v, x) is a P-position."""
    parts = _decompose(u, v, x)
    return parts.balance == 0 and all(target == value for _, value, target in parts.targets())


def left_height(v: Ordinal, x: Ordinal) -> Ordinal:
    """Return the height, w <= x < w^w, at which cutting a tall left column over (v, x) gives P.

    Raises:
        UnknownAnswerError: if the height involves a power of 3 too large to write out.
    """
    for height in _left_candidates(v, x):
        if height > x and is_p(height, min(height, v), x):
            return height
    raise UnknownAnswerError(f"the height over ({v}, {x}) is too large to be written out")


@dataclass(frozen=True, slots=True)
class _Top:
    """A top component: a two-wide position (low = 0 for one column) at (column, base)."""

    column: int
    base: Ordinal
    high: Ordinal
    low: Ordinal = ZERO


@dataclass(frozen=True, slots=True)
class _Parts:
    """A decomposition: `balance` is the sign of G(U_b) - G(X_b)."""

    balance: int
    tops: tuple[_Top, ...]

    def targets(self) -> list[tuple[_Top, Ordinal | None, Ordinal]]:
        """Return each top with its Grundy value and the Nim sum of the others.

        A top would be P at that Nim sum. A value too large to write out (there is at most one)
        differs from any Nim sum of the others.
        """
        values = [two_wide.written_grundy(top.high, top.low) for top in self.tops]
        total = reduce(xor, filter(None, values), ZERO)
        pairs = zip(self.tops, values, strict=True)
        return [(top, value, total ^ (value or ZERO)) for top, value in pairs]


def _decompose(u: Ordinal, v: Ordinal, x: Ordinal) -> _Parts:
    """Return the decomposition of section 10 at the degree i of x; its cases (i) to (iv)."""
    i = x.degree
    x_base = omega_power(i, x.terms[0][1])
    u_base, v_base = _from(u, i), _from(v, i)
    a, b, c = u.below(i), v.below(i), x.below(i)
    if u_base == v_base == x_base:  # (i): G(2 x w^i*u_i) < w^i*u_i always
        return _Parts(-1, ())
    if v_base == x_base:  # (ii)
        tops = (_Top(0, u_base, a), _Top(1, v_base, b, c))
        return _Parts(_sign(u_base, v_base, x_base), tops)
    base = u.above(i)
    if u_base == v_base and base.terms:  # (iii)
        tops = (_Top(0, base, left_sub(base, u), left_sub(base, v)), _Top(2, x_base, c))
        return _Parts(_sign(base, base, x_base), tops)
    return _Parts(  # (iv)
        _sign(u_base, v_base, x_base),
        (_Top(0, u_base, a), _Top(1, v_base, b), _Top(2, x_base, c)),
    )


def _from(value: Ordinal, i: Ordinal) -> Ordinal:
    return Ordinal(tuple(term for term in value.terms if term[0] >= i))


def _sign(h: Ordinal, k: Ordinal, x_base: Ordinal) -> int:
    """Return the sign of G(h, k) - x_base; a value too large to write out is finite."""
    value = two_wide.written_grundy(h, k)
    if value is None:
        return -1 if h < OMEGA_2 else 1
    return (value > x_base) - (value < x_base)


def _infinite(u: Ordinal, v: Ordinal, x: Ordinal, sheets: LoserSheets) -> Decision:
    parts = _decompose(u, v, x)
    if parts.balance == 0:
        return _bite_top(parts)
    if parts.balance > 0:
        try:
            return Decision.n(Rule.THREE_WIDE, 0, left_height(v, x))
        except UnknownAnswerError as error:
            return Decision.n_without_bite(Rule.THREE_WIDE, str(error))
    for z in _right_candidates(u, v, x):
        if not z.is_finite and z < x and is_p(u, v, z):
            return Decision.n(Rule.THREE_WIDE, 2, z)
    return _bite_to_finite_right(u, v, sheets)


def _bite_top(parts: _Parts) -> Decision:
    """Decide if the bottoms agree: P if the tops' Nim sum is 0, else a bite into one top."""
    for top, value, target in parts.targets():
        if value is not None and value <= target:
            continue
        bite = two_wide.bite_to(top.high, top.low, target)
        if bite is not None:
            column, height = bite
            return Decision.n(Rule.THREE_WIDE, top.column + column, ordinal_add(top.base, height))
    return Decision.p(Rule.THREE_WIDE)


def _left_candidates(v: Ordinal, x: Ordinal) -> Iterator[Ordinal]:
    """Yield heights z that may make (z, v, x), or (z, z, x) if z < v, satisfy (10-1)."""
    i, count = x.terms[0]
    x_base, c = omega_power(i, count), x.below(i)
    v_base, b, base = _from(v, i), v.below(i), v.above(i)
    yield ordinal_add(omega_power(i + 1, count), two_wide.diagonal_height(c))
    yield ordinal_add(two_wide.left_height(v_base, x_base), b ^ c)
    yield ordinal_add(base, two_wide.left_height(left_sub(base, v), c))
    if b >= c:
        yield omega_power(i, 2 * count) + two_wide.grundy(b, c)


def _right_candidates(u: Ordinal, v: Ordinal, x: Ordinal) -> Iterator[Ordinal]:
    """Yield infinite heights z that may make (u, v, z) satisfy (10-1), by the degree j of z."""
    exponents = {int(e) for value in (u, v) for e, _ in value.terms if e.is_finite}
    for j in sorted({n for e in exponents for n in (e, e - 1) if 1 <= n <= x.degree}, reverse=True):
        power = natural(j)
        u_base, v_base, a, b = _from(u, power), _from(v, power), u.below(power), v.below(power)
        base = u.above(power)
        try:
            if u_base == v_base:
                count = two_wide.diagonal(base).coefficient(power)
                yield omega_power(power, count) + two_wide.grundy(
                    left_sub(base, u), left_sub(base, v)
                )
            count = two_wide.grundy(u_base, v_base).coefficient(power)
            yield omega_power(power, count) + (a ^ b)
        except UnknownAnswerError:
            pass  # a value too large to write out is not a height of the bite looked for
        c = two_wide.right_height(b, a)
        if c is not None:
            yield v_base + c


def _bite_to_finite_right(u: Ordinal, v: Ordinal, sheets: LoserSheets) -> Decision:
    """Return the reply that leaves a Side-Top position with third column of rank G(T)."""
    try:
        rank = two_wide.grundy(left_sub(OMEGA, u), left_sub(OMEGA, v))
    except UnknownAnswerError as error:
        return Decision.n_without_bite(Rule.THREE_WIDE, str(error))
    if rank < len(sheets.tails):
        return Decision.n(Rule.THREE_WIDE, 2, sheets.tails[int(rank)])
    return Decision.n_without_bite(
        Rule.THREE_WIDE,
        f"bite the third column to the finite height of rank {rank} among the sheets with an "
        f"infinite tail; the table has {len(sheets.tails)} of them",
    )


def _finite_right(u: Ordinal, v: int, x: int, sheets: LoserSheets) -> Decision:
    """Decide two finite columns: a finite left height gives P (Size and Beanstalk Lemma)."""
    rule = Rule.FINITE if u.is_finite else Rule.BEANSTALK
    if x >= sheets.end_x:
        return _finite_beyond(u, v, x, sheets)
    height = finite_left_height(sheets, v, x)
    if u == height:
        return Decision.p(rule)
    if u > height:
        return Decision.n(rule, 0, height)
    bite = _finite_bite(int(u), v, x, sheets)
    return Decision.n(rule, *bite)


def _finite_beyond(u: Ordinal, v: int, x: int, sheets: LoserSheets) -> Decision:
    reason = f"needs sheet {x} of three-row Chomp; the table has x < {sheets.end_x}"
    if u > 1 + v + x:
        return Decision.n_without_bite(Rule.SIZE_LEMMA, reason)
    third = _third_column(int(u), v, sheets.end_x, sheets)
    if third is not None:
        return Decision.n(Rule.FINITE, 2, third)
    return Decision.unknown(reason, Rule.FINITE)


def _finite_bite(u: int, v: int, x: int, sheets: LoserSheets) -> tuple[int, int]:
    """Return a winning bite of a finite position whose left column is lower than the P height."""
    third = _third_column(u, v, x, sheets)
    if third is not None:
        return 2, third
    for k in range(max(x, u - spread(sheets, x)), v):
        if finite_left_height(sheets, k, x) == u:
            return 1, k
    for k in range(min(x, v)):
        if finite_left_height(sheets, k, k) == u:
            return 1, k
    raise AssertionError((u, v, x))  # a lower left column leaves no other reason to be N


def _third_column(u: int, v: int, x: int, sheets: LoserSheets) -> int | None:
    return next((k for k in range(x) if finite_left_height(sheets, v, k) == u), None)
