"""Chomp on at most two rows, and on hooks, with random moves: win probabilities in closed form.

For n cookies in the first row and k in the second, (n, k) not (1, 1) and k >= 1, the player to move
wins with probability

    P(n, k) = 1/2 - (n α_k + β_k) / ((2k - 2)! (n + k)(n + k - 1)(n + k - 2)),

where α_k and β_k are whole numbers given by a linear recursion.

Source: P. Devlin & P. Trifonova, Combinatorial games played randomly: Chomp and nim, Theorem 1.3.

A hook is one row and one column: the poison, p >= 1 cookies to its right and q >= 1 above it, n = p
+ q + 1 in all. The player to move wins with probability 1/2 - p q / (n (n - 1)(n - 2)). Proof:
docs/random-play.md, by induction on n from equation (2.2) of Devlin & Trifonova.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import watched
from position_oracle.schema.errors import ResourceLimitError

MAX_SECOND_ROW: Final = 10_000
"""Longest second row for which values are given: α_k has about 2k log2(k) bits."""

_GUARD: Final = 192
"""Number of bits after the point of scaled coefficients; 10,000 steps take 15 of them."""

BATCH_ERROR: Final = 2.0**-52
"""Absolute error bound of `win_probability_batch`.

The coefficients are rounded once. |β_k| is at most k α_k (α_1 = 1, β_1 = -1; at most (k - 1) α_k
from k = 2 on), and n > k if k = 1. So n α_k + β_k cancels at most a factor of k + 1, against terms
of 1/2 - P of the size √k n / (n + k)³; so the error of 1/2 - P is less than 2^-54, and the rest is
the rounding of P itself.
"""


@dataclass(frozen=True, slots=True)
class Coefficients:
    """Coefficients of the closed form for a second row of k cookies.

    Attributes:
        k: length of the second row, at least 1.
        alpha: α_k of Theorem 1.3.
        beta: β_k of Theorem 1.3.
        factorial: (2k - 2)!.
    """

    k: int
    alpha: int
    beta: int
    factorial: int


def iterate_coefficients() -> Iterator[Coefficients]:
    """Yield the coefficients of k = 1, 2, 3, ... without end (Theorem 1.3; Table 1 shows eight)."""
    k, alpha, beta, factorial = 1, 1, -1, 1
    while True:
        yield Coefficients(k, alpha, beta, factorial)
        alpha, beta = _following(k, alpha, beta)
        factorial *= (2 * k - 1) * (2 * k)
        k += 1


def _following(k: int, alpha: int, beta: int) -> tuple[int, int]:
    """Return α_{k+1} and β_{k+1} from α_k and β_k (Theorem 1.3)."""
    return (
        (4 * k * k + k) * alpha + beta,
        -k * (k + 1) * alpha + (4 * k * k - k - 1) * beta,
    )


@lru_cache(maxsize=256)
def coefficients(k: int) -> Coefficients:
    """Return the coefficients α_k and β_k for k >= 1, exactly.

    Raises:
        ResourceLimitError: k exceeds `MAX_SECOND_ROW`.
    """
    _check_second_row(k)
    return next(islice(watched(iterate_coefficients()), k - 1, None))


def win_probability(n: int, k: int = 0) -> Fraction:
    """Return the probability that the player to move wins from rows of n and k (Theorem 1.3).

    Args:
        n: length of the poison row, of any size.
        k: length of the second row, 0 to n.

    Raises:
        ResourceLimitError: k exceeds `MAX_SECOND_ROW`.
    """
    return Fraction(1, 2) - shortfall(n, k)


def shortfall(n: int, k: int = 0) -> Fraction:
    """Return 1/2 - P(n, k), the shortfall of the player to move from an even chance.

    Arguments and errors are those of `win_probability`.
    """
    if k == 0:
        return Fraction((-1, 1)[n], 2) if n <= 1 else Fraction(0)
    if n == 1:
        return Fraction(0)
    return shortfall_from(coefficients(k), n)


def shortfall_from(row: Coefficients, n: int) -> Fraction:
    """Return 1/2 - P(n, k) for k >= 1 and (n, k) not (1, 1), from known coefficients."""
    total = n + row.k
    denominator = row.factorial * total * (total - 1) * (total - 2)
    return Fraction(n * row.alpha + row.beta, denominator)


def two_rows_of(rows: tuple[int, ...]) -> tuple[int, int] | None:
    """Return rows (n, k) of a board with at most two rows or at most two columns; else None.

    A board and its transpose have the same win probability, because their bites correspond.

    Args:
        rows: row lengths without empty rows, poison row first.
    """
    if len(rows) <= 2:
        return (*rows, 0, 0)[0], (*rows, 0, 0)[1]
    if rows[0] <= 2:
        return len(rows), rows.count(2)
    return None


def hook_of(rows: tuple[int, ...]) -> tuple[int, int] | None:
    """Return the arms (p, q) of a board that is a hook with p, q >= 1; else None.

    Args:
        rows: row lengths without empty rows, poison row first.
    """
    if len(rows) >= 2 and rows[0] >= 2 and rows[1] == 1:
        return rows[0] - 1, len(rows) - 1
    return None


def hook_win_probability(p: int, q: int) -> Fraction:
    """Probability that the player to move wins from a hook.

    Args:
        p: cookies beside the poison, at least 1, of any size.
        q: cookies above the poison, at least 1, of any size.
    """
    n = p + q + 1
    return Fraction(1, 2) - Fraction(p * q, n * (n - 1) * (n - 2))


def win_probability_batch(rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return win probabilities of many positions as doubles; error bound `BATCH_ERROR`.

    Args:
        rows: shape (m, 2), int64; first and second row of each position, of any length up to
            2^63 - 1 and `MAX_SECOND_ROW`.

    Returns:
        Shape (m,), float64.

    Raises:
        ResourceLimitError: a second row exceeds `MAX_SECOND_ROW`.
    """
    first, second = rows[:, 0], rows[:, 1]
    largest = int(second.max(initial=0))
    _check_second_row(largest)
    alpha, beta = _scaled_coefficients(min(1 << largest.bit_length(), MAX_SECOND_ROW))
    n, total = first.astype(np.float64), first.astype(np.float64) + second
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = (n * alpha[second] + beta[second]) / (total * (total - 1) * (total - 2))
    gap[(second == 0) | (first == 1)] = 0.0
    gap[(second == 0) & (first == 0)] = -0.5
    gap[(second == 0) & (first == 1)] = 0.5
    return np.asarray(0.5 - gap)


@lru_cache(maxsize=4)
def _scaled_coefficients(limit: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return α_k / (2k - 2)! and β_k / (2k - 2)! of k = 0 .. limit; 0 for k = 0.

    They are rounded once. The recursion runs in integers with `_GUARD` bits after the point; all
    its terms have one sign, except the smaller β_k in the recursion of α.
    """
    scaled = np.zeros((2, limit + 1))
    one = 1 << _GUARD
    alpha, beta = one, -one
    for k in range(1, limit + 1):
        scaled[:, k] = alpha / one, beta / one
        alpha, beta = (each // ((2 * k - 1) * (2 * k)) for each in _following(k, alpha, beta))
    scaled.flags.writeable = False
    return scaled[0], scaled[1]


def _check_second_row(k: int) -> None:
    if k > MAX_SECOND_ROW:
        raise ResourceLimitError(f"a second row of {k} cookies; the limit is {MAX_SECOND_ROW}")
