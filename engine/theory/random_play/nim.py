"""Nim with both players moving at random: chances and length, for any heaps.

Every turn one of the legal moves is made, each equally likely: a heap of s tokens has s of them.

Source: P. Devlin & P. Trifonova, Combinatorial games played randomly: Chomp and nim, Theorem 1.7
and its proof in section 5.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import fsum

from position_oracle.engine.theory.random_play.harmonic import harmonic_float, harmonic_multiples
from position_oracle.schema.errors import InvalidPositionError


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
    """Expected number of turns in double precision, relative error below 1e-15; any heaps.

    Theorem 1.7 a.

    Raises:
        InvalidPositionError: a heap is negative.
    """
    _check(heaps)
    return fsum(map(harmonic_float, heaps))


def _check(heaps: Sequence[int]) -> None:
    for heap in heaps:
        if heap < 0:
            raise InvalidPositionError(f"heap {heap} is negative; allowed are 0 and more")
