"""Patterns in the sequence of winning openings: counts, words, spectrum, a null model.

`engine.theory.openings` defines the sequence. Friedman and Landsberg (2007, section IV B) assume
independent kinds with chances sqrt 2 - 1 and 2 - sqrt 2. That is the wrong null model for counts:
diagonal values are a Beatty sequence, (1 + 1 / sqrt 2) j + constant, with independent jitter, so
that counts hardly vary.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.theory.openings import BY_ROW_3, BY_ROWS_2_AND_3
from position_oracle.oracle.reproduce.shape.sequence import Kinds

UNKNOWN: Final = 0
SQRT_2: Final = 2**0.5

DIAGONAL_FALL: Final = 64
"""Assumed maximum fall of diagonal values; up to j = 1,000,000, no value j + d is more than 1 below
an earlier one."""


def kinds_of_diagonals(diagonal_z: NDArray[np.integer], fall: int = DIAGONAL_FALL) -> Kinds:
    """Return the kind of the opening of n = 0, 1, ... from the diagonals alone.

    Diagonals extend to (1 + 1 / sqrt 2) x, beyond the last known stop at sqrt 2 x.

    Args:
        diagonal_z: d of the P-position [j, 0, d] of every sheet j = 0, 1, ...
        fall: the assumed maximum distance of later diagonal values below the largest so far; an
            observation.

    Returns:
        int8; `UNKNOWN` (0) for n = 0 and 1, which have no opening of these kinds.
    """
    values = np.arange(len(diagonal_z)) + diagonal_z
    known = max(0, int(values.max(initial=0)) - fall + 1)
    kinds = np.full(known, BY_ROW_3, np.int8)
    kinds[values[values < known]] = BY_ROWS_2_AND_3
    kinds[:2] = UNKNOWN
    return kinds


def discrepancy(kinds: Kinds, first: int = 2) -> NDArray[np.float64]:
    """Return openings by row 3 up to n, minus (sqrt 2 - 1) n, for n = first, first + 1, ...

    Args:
        kinds: the kinds of n = first, first + 1, ...; the count begins there.
        first: the least n.
    """
    n = np.arange(first, first + len(kinds))
    count: NDArray[np.int64] = np.cumsum(kinds == BY_ROW_3)
    return count - (SQRT_2 - 1) * n


def binomial_deviation(count: int) -> float:
    """Return the standard deviation of the number of openings by row 3 for independent kinds."""
    return sqrt(count * (SQRT_2 - 1) * (2 - SQRT_2))


def words(kinds: Kinds, length: int) -> int:
    """Return the number of different words of a length; a Sturmian sequence has length + 1."""
    if not 0 < length <= 32:
        raise ValueError(f"words of length {length}; 1 to 32 are counted")
    if len(kinds) < length:
        return 0
    codes = np.zeros(len(kinds) - length + 1, np.int64)
    for place in range(length):
        codes = 2 * codes + (kinds[place : place + len(codes)] == BY_ROW_3)
    return len(np.unique(codes))


def longest_runs(kinds: Kinds) -> dict[int, int]:
    """Return the length of the longest run of each kind."""
    ends = np.concatenate(([0], np.flatnonzero(np.diff(kinds)) + 1, [len(kinds)])).tolist()
    longest: dict[int, int] = {}
    for begin, end in pairwise(ends):
        if end > begin:
            kind = int(kinds[begin])
            longest[kind] = max(longest.get(kind, 0), end - begin)
    return longest


def spectrum(kinds: Kinds, multiples: int, first: int = 2) -> NDArray[np.float64]:
    """Return the strength of the sequence at the frequencies m sqrt 2, m = 1, 2, ...

    Returns:
        float64, shape (multiples,): the absolute value of the mean of (1 if by row 3, else 0,
        minus the mean) exp(-2 pi i m sqrt 2 n). Independent kinds would give about
        0.5 / sqrt(count).
    """
    n = np.arange(first, first + len(kinds))
    centred = (kinds == BY_ROW_3) - np.mean(kinds == BY_ROW_3)
    return np.array(
        [
            abs(np.mean(centred * np.exp(-2j * np.pi * m * SQRT_2 * n)))
            for m in range(1, multiples + 1)
        ]
    )


def autocorrelation(values: NDArray[np.float64], lag: int) -> float:
    """Return the correlation of a sequence with itself, shifted by a number of places."""
    centred = values - values.mean()
    return float(np.mean(centred[lag:] * centred[:-lag]) / np.mean(centred**2))


@dataclass(frozen=True, slots=True)
class JitteredBeatty:
    """Diagonal values as a Beatty sequence with independent jitter: the null model for counts.

    The value of j is the integer (1 + 1 / sqrt 2) j + offset + jitter. Rounding to an integer makes
    most of the jitter.

    Attributes:
        offset: mean of the values minus (1 + 1 / sqrt 2) j.
        scatter: standard deviation of that difference.
        memory: autocorrelation at lag 1 of the residual after subtracting the mean of each phase,
            frac(j / sqrt 2).
        jitter: standard deviation of the residual.
    """

    offset: float
    scatter: float
    memory: float
    jitter: float

    @classmethod
    def fit(cls, diagonal_z: NDArray[np.integer], first: int = 100, phases: int = 50) -> Self:
        """Fit the parameters to the d of [j, 0, d], j = 0, 1, ..., without those before `first`."""
        j = np.arange(first, len(diagonal_z))
        off = diagonal_z[first:] - j / SQRT_2
        phase = (j / SQRT_2 % 1 * phases).astype(np.int64)
        count = np.maximum(np.bincount(phase, minlength=phases), 1)
        left = off - (np.bincount(phase, off, minlength=phases) / count)[phase]
        return cls(float(off.mean()), float(off.std()), autocorrelation(left, 1), float(left.std()))

    def simulate(self, sheets: int, seed: int) -> NDArray[np.int64]:
        """Simulate diagonals d of a number of sheets: rounded, with independent normal jitter.

        As in the game, no two diagonal values j + d are equal: if they were, the later one is drawn
        again.
        """
        random = np.random.default_rng(seed)
        spread = sqrt(max(0.0, self.scatter**2 - 1 / 12))
        j = np.arange(sheets)
        mean = j / SQRT_2 + self.offset
        diagonal = np.rint(mean + random.normal(0, spread, sheets)).astype(np.int64)
        while True:
            _, first = np.unique(j + diagonal, return_index=True)
            again = np.setdiff1d(j, first)
            if not again.size:
                return diagonal
            drawn = mean[again] + random.normal(0, spread, len(again))
            diagonal[again] = np.rint(drawn).astype(np.int64)
