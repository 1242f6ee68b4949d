"""When is a tail proven? The careful walk and its certificate.

Let F be a row such that every smaller sheet has stopped before F or is in its (certified) tail
from F on; then for b >= F the relative content { a - b : a in row(b) } is the union of periodic
sets, one for each smaller sheet with a tail. Let b >= F in sheet c, and let u be the first value
>= b that is in neither col(c) nor dd(c). If u lies above every deadly diagonal, what follows
depends on b only through row contents and through the state

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

import numpy as np

from engine.solvers.compiled import bare_kernel
from engine.solvers.instructions import trailing_zeros
from engine.solvers.three_row.memory import H_PERIODIC, TILE, Board, Exclusions, Workspace
from engine.solvers.three_row.rows import row_place
from engine.solvers.three_row.walk import FULL

__all__ = [
    "FIELDS",
    "PATTERN_WORDS",
    "S_DD_TOP",
    "S_DECLARED",
    "S_DONE",
    "S_FROM",
    "S_HIGH",
    "S_LOW",
    "S_NEXT",
    "S_PERIOD",
    "S_POWER",
    "S_START",
    "S_TOP",
    "careful_walk",
]

PATTERN_WORDS = 64

S_NEXT, S_LOW, S_HIGH, S_DONE, S_DD_TOP, S_DECLARED, S_FROM, S_TOP = range(8)
S_ROW, S_DISTANCE, S_WIDTH, S_POWER, S_MIN, S_MAX, S_START, S_PERIOD = range(8, 16)
S_COMMON, S_COMMON_MIN, S_COMMON_MAX = range(16, 19)
FIELDS = 19

_U0 = np.uint64(0)
_U1 = np.uint64(1)
_U6 = np.uint64(6)
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
    return (word << 6) + int(trailing_zeros(free))


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
def _common_period(board: Board, exclusions: Exclusions, c: int, low: int, high: int) -> int:
    """Least common multiple of the periods of smaller tails with a value in [low, high]."""
    period = 1
    for tail in range(board.head[H_PERIODIC]):
        if board.tail_low[tail] <= high and board.tail_high[tail] >= low:
            period = int(np.lcm(period, board.tail_period[tail]))
            if period > _LARGEST_PERIOD:
                return period
    if exclusions.present and exclusions.period[c] > 1:
        for place in range(exclusions.tail_offset[c], exclusions.tail_offset[c + 1]):
            if low <= exclusions.tail_z[place] <= high:
                return int(np.lcm(period, exclusions.period[c]))
    return period


@bare_kernel
def _renew_common_period(board: Board, exclusions: Exclusions, state: np.ndarray, c: int) -> None:
    """Keep S_COMMON for the present range of values: asked at every row, it changes seldom."""
    low, high = state[S_MIN], state[S_MAX]
    if state[S_COMMON] == 0 or low != state[S_COMMON_MIN] or high != state[S_COMMON_MAX]:
        state[S_COMMON] = _common_period(board, exclusions, c, low, high)
        state[S_COMMON_MIN] = low
        state[S_COMMON_MAX] = high


@bare_kernel
def _reduce(z: np.ndarray, start: int, period: int) -> tuple[int, int]:
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
def _tail_proven(
    board: Board,
    exclusions: Exclusions,
    used: np.ndarray,
    state: np.ndarray,
    pattern: np.ndarray,
    c: int,
    b: int,
) -> bool:
    """Whether the state of row b proves, with the saved one, a tail; renews the saved one."""
    u = _first_unused(used, b, state[S_LOW], state[S_HIGH])
    if u <= state[S_DD_TOP]:
        return False
    if state[S_TOP] < 0:
        state[S_TOP] = _last_used(used)
    distance = u - b
    width = max(state[S_TOP] - u, 0)
    words = (width + 63) >> 6
    if words > PATTERN_WORDS:
        return False
    if state[S_POWER] > 0 and distance == state[S_DISTANCE] and width == state[S_WIDTH]:
        same = True
        for word in range(words):
            same = same and pattern[word] == _pattern_word(used, u + 1 + 64 * word)
        if same:
            _renew_common_period(board, exclusions, state, c)
            if (b - state[S_ROW]) % state[S_COMMON] == 0:
                return True
    if state[S_POWER] == 0 or b - state[S_ROW] >= state[S_POWER]:
        state[S_POWER] = max(1, 2 * state[S_POWER])
        state[S_ROW] = b
        state[S_DISTANCE] = distance
        state[S_WIDTH] = width
        state[S_MIN] = distance
        state[S_MAX] = distance
        for word in range(words):
            pattern[word] = _pattern_word(used, u + 1 + 64 * word)
    state[S_MIN] = min(state[S_MIN], distance)
    return False


@bare_kernel
def careful_walk(
    board: Board,
    exclusions: Exclusions,
    work: Workspace,
    j: int,
    c: int,
    end: int,
    certify: bool,
) -> bool:
    """Walk sheet c from its next row to ``end``, with declared positions and certificates.

    Sets S_DONE, S_START, S_PERIOD when the sheet stops or its tail is proven. Returns False when
    the ring of words is too small.
    """
    state = work.states[j]
    used = work.used[j]
    z = work.z[j]
    mask = board.word_count - 1
    while state[S_NEXT] < end:
        b = state[S_NEXT]
        if (
            certify
            and b >= state[S_FROM]
            and _tail_proven(board, exclusions, used, state, work.patterns[j], c, b)
        ):
            start, period = _reduce(z, state[S_ROW] - c, b - state[S_ROW])
            state[S_START] = start
            state[S_PERIOD] = period
            state[S_DONE] = 1
            return True
        listed = state[S_DECLARED]
        listed_end = exclusions.declared_offset[c + 1]
        while listed < listed_end and exclusions.declared_b[listed] < b:
            listed += 1
        state[S_DECLARED] = listed
        place = row_place(board, b)
        word = np.int64(board.first[b % board.row_count])
        last = word + board.word_count
        barred = work.excluded[b & (TILE - 1)]
        free = _U0
        while True:
            if word >= last:
                return False
            line = place + (word & mask) * TILE
            free = ~(board.rows[line] | used[word])
            if exclusions.present and np.int64(barred >> _U6) == word:
                free &= ~(_U1 << (barred & _U63))
            while listed < listed_end and exclusions.declared_b[listed] == b:
                a = exclusions.declared_a[listed]
                if a >> 6 > word:
                    break
                if a >> 6 == word:
                    free &= ~(_U1 << np.uint64(a & 63))
                listed += 1
            if free != _U0:
                break
            word += 1
            if state[S_LOW] <= word < state[S_HIGH]:
                word = state[S_HIGH]
        bit = free & (_U0 - free)
        board.rows[line] |= bit
        used[word] |= bit
        while used[state[S_HIGH]] == FULL:
            state[S_HIGH] += 1
        a = (word << 6) + np.int64(trailing_zeros(free))
        z[b - c] = a - b
        state[S_NEXT] = b + 1
        if state[S_TOP] >= 0:
            state[S_TOP] = max(state[S_TOP], a)
        state[S_MAX] = max(state[S_MAX], a - b)
        if a == b:
            state[S_START] = b + 1 - c
            state[S_PERIOD] = 0
            state[S_DONE] = 1
            return True
    return True
