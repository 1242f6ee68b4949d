"""Grundy values of small families of three columns, by finite computation with bit masks.

The finite parts of type C and type E positions (Huddleston & Shurman, Transfinite Chomp, section
11) are columns b, c and d of which some stand in front of others. Values are computed once for all
heights below a power of two; nothing is computed for heights of `MAX_HEIGHT` and above.
"""

from collections.abc import Callable
from functools import cache, lru_cache

from position_oracle.engine.theory.mex import mex_of_bits

MAX_HEIGHT = 64
"""Heights below this one have computed values."""
SPLIT_BITS = 16
"""Maximum number of binary digits of columns b and c in the sparse family of `split_pair`."""
MAX_PAIRS = 2_000
"""Maximum number of pairs (b, c) that can be reached from the pair of a `split_pair` call."""
MAX_LINES = 20_000
"""Maximum number of pairs whose values are cached; others are computed again."""

_BITS = 1_024
_ALL = (1 << _BITS) - 1

FamilyTable = tuple[tuple[tuple[int, ...], ...], ...]
Allowed = Callable[[int, int], int]
"""Function that returns the mask of allowed values for b and c; 0 if there is none."""


def missing_corner(b: int, c: int, d: int) -> int | None:
    """Return the Grundy value of columns b, c and d <= min(b, c), where bites into b or c cut d.

    The result is None if a height is too large.
    """
    return _value(lambda size: _family(size, None, coupled=True), b, c, d)


def level_pair(b: int, c: int, d: int, *, coupled: bool) -> int | None:
    """Return the a at which [b d; a c] is balanced in the family Q: a^b = a^c = 1 modulo 3.

    `coupled` says that a bite into b or c cuts d, as in the paper's Q; otherwise the three columns
    are at different levels of w. It is defined if b ^ c is not a power of 2. The result is None for
    heights that are too large.
    """
    return _value(lambda size: _family(size, _pair_values, coupled=coupled), b, c, d)


def split_pair(b: int, c: int, d: int, *, coupled: bool) -> int | None:
    """Return the a for the rest of the family Q, where b ^ c is a power of 2.

    Bites within the family exchange one binary digit of b ^ c for another. So the family is sparse,
    and b and c may be larger than in `level_pair`. The result is None for heights that are too
    large.
    """
    if max(b, c).bit_length() > SPLIT_BITS or d >= MAX_HEIGHT:
        return None
    depth = 8
    while depth <= d:
        depth *= 2
    line = _split_line(b, c, depth, coupled=coupled)
    return None if line is None else line[d]


def arms(u: int, v: int, y: int) -> int | None:
    """Return the Grundy value of the L shape [v 0; u y], u >= max(v, y); None if too large."""
    return _value(_arms, max(v, y), min(v, y), u)


def is_power_of_two(n: int) -> bool:
    """Return whether n is 1, 2, 4, 8, ..."""
    return n > 0 and n & (n - 1) == 0


def _value(table: Callable[[int], FamilyTable], b: int, c: int, d: int) -> int | None:
    largest = max(b, c, d)
    if largest >= MAX_HEIGHT:
        return None
    size = 16
    while size <= largest:
        size *= 2
    value = table(size)[b][c][d]
    return None if value < 0 else value


@lru_cache(maxsize=9)
def _family(size: int, allowed: Allowed | None, *, coupled: bool) -> FamilyTable:
    """Return values of (b, c, d) by mex over bites into each column; -1 if not allowed or needed.

    Coupled columns have d <= min(b, c), and a bite of b or c below d cuts d to the same height.
    """
    values = [[[-1] * size for _ in range(size)] for _ in range(size)]
    over_b = [[0] * size for _ in range(size)]  # masks of (b', c, d), b' < b, by c and d
    cut_b = [[0] * size for _ in range(size)]  # masks of (b', c, b'), b' < d
    for b in range(size):
        over_c = [0] * size
        cut_c = [0] * size
        for c in range(size):
            over_d = 0
            free_here = _ALL if allowed is None else allowed(b, c)
            for d in range(min(b, c) + 1 if coupled else size):
                used = over_b[c][d] | over_c[d] | over_d
                if coupled:
                    used |= cut_b[c][d] | cut_c[d]
                value = mex_of_bits(used | ~free_here)
                values[b][c][d] = value
                if value >= 0:
                    bit = 1 << value
                    over_b[c][d] |= bit
                    over_c[d] |= bit
                    over_d |= bit
            if coupled:
                _cut(cut_b[c], values[b][c][b] if b <= c else -1, b)
                _cut(cut_c, values[b][c][c] if c <= b else -1, c)
    return tuple(tuple(tuple(line) for line in plane) for plane in values)


