"""The frontier of transfinite Chomp: G(4 x a) and G((4 x a) + (2 x w)) for finite a.

Huddleston & Shurman, Transfinite Chomp, section 12: the set L of all g that occur among these is
recursively enumerable, and its least missing element is G(4 x w). Grundy values are unrestricted
(P-positions have value 1) and kept up to a bound; larger ones are `ABOVE`.

A position has four columns a >= b >= c >= d. Its value is the mex of the values after bites into
each column. These sets only grow while one height grows, so running bit sets of values give every
mex in a few operations: all positions with a < limit take O(limit^4 / 24) steps and O(limit^3)
memory.

For two infinite columns beside c and d the value is the least g that is neither the value of a
smaller such position nor that of (h, h, c, d) for some finite h. A finite scan of h can show that g
occurs, but not that g never occurs. So values come with the height of their scan.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import current
from position_oracle.engine.solvers.compiled import kernel
from position_oracle.engine.solvers.instructions import is_stopped, trailing_zeros

MAX_VALUE = 127
"""Values up to this one are distinguished."""
ABOVE = 128
"""Code for every larger value."""

_U0 = np.uint64(0)
_U1 = np.uint64(1)
_WORD = 64


@dataclass(frozen=True, slots=True)
class Frontier:
    """Values for columns below `limit`.

    `boxes` uint8 (limit,): G(4 x a), 0 at a = 0, `ABOVE` if greater than `MAX_VALUE`. `side_tops`
    uint8 (tops,): for a < tops the least g that is neither the value of a smaller position (2 x w)
    + (3 x c) + (4 x d), c, d <= a, nor of any (h, h, a, a) with h < limit. It is G((4 x a) + (2 x
    w)) provided that no (h, h, c, d), c, d <= a, with h >= limit has a value up to it. `latest`
    int64 (tops,): the greatest h < limit at which a value below that g first occurred among the (h,
    h, c, d), c, d <= a: a value far below `limit` makes the condition plausible.
    """

    limit: int
    boxes: NDArray[np.uint8]
    side_tops: NDArray[np.uint8]
    latest: NDArray[np.int64]

    def found(self) -> NDArray[np.bool_]:
        """Return whether each g <= `MAX_VALUE` is in `boxes` or `side_tops`; bool array."""
        return np.isin(np.arange(ABOVE), np.concatenate((self.boxes, self.side_tops)))


def estimate_bytes(limit: int) -> int:
    """Return the memory of `solve` in bytes."""
    return 16 * _triples(limit) + 2_000 * limit**2


def solve(limit: int, tops: int | None = None) -> Frontier:
    """Compute all values with columns below `limit`.

    There are side-tops for a < tops, 1 <= tops <= limit; None for a quarter of the limit.
    """
    count = max(1, limit // 4) if tops is None else tops
    boxes = np.full(limit, ABOVE, dtype=np.uint8)
    first = np.full((count, count, ABOVE), limit, dtype=np.int32)
    budget = current()
    cut0 = np.zeros((2, _triples(limit)), dtype=np.uint64)
    _sweep(limit, count, cut0, boxes, first, budget.flag)
    del cut0
    budget.check()
    side_tops = np.full(count, ABOVE, dtype=np.uint8)
    latest = np.zeros(count, dtype=np.int64)
    _side_tops(limit, first, side_tops, latest, budget.flag)
    budget.check()
    return Frontier(limit, boxes, side_tops, latest)


def _triples(limit: int) -> int:
    """Return the number of triples b >= c >= d below a limit."""
    return limit * (limit + 1) * (limit + 2) // 6


@kernel
def _mex(low, high):
    """Return the least value in neither of two words of used values; `ABOVE` if there is none."""
    if ~low != _U0:
        return trailing_zeros(~low)
    if ~high != _U0:
        return _WORD + trailing_zeros(~high)
    return 2 * _WORD


@kernel
def _add(used, index, value):
    """Add a value to the bit set used[:, index]; values above the bound are left out."""
    if value < 2 * _WORD:
        used[value // _WORD, index] |= _U1 << np.uint64(value % _WORD)


@kernel
def _sweep(limit, tops, cut0, boxes, first, flag):
    """Compute all values, with a as the outer loop; sets are named by the bites that make them.

    cut0: a is cut, by (b, c, d), zeros at first; cut1: b is cut, by (c, d), for one a; cut2: c is
    cut, by d, for one (a, b). Sets of positions in which the cut height is below some of the lower
    columns depend on fewer of them (`square*`, `wall*`, `step*`), and start the others off.
    """
    square2 = np.zeros((2, limit * limit), dtype=np.uint64)  # (k, k, c, d), k < a, by c and d
    square1 = np.zeros((2, limit), dtype=np.uint64)  # (k, k, k, d), k < a, by d
    square0 = np.zeros((2, 1), dtype=np.uint64)  # (k, k, k, k), k < a
    cut1 = np.zeros((2, limit * limit), dtype=np.uint64)
    wall1 = np.zeros((2, limit), dtype=np.uint64)  # (a, k, k, d), k < b, by d
    cut2 = np.zeros((2, limit), dtype=np.uint64)
    cut3 = np.zeros((2, 1), dtype=np.uint64)
    wall0 = np.zeros((2, 1), dtype=np.uint64)  # (a, k, k, k), k < b
    step0 = np.zeros((2, 1), dtype=np.uint64)  # (a, b, k, k), k < c
    for a in range(limit):
        square1[:, a] = square0[:, 0]
        for d in range(a + 1):
            square2[:, a * limit + d] = square1[:, d]
        wall0[:] = _U0
        for b in range(a + 1):
            if is_stopped(flag):
                return
            wall1[:, b] = wall0[:, 0]
            for d in range(b + 1):
                cut1[:, b * limit + d] = wall1[:, d]
            step0[:] = _U0
            base = b * (b + 1) * (b + 2) // 6
            for c in range(b + 1):
                cut2[:, c] = step0[:, 0]
                cut3[:] = _U0
                row = c * limit
                triple = base + c * (c + 1) // 2
                for d in range(c + 1):
                    if a == b:
                        cut0[:, triple + d] = square2[:, row + d]
                    value = _mex(
                        cut0[0, triple + d] | cut1[0, row + d] | cut2[0, d] | cut3[0, 0],
                        cut0[1, triple + d] | cut1[1, row + d] | cut2[1, d] | cut3[1, 0],
                    )
                    _add(cut0, triple + d, value)
                    _add(cut1, row + d, value)
                    _add(cut2, d, value)
                    _add(cut3, 0, value)
                    if c == d:
                        _add(step0, 0, value)
                    if b == c:
                        _add(wall1, d, value)
                        if c == d:
                            _add(wall0, 0, value)
                    if a == b:
                        _record(a, c, d, value, tops, first)
                        _add(square2, row + d, value)
                        if b == c:
                            _add(square1, d, value)
                            if c == d:
                                _add(square0, 0, value)
                                boxes[a] = value


@kernel
def _record(h, c, d, value, tops, first):
    """Record the first height at which (h, h, c, d) has a value."""
    if c < tops and value < 2 * _WORD:
        first[c, d, value] = min(first[c, d, value], h)


@kernel
def _side_tops(limit, first, side_tops, latest, flag):
    """Compute values beside two infinite columns by mex; squares below c also count for (c, d)."""
    tops = side_tops.size
    values = np.full((tops, tops), 2 * _WORD, dtype=np.int64)
    last = 0
    for c in range(tops):
        for d in range(c + 1):
            if is_stopped(flag):
                return
            used = np.zeros(2 * _WORD, dtype=np.bool_)
            height = np.zeros(2 * _WORD, dtype=np.int64)
            for g in range(2 * _WORD):
                at = first[c, d, g]
                for k in range(c):
                    if first[k, min(d, k), g] == k:
                        at = min(at, k)
                used[g] = at < limit
                height[g] = at
            for k in range(c):
                if values[k, min(d, k)] < 2 * _WORD:
                    used[values[k, min(d, k)]] = True
            for k in range(d):
                if values[c, k] < 2 * _WORD:
                    used[values[c, k]] = True
            g = 0
            while g < 2 * _WORD and used[g]:
                if height[g] < limit:
                    last = max(last, height[g])
                g += 1
            values[c, d] = g
        side_tops[c] = values[c, c]
        latest[c] = last
