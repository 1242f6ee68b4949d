"""Bounds on the win probability of random Chomp on two rows, and the envelope they give.

Source: P. Devlin & P. Trifonova, Combinatorial games played randomly: Chomp and nim, Theorem 1.4
and Conjecture 1.6.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import factorial, sqrt
from typing import Final

from engine.theory.random_play.two_rows import iterate_coefficients, shortfall_from
from schema.errors import InvalidPositionError, ResourceLimitError

MAX_ENVELOPE_COOKIES: Final = 1_000
"""Most cookies for which the exact envelope of two-row boards is given."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Lower and upper bound of a probability, both attainable ends included."""

    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Envelope:
    """The range of 1/2 - P over boards of so many cookies (Conjecture 1.6).

    Attributes:
        cookies: number of cookies n.
        least: g(n), the least 1/2 - P.
        least_board: row lengths of a board that attains it.
        greatest: h(n), the greatest 1/2 - P.
        greatest_board: row lengths of a board that attains it.
    """

    cookies: int
    least: Fraction
    least_board: tuple[int, ...]
    greatest: Fraction
    greatest_board: tuple[int, ...]


def alpha_bounds(k: int) -> tuple[int, int]:
    """The bounds 4^(k-1) (k-1)!² <= α_k <= k 4^(k-1) (k-1)!² of Theorem 1.4, for k >= 1.

    Raises:
        InvalidPositionError: k is less than 1.
    """
    if k < 1:
        raise InvalidPositionError(f"bounds on alpha of k = {k}; they begin with k = 1")
    least: int = 4 ** (k - 1) * factorial(k - 1) ** 2
    return least, k * least


def win_probability_bounds(n: int, k: int) -> Bounds:
    """The bounds of Theorem 1.4 on P(n, k), in double precision.

    For k >= 2 these are, with D = (n + k)(n + k - 1)(n + k - 2),

        1/2 - 2 n k^1.5 / D  <=  P(n, k)  <=  1/2 - (n + 1 - k) √k / D.

    The paper states the upper one for k = 1 too, where it does not hold: it puts P(2, 1) = 1/3 at
    1/6 or less. Its proof covers k >= 2. For k = 1 and n >= 2 the exact P = 1/2 - 1/(n (n + 1))
    serves as the upper bound here; for k = 0, and for (1, 1), the upper bound is 1/2 and the lower
    one is the exact value.

    Raises:
        InvalidPositionError: not 0 <= k <= n, or (n, k) = (0, 0), where P is 1.
    """
    if not 0 <= k <= n or n == 0:
        raise InvalidPositionError(
            f"rows of {n} and {k} cookies; allowed are 0 <= k <= n with n at least 1"
        )
    if k == 0 or n == 1:
        return Bounds(0.0 if (n, k) == (1, 0) else 0.5, 0.5)
    product = (n + k) * (n + k - 1) * (n + k - 2)
    least = (n + 1 - k) * sqrt(k) / product if k > 1 else 1 / (n * (n + 1))
    return Bounds(0.5 - 2 * n * k**1.5 / product, 0.5 - least)


def envelope_bounds(cookies: int) -> tuple[float, float]:
    """Functions 0 < g(n) < h(n) -> 0 as in Conjecture 1.6, for all boards of two rows.

    They follow from Theorem 1.4. With k <= n/2 cookies in the second of two rows,

        h(n) = 2 (n/2)^2.5 / (n (n - 1)(n - 2)),

    as (n - k) k^1.5 increases up to k = 0.6 n; and (n + 1 - 2k) √k is concave in k, so that its
    least value is at k = 2 or at the largest k; for k = 1, 1/2 - P is exactly 1/(n (n - 1)).

    Args:
        cookies: n, at least 3: no smaller board has two rows and two columns.

    Returns:
        g(n) and h(n).

    Raises:
        InvalidPositionError: fewer than 3 cookies.
    """
    _check_cookies(cookies)
    n = cookies
    product = n * (n - 1) * (n - 2)
    least = [1 / (n * (n - 1))]
    least.extend((n + 1 - 2 * k) * sqrt(k) / product for k in {2, n // 2} if 2 <= k <= n // 2)
    return min(least), max(2 * (n / 2) ** 2.5 / product, 1 / (n * (n - 1)))


def two_row_envelope(cookies: int) -> Envelope:
    """The exact envelope of boards with two rows and more than one column, by Theorem 1.3.

    Args:
        cookies: n, at least 3.

    Raises:
        InvalidPositionError: fewer than 3 cookies.
        ResourceLimitError: more than `MAX_ENVELOPE_COOKIES`.
    """
    _check_cookies(cookies)
    if cookies > MAX_ENVELOPE_COOKIES:
        raise ResourceLimitError(
            f"envelope of two-row boards of {cookies} cookies; the limit is {MAX_ENVELOPE_COOKIES}"
        )
    gaps = [
        (shortfall_from(row, cookies - row.k), (cookies - row.k, row.k))
        for row in islice(iterate_coefficients(), cookies // 2)
    ]
    least, greatest = min(gaps), max(gaps)
    return Envelope(cookies, *least, *greatest)


def _check_cookies(cookies: int) -> None:
    if cookies < 3:
        raise InvalidPositionError(
            f"boards of {cookies} cookies; from 3 on there are some with two rows and two columns"
        )
