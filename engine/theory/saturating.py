"""Products that stop growing: bounds on how many positions there are, for heaps of any size."""

from collections.abc import Iterable
from typing import Final

LARGEST: Final = 1e300
"""Products beyond are this: far above every limit, and still a float when doubled a few times."""


def product(factors: Iterable[float]) -> float:
    """The product of factors of at least 0, exact below 2^53; at most `LARGEST`.

    `math.prod` of whole numbers has no limit, and may not fit a float.
    """
    total = 1.0
    for factor in factors:
        total = min(total * float(min(factor, LARGEST)), LARGEST)
    return total
