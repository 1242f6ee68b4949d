"""Bounds on the win probability of random Chomp on two rows, and the envelope they give.

Source: P. Devlin & P. Trifonova, Combinatorial games played randomly: Chomp and nim, Theorem 1.4
and Conjecture 1.6.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import factorial
from typing import Final

from position_oracle.engine.theory.random_play.two_rows import iterate_coefficients, shortfall_from
from position_oracle.schema.errors import InvalidPositionError, ResourceLimitError

MAX_ENVELOPE_COOKIES: Final = 1_000
"""Most cookies for which the exact envelope of two-row boards is given."""


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
