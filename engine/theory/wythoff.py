"""Wythoff's game with two heaps in closed form, in exact integer arithmetic.

A move takes any number from one heap or the same number from both; the player who cannot move
loses. The P-positions are (a_n, b_n) and (b_n, a_n), with a_n = floor(n phi), b_n = floor(n phi^2)
= a_n + n and phi the golden ratio; every positive integer is exactly one of the a_n and b_n.

In misere play the player who cannot move wins. Then [0, 0] and [1, 2] are replaced by [0, 1] and
[2, 2]; all other P-positions stay. Proof: docs/wythoff-misere.md.

Source: W. A. Wythoff, A modification of the game of nim, Nieuw Arch. Wisk. 7 (1907) 199-202; misere
play: A. S. Fraenkel, Wythoff games, continued fractions, cedar trees and Fibonacci searches,
Theoret. Comput. Sci. 29 (1984) 49-73.
"""

from math import isqrt

import numpy as np
from numpy.typing import NDArray

_PHI_FRACTION = (isqrt(5 << 256) - (1 << 128)) >> 1
"""floor((phi - 1) 2^128); its square root is exact to the last bit."""

_MISERE = ((0, 1), (1, 0), (2, 2))
"""The P-positions of misere play with a heap of at most 2."""

_LOW32 = np.uint64(0xFFFFFFFF)
_SHIFT32 = np.uint64(32)


def lower(n: int) -> int:
    """Return the smaller heap a_n = floor(n phi) of the n-th P-position, for any n >= 0."""
    return (n + isqrt(5 * n * n)) >> 1


def partner(heap: int) -> int:
    """Return the one heap that makes a P-position together with `heap`, for any heap >= 0."""
    floor_phi = lower(heap + 1)
    n = floor_phi - (heap + 1)  # floor((heap + 1) / phi): the only n for which a_n can be heap
    if lower(n) == heap:
        return heap + n
    return heap - (2 * (heap + 1) - floor_phi - 1)  # minus floor((heap + 1) / phi^2)


def is_p_position(x: int, y: int, *, misere: bool = False) -> bool:
    """Return whether the previous player wins from (x, y), heaps of any size."""
    if misere and min(x, y) <= 2:
        return (x, y) in _MISERE
    return min(x, y) == lower(abs(x - y))


def winning_moves(x: int, y: int, *, misere: bool = False) -> list[tuple[int, int]]:
    """Return every position reached by a winning move: from the first heap, the second, or both."""
    if is_p_position(x, y, misere=misere):
        return []
    taken = min(x, y) - lower(abs(x - y))
    children = {(partner(y), y), (x, partner(x)), (x - taken, y - taken)}
    if misere:
        children |= {(a, b) for a, b in _MISERE if a == x or b == y or x - a == y - b}
    reached = ((a, b) for a, b in children if a <= x and b <= y)
    found = (each for each in reached if not misere or is_p_position(*each, misere=True))
    return sorted(found, key=lambda child: (child[1] < y, child[0] < x, child))


def is_p_position_batch(heaps: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether the previous player wins, for many positions; exact for every int64 heap.

    Args:
        heaps: Shape (n, 2), one position a row.

    Returns:
        Shape (n,), bool.
    """
    small = heaps.min(axis=1).astype(np.uint64)
    large = heaps.max(axis=1).astype(np.uint64)
    return np.asarray(_lower_batch(large - small) == small)


def taken_batch(heaps: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many tokens a winning move takes, for many positions; exact for every int64.

    Args:
        heaps: Shape (n, 2), one position a row.

    Returns:
        Shape (n, 3), int64: taken from the first heap, from the second, from each of both; 0 if no
        such move wins.
    """
    x, y = (heaps[:, side].astype(np.uint64) for side in (0, 1))
    small = np.minimum(x, y)
    target = _lower_batch(np.maximum(x, y) - small)
    taken = np.zeros((len(heaps), 3), dtype=np.int64)
    for line, (heap, least) in enumerate(
        ((x, _partner_batch(y)), (y, _partner_batch(x)), (small, target))
    ):
        wins = least < heap
        taken[wins, line] = (heap[wins] - least[wins]).astype(np.int64)
    taken[target == small] = 0
    return taken


def taken_from_three_batch(heaps: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the t that, taken from each of three heaps, leaves a nim-sum of 0; 0 if there is none.

    This is the move that three-heap Wythoff with rule `all` adds to Nim; its P-positions are those
    of Nim. Bit k of the nim-sum of x - t, y - t and z - t changes with bit k of t, in all three,
    and does not depend on higher bits of t: so t is found from its lowest bit upwards, and there is
    at most one.

    Args:
        heaps: Shape (n, 3), one position a row.

    Returns:
        Shape (n,), int64, at most the smallest heap.
    """
    taken = np.zeros(len(heaps), dtype=np.int64)
    for bit in range(int(heaps.max(initial=0)).bit_length()):
        total = np.bitwise_xor.reduce(heaps - taken[:, np.newaxis], axis=1)
        taken |= total & (1 << bit)
    taken[taken > heaps.min(axis=1, initial=np.iinfo(np.int64).max)] = 0
    return taken


def _lower_batch(n: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """floor(n phi) for 0 <= n <= 2^63, with phi - 1 cut off after 128 binary places.

    The cut lowers n phi by less than n / 2^128 <= 2^-65. It could change the floor only if n phi
    were that close above an integer m; but m^2 - m n - n^2 is a non-zero integer, hence
    |m - n phi| >= 1 / (n sqrt(5) + 1) > 2^-65.
    """
    high, low = (np.uint64(part) for part in divmod(_PHI_FRACTION, 1 << 64))
    upper, middle = _multiply_high(n, high), n * high
    carry = middle > ~_multiply_high(n, low)
    return n + upper + carry.astype(np.uint64)


def _partner_batch(heap: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """`partner` for many heaps below 2^63."""
    one = np.uint64(1)
    following = heap + one
    floor_phi = _lower_batch(following)
    n = floor_phi - following
    return np.where(_lower_batch(n) == heap, heap + n, heap - (following - n - one))


def _multiply_high(a: NDArray[np.uint64], b: np.uint64) -> NDArray[np.uint64]:
    """Upper 64 bits of the 128-bit products, from four products of 32-bit halves."""
    a_low, a_high = a & _LOW32, a >> _SHIFT32
    b_low, b_high = b & _LOW32, b >> _SHIFT32
    cross = a_high * b_low + (a_low * b_low >> _SHIFT32)
    other = a_low * b_high + (cross & _LOW32)
    return np.asarray(a_high * b_high + (cross >> _SHIFT32) + (other >> _SHIFT32))
