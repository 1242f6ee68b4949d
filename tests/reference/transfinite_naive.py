"""Transfinite Chomp by definitions, brute force and random samples.

Nothing here uses a theorem. Finite positions are sets of cells; the Grundy value is the mex over
all bites. Ordinals are only drawn at random, with the package's own constructors.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from random import Random

from position_oracle.engine.theory.transfinite.ordinal import (
    OMEGA,
    OMEGA_2,
    OMEGA_3,
    OMEGA_OMEGA,
    ZERO,
    Ordinal,
    left_sub,
    natural,
    omega_power,
    ordinal_add,
)

Cells = frozenset[tuple[int, ...]]


def cells(*boxes: tuple[int, ...]) -> Cells:
    """The cells of a union of finite boxes."""
    return frozenset(cell for box in boxes for cell in product(*(range(side) for side in box)))


def bites(position: Cells) -> Iterator[tuple[tuple[int, ...], Cells]]:
    """Return all bites, including the poison, and the positions after them."""
    for at in position:
        yield (
            at,
            frozenset(c for c in position if not all(x >= a for x, a in zip(c, at, strict=True))),
        )


@cache
def grundy(position: Cells) -> int:
    """The Grundy value if the poison may be eaten: 0 for the empty position."""
    return mex({grundy(left) for _, left in bites(position)})


@cache
def is_p(position: Cells) -> bool:
    """Whether the player who has just moved wins; the empty position counts as N."""
    return bool(position) and not any(is_p(left) for _, left in bites(position))


def mex(values: set[int]) -> int:
    """The least natural number that is not among the values."""
    least = 0
    while least in values:
        least += 1
    return least


@cache
def columns_grundy(heights: tuple[int, ...]) -> int:
    """The Grundy value of finite column heights, by the bites (column, height)."""
    reached = set()
    for column, height in enumerate(heights):
        for k in range(height):
            cut = (*heights[:column], *(min(h, k) for h in heights[column:]))
            reached.add(columns_grundy(cut))
    return mex(reached)


@cache
def block_grundy(u: int, v: int, y: int, z: int) -> int:
    """The Grundy value of a finite [v z; u y]."""
    reached = {block_grundy(k, min(v, k), min(y, k), min(z, k)) for k in range(u)}
    reached |= {block_grundy(u, k, y, min(z, k)) for k in range(v)}
    reached |= {block_grundy(u, v, k, min(z, k)) for k in range(y)}
    reached |= {block_grundy(u, v, y, k) for k in range(z)}
    return mex(reached)


# Samples -------------------------------------------------------------------------------------


def tower(*coefficients: int) -> Ordinal:
    """w^(n-1)*c_1 + ... + w*c_(n-1) + c_n, zeros left out."""
    n = len(coefficients) - 1
    return Ordinal(tuple((natural(n - i), c) for i, c in enumerate(coefficients) if c))


LOW = tuple(natural(n) for n in range(5))
HIGH = (*LOW, OMEGA, OMEGA + 1, OMEGA + 2, OMEGA * 2, OMEGA * 2 + 1, OMEGA_2, OMEGA_2 + 2)


def ordinal(rng: Random, exponents: tuple[Ordinal, ...] = LOW, most: int = 3) -> Ordinal:
    """A random ordinal with up to four terms."""
    chosen = sorted(rng.sample(exponents, rng.randint(0, min(4, len(exponents)))), reverse=True)
    return Ordinal(tuple((e, rng.randint(1, most if e else 9)) for e in chosen))


def like(rng: Random, model: Ordinal, exponents: tuple[Ordinal, ...] = LOW) -> Ordinal:
    """A random ordinal with the leading terms of another, a difficult case for theorems."""
    shared = Ordinal(model.terms[: rng.randint(0, len(model.terms))])
    return ordinal_add(shared, ordinal(rng, exponents, 2))


def two_columns(rng: Random) -> tuple[Ordinal, Ordinal]:
    """Random heights h >= k, h > 0."""
    h = ordinal(rng, HIGH)
    k = like(rng, h, HIGH) if rng.random() < 0.6 else ordinal(rng, HIGH)
    high, low = max(h, k), min(h, k)
    return (high, low) if high else (natural(1), low)


def three_columns(rng: Random) -> tuple[Ordinal, Ordinal, Ordinal]:
    """Random heights u >= v >= x, u > 0."""
    u = ordinal(rng, HIGH if rng.random() < 0.15 else LOW)
    v = like(rng, u) if rng.random() < 0.5 else ordinal(rng)
    x = like(rng, v) if rng.random() < 0.5 else ordinal(rng, most=2)
    u, v, x = sorted((u, v, x), reverse=True)
    return (u, v, x) if u else (natural(1), v, x)


def block(rng: Random, kind: str) -> tuple[Ordinal, Ordinal, Ordinal, Ordinal]:
    """Random heights (u, v, y, z) of [v z; u y], mostly of the given type; v < y is allowed."""
    u, v, y, z = _SAMPLERS[kind](rng)
    return (u, y, v, z) if rng.random() < 0.3 else (u, v, y, z)


def _type_a(rng: Random) -> tuple[Ordinal, ...]:
    z = natural(rng.randint(0, 8))
    u, v = sorted((z + ordinal(rng), z + ordinal(rng)), reverse=True)
    return u + (not u), v, z, z


def _type_b(rng: Random) -> tuple[Ordinal, ...]:
    z = natural(rng.randint(0, 8))
    return (*sorted((z + 1 + ordinal(rng) for _ in range(3)), reverse=True), z)


def _type_c(rng: Random) -> tuple[Ordinal, ...]:
    def level(most: int) -> Ordinal:
        return tower(rng.randint(0, most), rng.randint(0, 7))

    base = tower(rng.randint(1, 2), 0, 0) if rng.random() < 0.5 else OMEGA
    z = tower(rng.choice((0, 0, 1, 1, 1, 2)), rng.randint(0, 7))
    v, y = max(z, level(4)), max(z, level(4))
    u = max(v, y) + level(5) if rng.random() < 0.7 else max(v, y, level(5))
    if rng.random() < 0.1:
        u = u + OMEGA_2
    return tuple(ordinal_add(base, column) for column in (u, v, y, z))


def _type_d(rng: Random) -> tuple[Ordinal, ...]:
    u = ordinal_add(OMEGA_2, ordinal(rng))
    v = like(rng, u) if rng.random() < 0.4 else OMEGA_2 + ordinal(rng)
    y = like(rng, v) if rng.random() < 0.4 else ordinal(rng)
    z = like(rng, y) if rng.random() < 0.4 else ordinal(rng, LOW[:3], 2)
    columns = sorted((max(c, OMEGA) for c in (u, v, y, z)), reverse=True)
    return tuple(columns)


def _type_e(rng: Random) -> tuple[Ordinal, ...]:
    def top() -> Ordinal:
        few = tower(rng.randint(0, 9))
        return ordinal_add(OMEGA_OMEGA, rng.choice((few, tower(1, rng.randint(0, 5)), ZERO, few)))

    y, v = top(), top() if rng.random() < 0.7 else ordinal_add(OMEGA_OMEGA, ordinal(rng))
    if rng.random() < 0.3:
        y = v
    u = max(v, y, top(), ordinal_add(OMEGA_OMEGA, ordinal(rng)) if rng.random() < 0.4 else v)
    z = ordinal_add(OMEGA, tower(rng.choice((0, 0, 1)), rng.choice((0, 1)), rng.randint(0, 9)))
    return u, max(v, y), min(v, y), z


def _type_f(rng: Random) -> tuple[Ordinal, ...]:
    return tuple(sorted((OMEGA_3 + ordinal(rng) for _ in range(4)), reverse=True))


_SAMPLERS = {
    "A": _type_a,
    "B": _type_b,
    "C": _type_c,
    "D": _type_d,
    "E": _type_e,
    "F": _type_f,
}


def adversarial_heights(rng: Random, heights: tuple[Ordinal, ...]) -> list[Ordinal]:
    """Heights at which a bite is likely to refute a wrong P verdict.

    Coefficients one less or more, equal heights, shifts by left subtraction, heights with other low
    terms, and random ones.
    """
    found = [natural(rng.randint(0, 14)) for _ in range(4)]
    found += [ordinal(rng), ordinal(rng), tower(rng.randint(0, 5), rng.randint(0, 7))]
    for height in heights:
        found += [height, height + 1, ordinal_add(OMEGA, height), ordinal_add(OMEGA_2, height)]
        for base in (OMEGA, OMEGA_2):
            if height >= base:
                found.append(left_sub(base, height))
        for e, c in height.terms:
            less = height.above(e) + omega_power(e, c - 1)
            found += [height.above(e), less, height.above(e) + omega_power(e, c + 1)]
            found.append(less + height.below(e))
            found.append(ordinal_add(less, tower(rng.randint(0, 4), rng.randint(0, 7))))
            found.append(ordinal_add(less, ordinal(rng)))
    return found


def texts(bite: tuple[Ordinal, ...] | None) -> tuple[str, ...] | None:
    """Return a bite as texts, for comparison."""
    return None if bite is None else tuple(map(str, bite))
