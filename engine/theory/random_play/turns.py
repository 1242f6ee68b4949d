"""The length of a game of Chomp if both players move at random, by harmonic numbers.

Every turn the player to move bites one of the cookies left, each equally likely, the poison
included; the game ends when the board is empty. H_n is 1 + 1/2 + ... + 1/n.

Source: P. Devlin & P. Trifonova, Combinatorial games played randomly: Chomp and nim, Theorems 1.1
and 1.2. With one pass that both players share: docs/random-play.md, theorem 2.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from itertools import accumulate
from math import fsum, lcm, log
from typing import Final

from position_oracle.engine.budget import watched
from position_oracle.schema.errors import InvalidPositionError, ResourceLimitError

MAX_EXACT: Final = 10_000
"""Largest n for which exact values are given; H_n has about 1.44 n bits above and below."""

EULER_GAMMA: Final = 0.577215664901532860606512090082402431
_SUMMED: Final = 128
_CHECKED: Final = 512
"""Number of long integers that are divided between two checks of the budget."""


def harmonic_multiples(n: int) -> tuple[int, list[int]]:
    """Return H_0 .. H_n as whole multiples of 1 / lcm(1, ..., n).

    Returns:
        The common denominator lcm(1, ..., n), and a list of n + 1 numerators.

    Raises:
        ResourceLimitError: n exceeds `MAX_EXACT`.
    """
    if n > MAX_EXACT:
        raise ResourceLimitError(
            f"exact harmonic number of {n}; the limit is {MAX_EXACT}, floats have none"
        )
    unit = reduce(lcm, watched(range(1, n + 1), _CHECKED), 1)
    parts = (unit // j for j in watched(range(1, n + 1), _CHECKED))
    return unit, list(accumulate(parts, initial=0))


def harmonic_float(n: int) -> float:
    """Return H_n to about one unit in the last place, for n of any size.

    Beyond the first terms the formula is ln n + γ + 1/(2n) - 1/(12n²) + 1/(120n⁴), whose error is
    less than 1/(252n⁶), below 1e-15.
    """
    if n <= _SUMMED:
        return fsum(1 / j for j in range(1, n + 1))
    inverse = 1 / n
    square = inverse * inverse
    return fsum((log(n), EULER_GAMMA, inverse / 2, -square / 12, square * square / 120))


def check_passes(passes: int) -> None:
    """Raise InvalidPositionError unless there is at most one pass."""
    if passes not in {0, 1}:
        raise InvalidPositionError(f"{passes} passes; closed forms are for none and for one")


def expected_turns(rows: Sequence[int], passes: int = 0) -> Fraction:
    """Return the expected number of turns from a board: the sum of 1/(xy) over its cookies.

    Theorem 1.1; x and y are the row and the column of a cookie, counted from 1. A pass adds the
    chance that it is used.

    Args:
        rows: row lengths, poison row first; empty rows at the end are allowed.
        passes: number of shared passes, 0 or 1.

    Raises:
        InvalidPositionError: there is more than one pass.
        ResourceLimitError: the board has more than `MAX_EXACT` rows or columns.
    """
    unit, harmonics = harmonic_multiples(max(len(rows), *rows[:1]) if rows else 0)
    # Row x adds H_length / x; in units of 1 / unit² all of it is whole numbers.
    total = sum(harmonics[length] * (unit // row) for row, length in enumerate(rows, start=1))
    return Fraction(total, unit * unit) + _used(rows, passes)


def _used(rows: Sequence[int], passes: int) -> Fraction:
    """Return the chance that the pass is used."""
    check_passes(passes)
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
