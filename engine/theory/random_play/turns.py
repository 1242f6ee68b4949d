"""How long a game of Chomp lasts when both players move at random.

Every turn the player to move bites one of the cookies left, each equally likely, the poison
included; the game ends when the board is empty.

Source: P. Devlin & P. Trifonova, Combinatorial games played randomly: Chomp and nim, Theorems 1.1
and 1.2. With one pass that both players share: docs/random-play.md, theorem 2.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import fsum

from position_oracle.engine.theory.random_play.harmonic import (
    harmonic,
    harmonic_float,
    harmonic_multiples,
)
from position_oracle.schema.errors import InvalidPositionError


@dataclass(frozen=True, slots=True)
class TurnDistribution:
    """The distribution of the number of turns T of a random game.

    Attributes:
        probabilities: P(T = 0), P(T = 1), ..., the last one not 0; they add up to 1.
    """

    probabilities: tuple[Fraction, ...]

    @property
    def mean(self) -> Fraction:
        """The expected number of turns E[T]."""
        return self.moment(1)

    @property
    def variance(self) -> Fraction:
        """E[T²] - E[T]²."""
        return self.moment(2) - self.mean**2

    def moment(self, order: int) -> Fraction:
        """E[T^order], the moment about zero; order 0 gives 1."""
        return sum(
            (p * turns**order for turns, p in enumerate(self.probabilities)), start=Fraction(0)
        )

    def central_moment(self, order: int) -> Fraction:
        """E[(T - E[T])^order]."""
        mean = self.mean
        return sum(
            (p * (turns - mean) ** order for turns, p in enumerate(self.probabilities)),
            start=Fraction(0),
        )

    @property
    def even_probability(self) -> Fraction:
        """P(T is even): the mover wins Chomp and misere games."""
        return sum(self.probabilities[::2], start=Fraction(0))


def expected_turns(rows: Sequence[int], passes: int = 0) -> Fraction:
    """Expected number of turns from a Chomp board: the sum of 1/(xy) over its cookies.

    Theorem 1.1; x and y are the row and the column of a cookie, counted from 1. A pass adds the
    chance that it is used.

    Args:
        rows: row lengths, poison row first; empty rows at the end are allowed.
        passes: how many passes the players share, 0 or 1.

    Raises:
        InvalidPositionError: the lengths are no board, or there are more passes.
        ResourceLimitError: more than `harmonic.MAX_EXACT` rows or columns.
    """
    _check_rows(rows)
    unit, harmonics = harmonic_multiples(max(len(rows), *rows[:1]) if rows else 0)
    # Row x adds H_length / x; in units of 1 / unit² all of it is whole numbers.
    total = sum(harmonics[length] * (unit // row) for row, length in enumerate(rows, start=1))
    return Fraction(total, unit * unit) + _used(rows, passes)


def _used(rows: Sequence[int], passes: int) -> Fraction:
    """The chance that the pass is used."""
    if passes not in {0, 1}:
        raise InvalidPositionError(f"{passes} passes; the mean is known with none and with one")
    beside_poison = sum(length > 1 for length in rows[:1]) + sum(length > 0 for length in rows[1:2])
    return passes * (Fraction(0), Fraction(1, 3), Fraction(5, 12))[beside_poison]


def expected_turns_float(rows: Sequence[int], passes: int = 0) -> float:
    """Expected number of turns in double precision, relative error below 1e-15; any row lengths.

    Theorem 1.1; see `expected_turns`. Time in proportion to the number of rows.

    Raises:
        InvalidPositionError: the lengths are no board, or there are more passes than one.
    """
    _check_rows(rows)
    turns = [harmonic_float(length) / row for row, length in enumerate(rows, start=1)]
    return fsum((*turns, float(_used(rows, passes))))


def fewest_expected_turns(cookies: int) -> Fraction:
    """The least expected number of turns of all boards with so many cookies: H_N (Theorem 1.2).

    A single row attains it.

    Raises:
        InvalidPositionError: the number is negative.
        ResourceLimitError: it exceeds `harmonic.MAX_EXACT`.
    """
    return harmonic(cookies)


def most_expected_turns(cookies: int) -> Fraction:
    """The greatest expected number of turns of all boards with so many cookies.

    It is attained by the board that takes the cookies in the order of their products xy, which the
    proof of Theorem 1.2 calls B'; it grows as (1/2 + o(1)) H_N².

    Raises:
        InvalidPositionError: the number is negative.
        ResourceLimitError: it exceeds `harmonic.MAX_EXACT`.
    """
    return expected_turns(longest_lasting_board(cookies))


def longest_lasting_board(cookies: int) -> tuple[int, ...]:
    """A board with so many cookies whose expected number of turns is greatest.

    It holds every cookie with xy <= t for some t, and fills up with cookies of xy = t + 1 from the
    longest row on (proof of Theorem 1.2).

    Raises:
        InvalidPositionError: the number is negative.
    """
    if cookies < 0:
        raise InvalidPositionError(f"a board of {cookies} cookies; allowed are 0 and more")
    product, left = 0, cookies
    while (divisors := _divisors(product + 1)) and len(divisors) <= left:
        product += 1
        left -= len(divisors)
    rows = [product // row for row in range(1, product + 2)]
    for row in divisors[:left]:
        rows[row - 1] += 1
    return tuple(length for length in rows if length)


def _divisors(number: int) -> list[int]:
    return [divisor for divisor in range(1, number + 1) if number % divisor == 0]


def _check_rows(rows: Sequence[int]) -> None:
    for row, (length, above) in enumerate(pairwise((*rows, 0)), start=1):
        if length < above or length < 0:
            raise InvalidPositionError(
                f"row {row} has {length} cookies and row {row + 1} has {above}; row lengths are not"
                " negative and may not increase, the poison row is the first"
            )
