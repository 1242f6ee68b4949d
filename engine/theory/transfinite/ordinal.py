"""Ordinals below epsilon_0 in Cantor normal form.

An ordinal is a finite sum w^e0*c0 + w^e1*c1 + ... with exponents e0 > e1 > ... (ordinals again) and
positive integer coefficients. Operators follow Huddleston & Shurman, Transfinite Chomp, section 1:
`+` and `*` are the natural (Hessenberg) operations, `^` is the Nim sum; the ordinary operations,
which do not commute, are the functions `ordinal_add` and `left_sub`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass

from position_oracle.schema.errors import InvalidPositionError

MAX_HEIGHT = 64
"""Highest tower of exponents an ordinal may have; it bounds every recursion on exponents."""

Term = tuple["Ordinal", int]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ordinal:
    """An ordinal below epsilon_0; immutable, hashable, totally ordered, equal to its int if finite.

    `terms` are pairs (exponent, coefficient) with strictly decreasing exponents and coefficients
    >= 1.
    """

    terms: tuple[Term, ...] = ()

    @classmethod
    def of(cls, value: Ordinal | int) -> Ordinal:
        """Return the ordinal itself, or the finite ordinal of a non-negative integer.

        Raises:
            InvalidPositionError: if an integer is negative.
        """
        return value if isinstance(value, Ordinal) else natural(value)

    @property
    def is_finite(self) -> bool:
        """Whether this is a natural number."""
        return not self.terms or not self.terms[0][0].terms

    @property
    def is_limit(self) -> bool:
        """Whether this is a limit ordinal (neither 0 nor a successor)."""
        return bool(self.terms) and bool(self.terms[-1][0].terms)

    @property
    def degree(self) -> Ordinal:
        """The leading exponent; 0 for a finite ordinal (0 included)."""
        return self.terms[0][0] if self.terms else ZERO

    @property
    def finite_part(self) -> int:
        """The coefficient of w^0."""
        if self.terms and not self.terms[-1][0].terms:
            return self.terms[-1][1]
        return 0

    @property
    def height(self) -> int:
        """The height of the tower of leading exponents: 0 for 0, 1 for naturals, 2 for w, ..."""
        height, level = 0, self
        while level.terms:
            height, level = height + 1, level.terms[0][0]
        return height

    def coefficient(self, exponent: Ordinal | int) -> int:
        """Return the coefficient of w^exponent, 0 if the term is missing."""
        wanted = Ordinal.of(exponent)
        for e, c in self.terms:
            if e == wanted:
                return c
        return 0

    def above(self, exponent: Ordinal) -> Ordinal:
        """Return the terms with exponents greater than `exponent`: a multiple of w^(exponent+1)."""
        return Ordinal(tuple(term for term in self.terms if term[0] > exponent))

    def below(self, exponent: Ordinal) -> Ordinal:
        """Return the terms with exponents less than `exponent`: the remainder modulo w^exponent."""
        return Ordinal(tuple(term for term in self.terms if term[0] < exponent))

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __int__(self) -> int:
        if not self.is_finite:
            raise InvalidPositionError(f"{self} is infinite: it has no integer")
        return self.finite_part

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Ordinal):
            return self.terms == other.terms
        if isinstance(other, int):
            return self.is_finite and self.finite_part == other
        return NotImplemented

    def __lt__(self, other: Ordinal | int) -> bool:
        # Cantor normal forms compare like their sequences of terms.
        return self.terms < Ordinal.of(other).terms

    def __gt__(self, other: Ordinal | int) -> bool:
        return self.terms > Ordinal.of(other).terms

    def __le__(self, other: Ordinal | int) -> bool:
        return self.terms <= Ordinal.of(other).terms

    def __ge__(self, other: Ordinal | int) -> bool:
        return self.terms >= Ordinal.of(other).terms

    def __hash__(self) -> int:
        return hash(self.finite_part) if self.is_finite else hash(self.terms)

    def __add__(self, other: Ordinal | int) -> Ordinal:
        """Return the natural sum: coefficients of equal powers are added."""
        return _merge(self, Ordinal.of(other), operator.add)

    def __mul__(self, other: Ordinal | int) -> Ordinal:
        """Return the natural product: like that of polynomials, exponents added naturally."""
        result: dict[Ordinal, int] = {}
        for e, c in self.terms:
            for f, d in Ordinal.of(other).terms:
                exponent = e + f
                result[exponent] = result.get(exponent, 0) + c * d
        return Ordinal(tuple(sorted(result.items(), reverse=True)))

    def __xor__(self, other: Ordinal | int) -> Ordinal:
        """Return the Nim sum: coefficients of equal powers are added without carry in base 2."""
        return _merge(self, Ordinal.of(other), operator.xor)

    def __str__(self) -> str:
        from position_oracle.engine.theory.transfinite.ordinal_text import format_ordinal

        return format_ordinal(self)

    def __repr__(self) -> str:
        return f"Ordinal({self})"


def _merge(left: Ordinal, right: Ordinal, combine: Callable[[int, int], int]) -> Ordinal:
    """Combine coefficients of equal powers; a missing coefficient is 0, and 0 op c = c."""
    if not right.terms:
        return left
    if not left.terms:
        return right
    a, b = left.terms, right.terms
    out: list[Term] = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i][0] == b[j][0]:
            coefficient = combine(a[i][1], b[j][1])
            if coefficient:
                out.append((a[i][0], coefficient))
            i, j = i + 1, j + 1
        elif a[i][0] > b[j][0]:
            out.append(a[i])
            i += 1
        else:
            out.append(b[j])
            j += 1
    return Ordinal((*out, *a[i:], *b[j:]))


def natural(n: int) -> Ordinal:
    """Return the finite ordinal n.

    Raises:
        InvalidPositionError: if n is negative.
    """
    if n < 0:
        raise InvalidPositionError(f"{n} is negative: an ordinal must be at least 0")
    return Ordinal(((ZERO, int(n)),)) if n else ZERO


def omega_power(exponent: Ordinal | int, coefficient: int = 1) -> Ordinal:
    """Return w^exponent * coefficient; 0 if the coefficient is 0.

    Raises:
        InvalidPositionError: if the coefficient is negative or the tower of exponents is higher
            than `MAX_HEIGHT`.
    """
    power = Ordinal.of(exponent)
    if coefficient < 0:
        raise InvalidPositionError(f"coefficient {coefficient} is negative")
    if power.height >= MAX_HEIGHT:
        raise InvalidPositionError(f"tower of exponents must be at most {MAX_HEIGHT} high")
    return Ordinal(((power, coefficient),)) if coefficient else ZERO


def ordinal_add(left: Ordinal | int, right: Ordinal | int) -> Ordinal:
    """Return the ordinary sum, right after left: 1 + w = w but w + 1 > w (section 1)."""
    a, b = Ordinal.of(left), Ordinal.of(right)
    if not b.terms:
        return a
    exponent, coefficient = b.terms[0]
    kept = tuple(term for term in a.terms if term[0] > exponent)
    return Ordinal((*kept, (exponent, coefficient + a.coefficient(exponent)), *b.terms[1:]))


def left_sub(base: Ordinal | int, value: Ordinal | int) -> Ordinal:
    r"""Return the unique t with base + t = value (ordinary sum): the paper's base\value.

    In Chomp it is the part of a tower of this height above the base (section 11).

    Raises:
        InvalidPositionError: if base > value.
    """
    b, z = Ordinal.of(base), Ordinal.of(value)
    if b > z:
        raise InvalidPositionError(f"{b} exceeds {z}: nothing extends above it")
    for index, (exponent, coefficient) in enumerate(z.terms):
        if index >= len(b.terms):
            return Ordinal(z.terms[index:])
        e, c = b.terms[index]
        if (e, c) == (exponent, coefficient):
            continue
        if e == exponent:
            return Ordinal(((exponent, coefficient - c), *z.terms[index + 1 :]))
        return Ordinal(z.terms[index:])
    return ZERO


ZERO = Ordinal()
ONE = natural(1)
OMEGA = Ordinal(((ONE, 1),))
OMEGA_2 = Ordinal(((natural(2), 1),))
OMEGA_3 = Ordinal(((natural(3), 1),))
OMEGA_OMEGA = Ordinal(((OMEGA, 1),))