def _cut(masks: list[int], value: int, height: int) -> None:
    """Record a position cut at a height for all d above it."""
    if value >= 0:
        for d in range(height + 1, len(masks)):
            masks[d] |= 1 << value


@lru_cache(maxsize=1)
def _residues() -> tuple[int, ...]:
    """Return for each b the mask of all a with a ^ b = 1 modulo 3."""
    return tuple(sum(1 << a for a in range(_BITS) if (a ^ b) % 3 == 1) for b in range(MAX_HEIGHT))


def _pair_values(b: int, c: int) -> int:
    return 0 if is_power_of_two(b ^ c) else _residues()[b] & _residues()[c]


Pair = tuple[int, int]
PairLines = dict[Pair, tuple[int, ...]]
"""Values by d for pairs (b, c). Threads share it, so only complete lines are inserted."""


@cache
def _split_lines(_depth: int, _coupled: bool) -> PairLines:
    """Return the lines of the sparse family found so far."""
    return {}


def _split_line(b: int, c: int, depth: int, *, coupled: bool) -> tuple[int, ...] | None:
    """Return the values of (b, c, d), d < depth; None if (b, c) reaches too many pairs.

    Pairs of known lines count, too, so that the existence of an answer depends only on (b, c).
    """
    known = _split_lines(depth, coupled)
    line = known.get((b, c))
    if line is not None:
        return line
    pairs = _pairs_within_reach(b, c)
    if pairs is None:
        return None
    lines: PairLines = {}
    # A bite lowers b or c, so pairs with a smaller sum come first.
    for pair in sorted(pairs, key=sum):
        found = known.get(pair)
        lines[pair] = _solve_line(pair, depth, lines, coupled=coupled) if found is None else found
    if len(known) > MAX_LINES:
        known.clear()
    known.update(lines)
    return lines[b, c]


def _pairs_within_reach(b: int, c: int) -> set[Pair] | None:
    """Return (b, c) and all pairs reached by bites within the family; None above `MAX_PAIRS`."""
    reached, pending = {(b, c)}, [(b, c)]
    while pending:
        for pair in _split_pairs(*pending.pop()):
            if pair not in reached:
                reached.add(pair)
                pending.append(pair)
        if len(reached) > MAX_PAIRS:
            return None
    return reached


def _solve_line(pair: Pair, depth: int, lines: PairLines, *, coupled: bool) -> tuple[int, ...]:
    """Return the values of a pair by d, from the lines of all pairs that it leads to."""
    lefts = [(lines[left], min(left)) for left in _split_pairs(*pair)]
    values: list[int] = []
    reached = 0
    for d in range(min(*pair, depth - 1) + 1 if coupled else depth):
        used = reached
        for line, lowest in lefts:
            used |= 1 << line[min(d, lowest) if coupled else d]
        values.append(mex_of_bits(used))
        reached |= 1 << values[-1]
    return tuple(values)


def _split_pairs(b: int, c: int) -> list[tuple[int, int]]:
    """Return the pairs of the family that a bite into b or into c leaves."""
    digits = [1 << k for k in range(max(b, c).bit_length())]
    return [(c ^ digit, c) for digit in digits if c ^ digit < b] + [
        (b, b ^ digit) for digit in digits if b ^ digit < c
    ]


@lru_cache(maxsize=3)
def _arms(size: int) -> FamilyTable:
    """Return values of the L shape by (longer arm v, shorter arm y, corner u); -1 elsewhere."""
    values = [[[-1] * size for _ in range(size)] for _ in range(size)]
    for v in range(size):
        for y in range(v + 1):
            # Cutting all three columns at k < v leaves (k, k, y), or a box when k < y.
            lower = 0
            for k in range(v):
                lower |= 1 << (values[k][y][k] if k >= y else k)
            for u in range(v, size):
                used = lower
                for k in range(v):
                    used |= 1 << values[max(k, y)][min(k, y)][u]
                for k in range(y):
                    used |= 1 << values[v][k][u]
                value = mex_of_bits(used)
                values[v][y][u] = value
                lower |= 1 << value
    return tuple(tuple(tuple(line) for line in plane) for plane in values)
