"""Number of P-positions among all sums of a number of heaps, by the values of single heaps."""

from collections import Counter
from collections.abc import Sequence
from math import comb

import numpy as np
from numpy.typing import NDArray


def count_p_positions(values: Sequence[int], heaps: int, *, ordered: bool) -> int:
    """The number of ways to choose heaps whose values have the nim-sum 0.

    By the Walsh transform: for each character u, a heap of value v counts as (-1)^|u & v|. With a
    heaps that count as 1 and b as -1, choices in order sum to (a - b)^heaps, and those without
    order to the coefficient of t^heaps in 1 / ((1 - t)^a (1 + t)^b); the mean over all characters
    is the number of choices with nim-sum 0.

    Args:
        values: the Grundy value of each heap that may be chosen, the empty one among them.
        heaps: how many are chosen; one may be chosen several times.
        ordered: whether the order of the heaps makes a difference.

    >>> count_p_positions(range(4), 2, ordered=True), count_p_positions(range(4), 2, ordered=False)
    (4, 4)
    """
    size = 1 << max(values, default=0).bit_length()
    counts = np.bincount(np.asarray(values, np.int64), minlength=size)
    total = 0
    for character, times in Counter(_walsh(counts).tolist()).items():
        ones = (len(values) + character) // 2
        term = character**heaps if ordered else _unordered(ones, len(values) - ones, heaps)
        total += times * term
    return total // size


def count_choices(kinds: int, heaps: int, *, ordered: bool) -> int:
    """The number of ways to choose heaps of some kinds."""
    return kinds**heaps if ordered else comb(kinds + heaps - 1, heaps)


def _unordered(ones: int, others: int, heaps: int) -> int:
    """The coefficient of t^heaps in 1 / ((1 - t)^ones (1 + t)^others)."""
    return sum(
        _multisets(ones, heaps - taken) * _multisets(others, taken) * (-1) ** taken
        for taken in range(heaps + 1)
    )


def _multisets(kinds: int, size: int) -> int:
    return comb(kinds + size - 1, size) if size else 1


def _walsh(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sum of the counts with the signs of each character; the size is a power of 2."""
    found = counts.copy()
    step = 1
    while step < len(found):
        pairs = found.reshape(-1, 2, step)
        found = np.stack((pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]), 1).reshape(-1)
        step *= 2
    return found
