"""Random perturbations of infinite-generic games: one declared N-position in every column.

In section 6.1 of R. E. Morrison, E. J. Friedman and A. S. Landsberg, Combinatorial games with a
pass, one position in every column y of every sheet x is declared an N-position, its z drawn at
random. Here z is a function of (seed, x, y), the same on every machine: the generator is counter
based and integer only, and the tables of probabilities are computed in integers as well.

**The generator.** All arithmetic is modulo 2^64. With mix the output function of SplitMix64,

    mix(s):  s ^= s >> 30;  s *= 0xBF58476D1CE4E5B9;
             s ^= s >> 27;  s *= 0x94D049BB133111EB;  s ^= s >> 31

and g = 0x9E3779B97F4A7C15, the bits for column y of sheet x at the given attempt (0, 1, ...) are

    bits = mix(mix(mix(mix(seed + g) + g (x + 1)) + g (y + 1)) + g (attempt + 1)).

**The distributions**, u standing for bits / 2^64:

    uniform(w)     z = floor(u (w + 1)), a whole number w >= 0; all of 0..w equally likely
    geometric(p)   z >= 0 with probability p (1 - p)^z
    normal(s)      z = y + k, where k has probability proportional to exp(-k^2 / (2 s^2)): the
                   discrete normal distribution of standard deviation s about the main diagonal;
                   a draw with z < 0 is replaced by that of the next attempt

The last two invert a table of 64-bit cumulative probabilities, each rounded from a 160-bit
computation.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from position_oracle.schema.errors import NotationError
from position_oracle.schema.numbers import shown

SEED_MAX = 2**63 - 1
WIDTH_MAX = 2**31 - 1
PROBABILITY_MIN = Decimal("0.0001")
SIGMA_MAX = 10_000

_ALLOWED: Mapping[str, tuple[Callable[[Decimal], bool], str]] = {
    "uniform": (
        lambda width: 0 <= width <= WIDTH_MAX and width == width.to_integral_value(),
        f"whole and in 0..{WIDTH_MAX}",
    ),
    "geometric": (lambda p: PROBABILITY_MIN <= p <= 1, f"in {PROBABILITY_MIN}..1"),
    "normal": (lambda s: Decimal("0.1") <= s <= SIGMA_MAX, f"in 0.1..{SIGMA_MAX}"),
}
"""The parameters allowed of each distribution: a check, and a description."""

_TEXT = re.compile(r"(uniform|geometric|normal)\(([0-9.]{1,24})\)")
_PLACES = 160
_DIGITS = 130  # of decimal numbers: many more than 160 binary places
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_LOW32 = np.uint64(0xFFFFFFFF)
_SHIFT32 = np.uint64(32)


@dataclass(frozen=True, slots=True)
class Perturbation:
    """A distribution of declared N-positions and the seed that fixes them.

    Attributes:
        distribution: One of "uniform", "geometric", "normal".
        parameter: The width, the probability, or the standard deviation.
        seed: Seed of every draw; 0..2^63 - 1.

    Raises:
        NotationError: The distribution is unknown, or a number is out of range.
    """

    distribution: str
    parameter: Decimal
    seed: int

    def __post_init__(self) -> None:
        """Refuse numbers out of range."""
        if self.distribution not in _ALLOWED:
            raise NotationError(
                f"distribution {self.distribution!r} is not one of {tuple(_ALLOWED)}"
            )
        if not 0 <= self.seed <= SEED_MAX:
            raise NotationError(f"seed {self.seed} is not in 0..{SEED_MAX}")
        fits, allowed = _ALLOWED[self.distribution]
        if not fits(self.parameter):
            raise NotationError(
                f"parameter of {self.distribution}: {self.parameter} is not {allowed}"
            )

    def __str__(self) -> str:
        """Return the canonical text without the seed, such as "normal(8)" or "geometric(0.5)"."""
        text = f"{self.parameter:f}"
        if "." in text:
            text = text.rstrip("0").rstrip(".")
        return f"{self.distribution}({text})"

    @classmethod
    def parse(cls, text: str, seed: int) -> Self:
        """Read the text form that `str` writes.

        Raises:
            NotationError: The text has another form, or a number is out of range.
        """
        match = _TEXT.fullmatch(text)
        if match is None:
            raise NotationError(
                f"{shown(text)} is not a distribution; write uniform(20), geometric(0.5) or"
                " normal(8)"
            )
        try:
            parameter = Decimal(match[2])
        except InvalidOperation:
            raise NotationError(f"{match[2]!r} in {text!r} is not a decimal number") from None
        return cls(match[1], parameter, seed)

    def columns(self, x: int, limit_y: int) -> NDArray[np.int64]:
        """Return the declared z >= 0 in each column of a sheet.

        Args:
            x: The sheet, 0..2^62.
            limit_y: Largest y, 0..2^31 - 1.

        Returns:
            Shape (limit_y + 1,), int64: [x, y, z[y]] is declared N.
        """
        y = np.arange(limit_y + 1, dtype=np.int64)
        return self.at(np.full_like(y, x), y)

    def column(self, x: int, y: int) -> int:
        """Return the declared z >= 0 in one column, as `columns` does, for any x and y."""
        return int(self.at(np.array([x]), np.array([y]))[0])

    def at(self, x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the declared z >= 0 in many columns: x, y and the result have shape (n,)."""
        if self.distribution == "uniform":
            return _uniform(self._bits(x, y, 0), int(self.parameter))
        if self.distribution == "geometric":
            return _invert(self._bits(x, y, 0), _geometric_table(self.parameter))
        table = _normal_table(self.parameter)
        reach = len(table) // 2
        z = np.full(len(y), -1, dtype=np.int64)
        attempt = 0
        while (missing := np.flatnonzero(z < 0)).size:
            bits = self._bits(x[missing], y[missing], attempt)
            z[missing] = y[missing] - reach + _invert(bits, table)
            attempt += 1
        return z

    def _bits(self, x: NDArray[np.int64], y: NDArray[np.int64], attempt: int) -> NDArray[np.uint64]:
        step, one = int(_GOLDEN), np.uint64(1)
        seeded = _mix(np.array([(self.seed + step) % 2**64], dtype=np.uint64))
        sheet = _mix(seeded + _GOLDEN * (x.astype(np.uint64) + one))
        column = _mix(sheet + _GOLDEN * (y.astype(np.uint64) + one))
        return _mix(column + np.uint64(step * (attempt + 1) % 2**64))


