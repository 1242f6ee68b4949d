"""Nim with both players moving at random: chances and length, for any heaps.

Every turn one of the legal moves is made, each equally likely: a heap of s tokens has s of them.

Source: P. Devlin & P. Trifonova, Combinatorial games played randomly: Chomp and nim, Theorem 1.7
and its proof in section 5. With one pass that both players share: docs/random-play.md, theorem 1.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import comb, fsum

from position_oracle.engine.theory.random_play.turns import (
    check_passes,
    harmonic_float,
    harmonic_multiples,
)


def win_probability(heaps: Sequence[int], *, misere: bool = False, passes: int = 0) -> Fraction:
    """Return the probability that the player to move wins.

    Source: Theorem 1.7 b, c; with a pass theorem 1 of docs/random-play.md.

    It is 1/2 if some heap has more than one token. Otherwise the game lasts as many turns as there
    are tokens, and the player to move wins if their number is odd, or in misere play if it is even.
    The player to move has lost an empty position in normal play, and won it in misere play.

    Args:
        heaps: the heaps.
        misere: whether the player who takes the last token loses.
        passes: number of shared passes, 0 or 1.

    Raises:
        InvalidPositionError: there is more than one pass.
    """
    check_passes(passes)
    if passes:
        lead = _lead_with_a_pass(sum(heaps), sum(heap > 0 for heap in heaps))
        return Fraction(1, 2) + (-lead if misere else lead)
    if max(heaps, default=0) > 1:
        return Fraction(1, 2)
    return Fraction((sum(heaps) + misere) % 2)


def _lead_with_a_pass(tokens: int, heaps: int) -> Fraction:
    """Return the first player's chance in normal play with one pass, minus 1/2."""
    sign = -1 if heaps % 2 == 0 else 1
    if tokens > heaps:
        return Fraction(sign, (tokens + 1) * comb(tokens, heaps))
    return Fraction(-sign * (heaps - 1), 2 * (heaps + 1))


def expected_turns(heaps: Sequence[int], passes: int = 0) -> Fraction:
    """Return the expected number of turns: the sum of the harmonic numbers of the heaps.

    This is Theorem 1.7 a. One pass adds k / (k + 1) for k heaps, the chance that it is used.

    Raises:
        InvalidPositionError: there is more than one pass.
        ResourceLimitError: a heap exceeds `turns.MAX_EXACT`.
    """
    unit, harmonics = harmonic_multiples(max(heaps, default=0))
    return Fraction(sum(harmonics[heap] for heap in heaps), unit) + _used(heaps, passes)


def _used(heaps: Sequence[int], passes: int) -> Fraction:
    """Return the chance that the pass is used."""
    check_passes(passes)
    count = sum(heap > 0 for heap in heaps)
    return Fraction(count * passes, count + 1)


def expected_turns_float(heaps: Sequence[int], passes: int = 0) -> float:
    """Return the expected number of turns as a double, relative error below 1e-15.

    Heaps may have any size; see `expected_turns`.

    Raises:
        InvalidPositionError: there is more than one pass.
    """
    return fsum((*map(harmonic_float, heaps), float(_used(heaps, passes))))
