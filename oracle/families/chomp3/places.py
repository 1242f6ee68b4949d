"""Predicted places as whole number and phase, exact for numbers of any size.

With k / sqrt 2 = w + f, w whole and 0 <= f < 1, every place is a whole number more or less than
such a one: alpha is 1 / sqrt 2, and the slopes are -1 +- 1 / sqrt 2 (equation (5) of Friedman and
Landsberg, 2007).
"""

from math import isqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]

_EXACT_IN_FLOATS: Final = 1 << 36
"""Below this k, k / sqrt 2 in double precision errs by less than 1e-5."""
_BITS: Final = 52


class Places(NamedTuple):
    """Places as whole numbers and phases.

    Attributes:
        whole: int64, the floor of each place.
        phase: float64, the fractional part, in [0, 1).
    """

    whole: Whole
    phase: NDArray[np.float64]

    def moved(self, by: Whole) -> "Places":
        """Return the places plus a whole number."""
        return Places(self.whole + by, self.phase)


def over_root_2(k: Whole) -> Places:
    """Return the places k / sqrt 2."""
    if np.abs(k).max(initial=0) < _EXACT_IN_FLOATS:
        place = k / np.sqrt(2.0)
        whole = np.floor(place)
        return Places(whole.astype(np.int64), place - whole)
    scaled = [isqrt(n * n << (2 * _BITS - 1)) for n in np.abs(k).ravel().tolist()]
    whole = np.array([n >> _BITS for n in scaled], np.int64).reshape(k.shape)
    rest = np.array([n & (1 << _BITS) - 1 for n in scaled], np.float64).reshape(k.shape)
    above = Places(whole, rest / (1 << _BITS))
    below = Places(-whole - 1, np.minimum(1 - above.phase, 1 - 2.0**-_BITS))
    return Places(
        np.where(k < 0, below.whole, above.whole), np.where(k < 0, below.phase, above.phase)
    )


def sheet(x: Whole) -> Places:
    """Return the height alpha x at which the lines of a sheet begin, and its deadly diagonal."""
    return over_root_2(x)


def upper_line(x: Whole, y: Whole) -> Places:
    """Return the z of the upper line in column y."""
    return over_root_2(x + y).moved(-y)


def lower_line(x: Whole, y: Whole) -> Places:
    """Return the z of the lower line in column y."""
    return over_root_2(x - y).moved(-y)


def tail(x: Whole) -> Places:
    """Return the z of the tail, (2 - sqrt 2) x."""
    return over_root_2(-2 * x).moved(2 * x)


def line_end(x: Whole) -> Places:
    """Return the y at which the lines end, (sqrt 2 - 1) x."""
    return over_root_2(2 * x).moved(-x)
