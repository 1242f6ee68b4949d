"""The proof of tails.

Let F be a row such that every smaller sheet has stopped before F or is in its (certified) tail from
F on; then for b >= F the relative content { a - b : a in row(b) } is the union of periodic sets,
one for each smaller sheet with a tail. Let b >= F in sheet c, and let u be the first value >= b
that is in neither col(c) nor dd(c). If u lies above every deadly diagonal, the further values
depend on b only through the row contents and the state

    (u - b, pattern of the values of col(c) above u, relative to u).

Theorem. Suppose rows b0 and b1 = b0 + p, b0 >= F, have the same state. Let R be the range
[min d, max z] over the rows b0 <= b < b1, d = u - b being the distance to the first free value
and z the value found. If p is a multiple of the period of every smaller tail that takes a value
in R, the sheet is periodic from b0 on with period p.

Proof. The value found at a row is decided by the state and by the relative content of the row
within [d, z], a part of R; there, content repeats with period p. By induction row b0 + i + k p has
the state of row b0 + i and finds the same z.

An excluded sheet (the same game with one pass fewer) counts as one more smaller tail, and F must
lie beyond its start and beyond the rows of declared N-positions of this sheet. States are
compared as in Brent's cycle search: with one saved state, renewed at steps 1, 2, 4, ... The tail
is then walked back to its true start and cut to its least period. Compare Byrnes, Poset Game
Periodicity, Integers 3 (2003), G3, who proves that every sheet ends in such a tail.
"""

from typing import Any

import numpy as np

from position_oracle.engine.solvers.compiled import bare_kernel
from position_oracle.engine.solvers.instructions import trailing_zeros
from position_oracle.engine.solvers.three_row.memory import (
    PATTERN_WORDS,
    Exclusions,
    Shared,
    Workspace,
)

_U0 = np.uint64(0)
_U1 = np.uint64(1)
_U63 = np.uint64(63)
_LARGEST_PERIOD = 1 << 40


@bare_kernel
def _first_unused(used: np.ndarray, b: int, low: int, high: int) -> int:
    word = b >> 6
    free = ~(used[word] | ((_U1 << np.uint64(b & 63)) - _U1))
    while free == _U0:
        word += 1
        if low <= word < high:
            word = high
        free = ~used[word]
    return (word << 6) + trailing_zeros(free)


@bare_kernel
def _last_used(used: np.ndarray) -> int:
    word = used.size - 1
    while used[word] == _U0:
        word -= 1
    bit = 63
    while (used[word] >> np.uint64(bit)) & _U1 == _U0:
        bit -= 1
    return (word << 6) + bit


@bare_kernel
def _pattern_word(used: np.ndarray, position: int) -> np.uint64:
    word = position >> 6
    s = np.uint64(position & 63)
    return (used[word] >> s) | ((used[word + 1] << _U1) << (_U63 - s))


@bare_kernel
def _common_period(shared: Shared, exclusions: Exclusions, c: int, low: int, high: int) -> int:
    """Return the least common multiple of periods of smaller tails with a value in [low, high]."""
    period = 1
    for tail in range(shared.head[0].periodic):
        if shared.tail_low[tail] <= high and shared.tail_high[tail] >= low:
            period = int(np.lcm(period, shared.tail_period[tail]))
            if period > _LARGEST_PERIOD:
                return period
    if exclusions.present and exclusions.period[c] > 1:
        for place in range(exclusions.tail_offset[c], exclusions.tail_offset[c + 1]):
            if low <= exclusions.tail_z[place] <= high:
                return int(np.lcm(period, exclusions.period[c]))
    return period


@bare_kernel
def _renew_common_period(shared: Shared, exclusions: Exclusions, state: Any, c: int) -> None:
    """Update ``common`` for the present range of values, which changes seldom."""
    low, high = state.least, state.greatest
    if state.common == 0 or low != state.common_least or high != state.common_greatest:
        state.common = _common_period(shared, exclusions, c, low, high)
        state.common_least = low
        state.common_greatest = high


@bare_kernel
def reduced(z: np.ndarray, start: int, period: int) -> tuple[int, int]:
    """Least start and least period of the tail that repeats ``z[start : start + period]``."""
    for divisor in range(1, period + 1):
        if period % divisor != 0:
            continue
        y = start
        while y < start + period - divisor and z[y] == z[y + divisor]:
            y += 1
        if y == start + period - divisor:
            period = divisor
            break
    while start > 0 and z[start - 1] == z[start - 1 + period]:
        start -= 1
    return start, period


@bare_kernel
def is_tail_proven(shared: Shared, exclusions: Exclusions, work: Workspace, c: int) -> bool:
    """Return whether the next row of sheet c and the saved one prove a tail; renew the latter."""
    used, pattern, state = work.used, work.pattern, work.state[0]
    b = state.next_row
    u = _first_unused(used, b, state.low, state.high)
    distance = u - b
    state.least = min(state.least, distance)
    if u <= state.dd_top:
        return False
    if state.top < 0:
        state.top = _last_used(used)
    width = max(state.top - u, 0)
    words = (width + 63) >> 6
    if words > PATTERN_WORDS:
        return False
    if state.power > 0 and distance == state.saved_distance and width == state.saved_width:
        same = True
        for word in range(words):
            same = same and pattern[word] == _pattern_word(used, u + 1 + 64 * word)
        if same:
            _renew_common_period(shared, exclusions, state, c)
            if (b - state.saved_row) % state.common == 0:
                return True
    if state.power == 0 or b - state.saved_row >= state.power:
        state.power = max(1, 2 * state.power)
        state.saved_row = b
        state.saved_distance = distance
        state.saved_width = width
        state.least = distance
        state.greatest = distance
        for word in range(words):
            pattern[word] = _pattern_word(used, u + 1 + 64 * word)
    return False
