"""The length of a game of Chomp if both players move at random.

Every turn the player to move bites one of the cookies left, each equally likely, the poison
included; the game ends when the board is empty.

Source: P. Devlin & P. Trifonova, Combinatorial games played randomly: Chomp and nim, Theorems 1.1
and 1.2. With one pass that both players share: docs/random-play.md, theorem 2.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import fsum

from position_oracle.engine.theory.random_play.harmonic import (
    harmonic_float,
    harmonic_multiples,
)
from position_oracle.schema.errors import InvalidPositionError


def expected_turns(rows: Sequence[int], passes: int = 0) -> Fraction:
    """Return the expected number of turns from a board: the sum of 1/(xy) over its cookies.

    Theorem 1.1; x and y are the row and the column of a cookie, counted from 1. A pass adds the
    chance that it is used.

    Args:
        rows: row lengths, poison row first; empty rows at the end are allowed.
        passes: number of shared passes, 0 or 1.

    Raises:
        InvalidPositionError: there is more than one pass.
        ResourceLimitError: the board has more than `harmonic.MAX_EXACT` rows or columns.
    """
    unit, harmonics = harmonic_multiples(max(len(rows), *rows[:1]) if rows else 0)
    # Row x adds H_length / x; in units of 1 / unit² all of it is whole numbers.
    total = sum(harmonics[length] * (unit // row) for row, length in enumerate(rows, start=1))
    return Fraction(total, unit * unit) + _used(rows, passes)


def _used(rows: Sequence[int], passes: int) -> Fraction:
    """Return the chance that the pass is used."""
    if passes not in {0, 1}:
        raise InvalidPositionError(f"{passes} passes; the mean is known with none and with one")
    beside_poison = sum(length > 1 for length in rows[:1]) + sum(length > 0 for length in rows[1:2])
    return passes * (Fraction(0), Fraction(1, 3), Fraction(5, 12))[beside_poison]


def expected_turns_float(rows: Sequence[int], passes: int = 0) -> float:
    """Return the expected number of turns as a double, relative error below 1e-15.

    Theorem 1.1; see `expected_turns`. Rows may have any length; the time is proportional to their
    number.

    Raises:
        InvalidPositionError: there is more than one pass.
    """
    turns = [harmonic_float(length) / row for row, length in enumerate(rows, start=1)]
    return fsum((*turns, float(_used(rows, passes))))
