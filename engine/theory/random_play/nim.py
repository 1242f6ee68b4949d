"""Nim with both players moving at random: chances and length, for any heaps.

Every turn one of the legal moves is made, each equally likely: a heap of s tokens has s of them.

Source: P. Devlin & P. Trifonova, Combinatorial games played randomly: Chomp and nim, Theorem 1.7
and its proof in section 5.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import factorial, fsum, prod
from typing import Final

from engine.theory.random_play.harmonic import harmonic_float, harmonic_multiples
from engine.theory.random_play.turns import TurnDistribution
from schema.errors import InvalidPositionError, ResourceLimitError

MAX_TOKENS: Final = 1_000
"""Most tokens for which the distribution of the number of turns is given."""


def win_probability(heaps: Sequence[int], *, misere: bool = False) -> Fraction:
    """Probability that the player to move wins (Theorem 1.7 b, c).

    It is 1/2 where any heap holds more than one token. Otherwise the game lasts as many turns as
    there are tokens, and the one to move wins for an odd number of them, for an even one in misere
    play. The player to move has lost an empty position in normal play, and won it in misere play.

    Raises:
        InvalidPositionError: a heap is negative.
    """
    _check(heaps)
    if max(heaps, default=0) > 1:
        return Fraction(1, 2)
    return Fraction((sum(heaps) + misere) % 2)


def expected_turns(heaps: Sequence[int]) -> Fraction:
    """Expected number of turns: the sum of the harmonic numbers of the heaps (Theorem 1.7 a).

    Raises:
        InvalidPositionError: a heap is negative.
        ResourceLimitError: a heap exceeds `harmonic.MAX_EXACT`.
    """
    _check(heaps)
    unit, harmonics = harmonic_multiples(max(heaps, default=0))
    return Fraction(sum(harmonics[heap] for heap in heaps), unit)


def expected_turns_float(heaps: Sequence[int]) -> float:
    """Expected number of turns in double precision, relative error below 1e-15; heaps of any size.

    Raises:
        InvalidPositionError: a heap is negative.
    """
    _check(heaps)
    return fsum(harmonic_float(heap) for heap in heaps)


def turn_distribution(heaps: Sequence[int]) -> TurnDistribution:
    """The distribution of the number of turns.

    The number of turns is the sum of those in each heap, which are independent (section 5), and a
    heap of s has the generating function x(x + 1)...(x + s - 1) / s!: from F_s = (x/s) (F_0 + ... +
    F_(s-1)) follows s F_s = (x + s - 1) F_(s-1).

    Raises:
        InvalidPositionError: a heap is negative.
        ResourceLimitError: more than `MAX_TOKENS` tokens.
    """
    _check(heaps)
    if sum(heaps) > MAX_TOKENS:
        raise ResourceLimitError(
            f"distribution of the turns with {sum(heaps)} tokens; the limit is {MAX_TOKENS}"
        )
    coefficients = [1]
    for heap in heaps:
        for j in range(heap):
            shifted = [0, *coefficients]
            scaled = [j * number for number in (*coefficients, 0)]
            coefficients = [a + b for a, b in zip(shifted, scaled, strict=True)]
    unit = prod(factorial(heap) for heap in heaps)
    return TurnDistribution(tuple(Fraction(number, unit) for number in coefficients))


def _check(heaps: Sequence[int]) -> None:
    for heap in heaps:
        if heap < 0:
            raise InvalidPositionError(f"heap {heap} is negative; allowed are 0 and more")