def _mix(state: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Apply the output function of SplitMix64 (Steele, Lea and Flood, 2014), a bijection."""
    state = (state ^ (state >> np.uint64(30))) * _MIX[0]
    state = (state ^ (state >> np.uint64(27))) * _MIX[1]
    return state ^ (state >> np.uint64(31))


def _uniform(bits: NDArray[np.uint64], width: int) -> NDArray[np.int64]:
    """Return floor(bits (width + 1) / 2^64), from 32-bit halves so that nothing overflows."""
    count = np.uint64(width + 1)
    below = (bits & _LOW32) * count >> _SHIFT32
    return (((bits >> _SHIFT32) * count + below) >> _SHIFT32).astype(np.int64)


def _invert(bits: NDArray[np.uint64], table: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the index i with table[i - 1] <= bits < table[i], table[i] = 2^64 P(index <= i)."""
    return np.searchsorted(table, bits, side="right").astype(np.int64)


@lru_cache(maxsize=16)
def _geometric_table(p: Decimal) -> NDArray[np.uint64]:
    """Return 2^64 (1 - (1 - p)^(i + 1)) for i = 0, 1, ... until the tail is below 2^-64."""
    miss = int((1 - Fraction(p)) * 2**_PLACES)
    tail = miss
    table = []
    while tail >> (_PLACES - 64):
        table.append(2**64 - (tail >> (_PLACES - 64)))
        tail = tail * miss >> _PLACES
    return np.array(table, dtype=np.uint64)


@lru_cache(maxsize=16)
def _normal_table(sigma: Decimal) -> NDArray[np.uint64]:
    """Return cumulative probabilities of k = -K, ..., K of the discrete normal distribution.

    The last entry, which would be 1, is left out, so the table has 2 K entries. K is the first
    number whose weight exp(-K^2 / (2 sigma^2)) is below 2^-64.
    """
    ratio = _exp_minus(1 / (2 * Fraction(sigma) ** 2))
    # exp(-(k + 1)^2 a) = exp(-k^2 a) q^(2 k + 1), with q = exp(-a).
    weights = [1 << _PLACES]
    factor, square = ratio, ratio * ratio >> _PLACES
    while weights[-1] >> (_PLACES - 64):
        weights.append(weights[-1] * factor >> _PLACES)
        factor = factor * square >> _PLACES
    both_sides = weights[:0:-1] + weights
    total = sum(both_sides)
    table, below = [], 0
    for weight in both_sides[:-1]:
        below += weight
        table.append((below << 64) // total)
    return np.array(table, dtype=np.uint64)


def _exp_minus(value: Fraction) -> int:
    """Return 2^160 exp(-value), rounded down, for value >= 0."""
    with localcontext(Context(prec=_DIGITS, rounding=ROUND_HALF_EVEN)):
        exponent = -Decimal(value.numerator) / Decimal(value.denominator)
        return int(exponent.exp() * (1 << _PLACES))
