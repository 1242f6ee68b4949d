"""Positions made of independent heaps: their one form, their Grundy value.

A position is the ascending tuple of its heaps that are not empty; equal positions are equal tuples.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import xor
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from position_oracle.schema.errors import InvalidPositionError

Heaps = tuple[int, ...]

MAX_HEAPS: Final = 64
"""Most heaps of a position."""


class HeapValues(Protocol):
    """Grundy values of single heaps."""

    def at(self, heap: int) -> int:
        """The value of a heap; UnknownAnswerError where it is neither computed nor certified."""
        ...


class KnownHeaps(HeapValues, Protocol):
    """The same, also of many heaps at once."""

    def many(self, heaps: NDArray[np.int64]) -> NDArray[np.int64]:
        """The values of an array of heaps, none negative; -1 where one is not known."""
        ...


def canonical(heaps: Sequence[int]) -> Heaps:
    """The heaps in ascending order, without empty ones.

    Raises:
        InvalidPositionError: A negative heap.
    """
    if min(heaps, default=0) < 0:
        raise InvalidPositionError(f"heaps {list(heaps)}: heaps are not negative")
    return tuple(sorted(heap for heap in heaps if heap))


def distinct(heaps: Heaps) -> Iterator[tuple[int, Heaps]]:
    """Each size of heap once, the smallest first, with the other heaps."""
    for index, heap in enumerate(heaps):
        if not index or heaps[index - 1] != heap:
            yield heap, heaps[:index] + heaps[index + 1 :]


def grundy(heaps: Iterable[int], values: HeapValues) -> int:
    """The Grundy value of a position in normal play without passes: the nim-sum of its heaps.

    Raises:
        InvalidPositionError: A negative heap.
        UnknownAnswerError: A heap whose value is neither computed nor certified.
    """
    return reduce(xor, map(values.at, heaps), 0)
