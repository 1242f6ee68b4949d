"""Type C of the 2 x 2 bases: [v z; u y] with w <= z < w^3 and z, v, y equal from w^2 on.

Huddleston & Shurman, Transfinite Chomp, section 11, PC1, PC2 and PC4. Above the base 2 x 2 x h
(h = w, or the multiple of w^2 that z, v and y share) heights are w*level + finite. PC1: the
position is P exactly if the top's restricted Grundy value is 0, the corner u staying at a higher
level than v and y. For given v, y, z this holds at one u, here called the *balance*.

The balance is known for z at level 0 (the paper's z_1 = 1 of short positions) and at level 1 (z_1 =
2). At level 1 the levels stated in the paper are incomplete: for v and y at one odd level n
(counted above the base) there are two, n + 1 if b ^ c is not a power of 2, and 2n + 2 if it is one,
b and c being the finite parts. The paper has the first for n = 1 only. See docs/transfinite.md.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from position_oracle.engine.theory.transfinite import small_families, two_wide
from position_oracle.engine.theory.transfinite.decision import Decision, Rule
from position_oracle.engine.theory.transfinite.ordinal import (
    OMEGA,
    ONE,
    Ordinal,
    left_sub,
    natural,
    omega_power,
    ordinal_add,
)
from position_oracle.schema.errors import UnknownAnswerError

Height = tuple[int, int]
"""A height w*level + finite above the base, as (level, finite)."""


class Balance(NamedTuple):
    """The corner height that makes a top P: its level, and its finite part if that is known."""

    level: int
    finite: int | None


def verdict(u: Ordinal, v: Ordinal, y: Ordinal, z: Ordinal) -> Decision:
    """Return the verdict on a type C position with v >= y; bites are (x, y, height)."""
    base = z.above(ONE) or OMEGA
    corner = left_sub(base, u)
    arm_v, arm_y, inner = (_height(left_sub(base, column)) for column in (v, y, z))
    if corner.above(ONE).terms:
        return _outside(base, balance(arm_v, arm_y, inner))
    target = _height(corner)
    if target[0] == arm_v[0]:
        return _one_level(base, target, arm_v)
    known = balance(arm_v, arm_y, inner)
    if known is not None and known.finite is not None:
        found = (known.level, known.finite)
        if found == target:
            return Decision.p(Rule.PC1)
        if found < target:
            return Decision.n(Rule.PC1, 0, 0, _ordinal(base, found))
    bite = _search(target, arm_v, arm_y, inner)
    if bite is not None:
        i, j, height = bite
        return Decision.n(Rule.PC1, i, j, _ordinal(base, height))
    if known is not None and known.level != target[0]:
        return Decision.n_without_bite(
            Rule.PC1, "the finite parts are too large to search for a bite"
        )
    reason = "the restricted Grundy value of the top is not known: " + (
        "the finite parts are too large" if known else "z stands two or more levels above the base"
    )
    return Decision.unknown(reason, Rule.PC1)


def balance(v: Height, y: Height, z: Height) -> Balance | None:
    """Return the corner at which the top [v z; u y] is P; None if no rule is known."""
    if z[0] == 0:
        return _balance_low(v, y, z[1])
    if z[0] == 1:
        return _balance_high(v, y, z[1])
    return None


def _balance_low(v: Height, y: Height, d: int) -> Balance:
    """Z at level 0: finite parts at one level count together, the others as a Nim sum."""
    (m, b), (n, c) = v, y
    if m and n:
        finite: int | None = b ^ c ^ d
    elif m:
        finite = b ^ two_wide.finite_grundy(c, d)
    elif n:
        finite = c ^ two_wide.finite_grundy(b, d)
    else:
        finite = b ^ c if d == 0 else small_families.missing_corner(b, c, d)
    return Balance(m + n + 1, finite)


def _balance_high(v: Height, y: Height, d: int) -> Balance:
    """Z at level 1, so v and y at level 1 or more."""
    (m, b), (n, c) = v, y
    if m == n and n % 2:
        coupled = n == 1
        if small_families.is_power_of_two(b ^ c):
            return Balance(2 * n + 2, small_families.split_pair(b, c, d, coupled=coupled))
        return Balance(n + 1, small_families.level_pair(b, c, d, coupled=coupled))
    level = m + n + (2 if m % 2 and n % 2 else 0)
    if m > 1 and n > 1:
        return Balance(level, b ^ c ^ d)
    if m > 1:
        (m, b), (n, c) = (n, c), (m, b)
    value = two_wide.finite_grundy(b, d)
    return Balance(level, c ^ (value if n % 2 else 3 * value + 1))


def _outside(base: Ordinal, known: Balance | None) -> Decision:
    """PC4: u is higher than v from w^2 on, so the bite down to the balance wins."""
    if known is not None and known.finite is not None:
        return Decision.n(Rule.PC4, 0, 0, _ordinal(base, (known.level, known.finite)))
    return Decision.n_without_bite(
        Rule.PC4, "the winning bite lowers u to a height below base + w^2 that is not known"
    )


def _one_level(base: Ordinal, corner: Height, v: Height) -> Decision:
    """PC2: u and v at one level; the reply leaves type A (short) or type D (tall)."""
    level, value = corner[0], two_wide.finite_grundy(corner[1], v[1])
    if base == OMEGA:
        try:
            h = two_wide.grundy(omega_power(1, level) + corner[1], omega_power(1, level) + v[1])
        except UnknownAnswerError as error:
            return Decision.n_without_bite(Rule.PC2, str(error))
        return Decision.n(Rule.PC2, 1, 0, h)
    below = omega_power(2, base.coefficient(2) - 1)
    same = omega_power(1, level) + two_wide.diagonal_height(value)
    return Decision.n(Rule.PC2, 1, 0, ordinal_add(ordinal_add(OMEGA, below), same))


def _height(top: Ordinal) -> Height:
    return top.coefficient(1), top.finite_part


def _ordinal(base: Ordinal, height: Height) -> Ordinal:
    return ordinal_add(base, omega_power(1, height[0]) + natural(height[1]))


def _search(target: Height, v: Height, y: Height, z: Height) -> tuple[int, int, Height] | None:
    """Return a bite into v, y or z that leaves a top whose balance is the present corner."""
    for k in _arm_heights(target, v, y, z):
        if balance(k, y, min(z, k)) == target:
            return 0, 1, k
    for k in _arm_heights(target, y, v, z):
        if balance(v, k, min(z, k)) == target:
            return 1, 0, k
    for k in _inner_heights(target, v, y, z):
        if balance(v, y, k) == target:
            return 1, 1, k
    return None


def _arm_heights(target: Height, arm: Height, other: Height, z: Height) -> Iterator[Height]:
    """Heights below an arm at which the balance may be the target, likely ones first."""
    t, m = target[0], other[0]
    levels = {0, 1, m, t - m - 2, t - m - 1, t - m, t - 1}
    x = target[1] ^ other[1]
    apart = [other[1] ^ (1 << k) for k in range(small_families.SPLIT_BITS)]

    def guesses(level: int) -> Iterable[int]:
        zero = balance((level, 0), other, min(z, (level, 0)))
        if zero is not None and zero.finite is not None:
            yield zero.finite ^ target[1]
        for value in (x, (x - 1) // 3):
            if value >= 0:
                yield two_wide.diagonal_height(value).finite_part
                yield two_wide.left_height(z[1], value).finite_part
        if level == m:
            yield from apart

    return _below(arm, levels, guesses)


def _inner_heights(target: Height, v: Height, y: Height, z: Height) -> Iterator[Height]:
    a = target[1]

    def guesses(level: int) -> Iterable[int]:
        zero = balance(v, y, (level, 0))
        if zero is not None and zero.finite is not None:
            yield zero.finite ^ a
        for high, value in ((v[1], a ^ y[1]), (y[1], a ^ v[1])):
            for g in (value, (value - 1) // 3):
                height = two_wide.right_height(high, g) if g >= 0 else None
                if height is not None:
                    yield height.finite_part

    return _below(z, {0, 1}, guesses)


def _below(
    bound: Height, levels: set[int], guesses: Callable[[int], Iterable[int]]
) -> Iterator[Height]:
    chosen = [level for level in sorted(levels) if 0 <= level <= bound[0]]
    for finites in (guesses, lambda _: range(small_families.MAX_HEIGHT)):
        for level in chosen:
            for finite in finites(level):
                if (level, finite) < bound:
                    yield level, finite
