"""Nim with one pass in closed form: two heaps, or three heaps one of which is 1.

Theorem 5 of docs/nim-passes.md: the P-positions of at most two heaps are [0, 0] and [2m - 1, 2m];
with a heap of 1 they are [1, 0, 2] and [1, n, n] for n = 1 and n >= 3. No formula is known for
three heaps of 2 or more.

Two more passes change no P-position (theorem 1).
"""

import numpy as np
from numpy.typing import NDArray


def is_p_position_batch(heaps: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether the previous player wins with one pass left, for many positions.

    Args:
        heaps: Shape (n, 3), heaps in ascending order, the first 0 or 1.

    Returns:
        Shape (n,), bool.
    """
    first, second, third = heaps.astype(np.uint64).T
    return np.asarray(_third_heap(first, second) == third)


def taken_batch(heaps: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many tokens a winning move takes from each heap; 0 if none.

    Args:
        heaps: As in `is_p_position_batch`.

    Returns:
        Shape (n, 3), int64. At an N-position without such a move, the pass wins.
    """
    first, second, third = heaps.astype(np.uint64).T
    taken = np.zeros(heaps.shape, dtype=np.int64)
    taken[:, 0] = (first == 1) & (_third_heap(np.zeros_like(first), second) == third)
    for line, (heap, other) in enumerate(((second, third), (third, second)), start=1):
        rest = _third_heap(first, other)
        wins = rest < heap
        taken[wins, line] = (heap[wins] - rest[wins]).astype(np.int64)
    return taken


def _third_heap(first: NDArray[np.uint64], heap: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the heap that makes a P-position with a first heap of 0 or 1 and another heap."""
    one, two = np.uint64(1), np.uint64(2)
    beside_none = np.where(heap == 0, heap, ((heap - one) ^ one) + one)
    beside_one = np.where((heap == 0) | (heap == two), two - heap, heap)
    return np.where(first == 0, beside_none, beside_one)
