"""Wythoff's game with two heaps in closed form, in exact integer arithmetic.

A move takes any number from one heap or the same number from both; the player who cannot move
loses. The P-positions are (a_n, b_n) and (b_n, a_n), with a_n = floor(n phi), b_n = floor(n phi^2)
= a_n + n and phi the golden ratio; every positive integer is exactly one of the a_n and b_n.

Source: W. A. Wythoff, A modification of the game of nim, Nieuw Arch. Wisk. 7 (1907) 199-202.
"""

from math import isqrt

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.theory.heap_arrays import check_heaps
from position_oracle.schema.errors import InvalidPositionError

_PHI_FRACTION = (isqrt(5 << 256) - (1 << 128)) >> 1
"""floor((phi - 1) 2^128); its square root is exact to the last bit."""

HEAP_MAX = 2**63 - 1
"""Largest heap accepted in batches: what a signed 64-bit integer holds."""


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


def is_p_position(x: int, y: int) -> bool:
    """Return whether the previous player wins from (x, y), heaps of any size.

    Raises:
        InvalidPositionError: A negative heap.
    """
    _check(x, y)
    return min(x, y) == lower(abs(x - y))


def winning_moves(x: int, y: int) -> list[tuple[int, int]]:
    """Return every position reached by a winning move.

    There are at most three: one from the first heap, one from the second, one from both; they come
    in this order, that of the rules.

    Raises:
        InvalidPositionError: A negative heap.
    """
    if is_p_position(x, y):
        return []
    found = []
    if partner(y) < x:
        found.append((partner(y), y))
    if partner(x) < y:
        found.append((x, partner(x)))
    small = lower(abs(x - y))
    taken = min(x, y) - small
    if taken > 0:
        found.append((x - taken, y - taken))
    return found


def is_p_position_batch(heaps: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether the previous player wins, for many positions; exact for every int64 heap.

    Args:
        heaps: Shape (n, 2), one position a row.

    Returns:
        Shape (n,), bool.

    Raises:
        InvalidPositionError: Not of that shape and type, or a negative heap.
    """
    check_heaps(heaps, 2)
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

    Raises:
        InvalidPositionError: The array has another shape or type, or a negative heap.
    """
    check_heaps(heaps, 2)
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

    Raises:
        InvalidPositionError: The array has another shape or type, or a negative heap.
    """
    check_heaps(heaps, 3)
    taken = np.zeros(len(heaps), dtype=np.int64)
    for bit in range(int(heaps.max(initial=0)).bit_length()):
        total = np.bitwise_xor.reduce(heaps - taken[:, np.newaxis], axis=1)
        taken |= total & (1 << bit)
    taken[taken > heaps.min(axis=1, initial=HEAP_MAX)] = 0
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


def _check(x: int, y: int) -> None:
    if x < 0 or y < 0:
        raise InvalidPositionError(f"heap {min(x, y)} is negative")
