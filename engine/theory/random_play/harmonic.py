"""Harmonic numbers H_n = 1 + 1/2 + ... + 1/n, exact and in double precision."""

from itertools import accumulate
from math import fsum, lcm, log
from typing import Final

from position_oracle.schema.errors import ResourceLimitError

MAX_EXACT: Final = 10_000
"""Largest n for which exact values are given; H_n has about 1.44 n bits above and below."""

EULER_GAMMA: Final = 0.577215664901532860606512090082402431
_SUMMED: Final = 128


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
    unit = lcm(*range(1, n + 1))
    return unit, list(accumulate((unit // j for j in range(1, n + 1)), initial=0))


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
