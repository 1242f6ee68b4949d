"""Bounds on the number of positions that play reaches from heaps without order."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from math import comb, inf
from typing import Final, TypeVar

import numpy as np

from position_oracle.engine.theory.bounds import estimate_ideals, product

Heap = TypeVar("Heap", bound=Hashable)

MAX_TOTAL: Final = 1024
"""Maximum total for which multisets are counted."""

MANY: Final = 1e9
"""Counts stop at this number, which no search reaches."""


def smaller_heaps(heaps: Sequence[int]) -> float:
    """Count multisets of heaps, each at most as large as a given heap; exact for few tokens.

    >>> smaller_heaps([1, 1]), smaller_heaps([2, 3])
    (3.0, 9.0)
    """
    everything = product(heap + 1 for heap in heaps)
    return min(everything, estimate_ideals(tuple(sorted(filter(None, heaps), reverse=True))))


def side_by_side(heaps: Iterable[Heap], counts: Mapping[Heap, float]) -> float:
    """Count positions of heaps that each can become a number of positions.

    Args:
        heaps: the heaps.
        counts: for each different heap, the number of positions that it can become alone.

    >>> side_by_side(["a", "a", "b"], {"a": 3, "b": 10})
    60.0
    """
    return product(_multisets(counts[heap], size) for heap, size in Counter(heaps).items())


def _multisets(number: float, size: int) -> float:
    """Return the number of multisets of a size from a number of things."""
    return inf if number > MANY else comb(int(number) + size - 1, size)


def split_heaps(total: int, least: int, most: int) -> float:
    """Count multisets of whole numbers whose sum is at most a total; infinite if very many.

    Args:
        total: the largest sum.
        least: the smallest number, at least 1.
        most: the largest number.

    >>> split_heaps(5, 1, 5), split_heaps(9, 2, 9)  # A000070, A000041
    (19.0, 30.0)
    """
    return inf if total > MAX_TOTAL else splits_up_to(total, least, most)[total]


@lru_cache(maxsize=256)
def splits_up_to(total: int, least: int, most: int) -> tuple[float, ...]:
    """Return `split_heaps` for each total up to one of at most `MAX_TOTAL`.

    All are infinite if the last one is.
    """
    counts = np.ones(total + 1)
    for part in range(least, min(most, total) + 1):
        lines = total // part + 1
        padded = np.zeros(lines * part)
        padded[: total + 1] = counts
        counts = padded.reshape(lines, part).cumsum(axis=0).ravel()[: total + 1]
        if counts[total] > MANY:
            return (inf,) * (total + 1)
    return tuple(counts.tolist())
