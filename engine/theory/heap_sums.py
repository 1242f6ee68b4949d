"""Positions made of independent heaps: the canonical form, and the Grundy value.

A position is the ascending tuple of its heaps that are not empty; equal positions are equal tuples.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import xor
from typing import Final

from position_oracle.engine.theory.periodicity import HeapValues

Heaps = tuple[int, ...]

MAX_HEAPS: Final = 64
"""Maximum number of heaps of a position."""


def canonical(heaps: Sequence[int]) -> Heaps:
    """Return the heaps in ascending order, without empty ones."""
    return tuple(sorted(filter(None, heaps)))


def distinct(heaps: Heaps) -> Iterator[tuple[int, Heaps]]:
    """Yield each size of heap once, the smallest first, with the other heaps."""
    for index, heap in enumerate(heaps):
        if not index or heaps[index - 1] != heap:
            yield heap, heaps[:index] + heaps[index + 1 :]


def grundy(heaps: Iterable[int], values: HeapValues) -> int:
    """Return the Grundy value in normal play without passes: the nim-sum of the heaps.

    Raises:
        UnknownAnswerError: The value of a heap is neither computed nor certified.
    """
    return reduce(xor, map(values.at, heaps), 0)
