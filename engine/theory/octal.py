"""Take-and-break games: codes, moves, Grundy values, and the periodicity theorem of Guy and Smith.

A move takes k tokens from one heap and leaves of it nothing, one heap, two or three heaps, as the
digit d_k of the code d_0.d_1 d_2 ... allows by its bits 1, 2, 4 and 8; heaps left are not empty.
With `!` after the digit, heaps left together have different sizes. The last digits may repeat for
ever: `4.[3]`. The player who cannot move loses (misere: wins). Codes are written as in CGSuite
(github.com/aaron-siegel/cgsuite, TakeAndBreak): Grundy's game is `4!.0`.

Source: R. K. Guy and C. A. B. Smith, The G-values of various games, Proc. Cambridge Philos. Soc. 52
(1956) 514-526; E. R. Berlekamp, J. H. Conway and R. K. Guy, Winning Ways, chapter 4. Proofs:
docs/octal.md.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import watched
from position_oracle.engine.theory.heap_counts import (
    MAX_TOTAL,
    side_by_side,
    smaller_heaps,
    split_heaps,
    splits_up_to,
)
from position_oracle.engine.theory.heap_sums import Heaps, distinct, grundy
from position_oracle.engine.theory.mex import mex_of_bits
from position_oracle.engine.theory.option_sets import fill_table
from position_oracle.engine.theory.periodicity import (
    Formula,
    HeapValues,
    PeriodCertificate,
    ValueSequence,
    certify_period,
    solve_by_tables,
)
from position_oracle.schema.errors import NotationError

DIGITS_MAX: Final = 1024
"""Maximum number of digits after the point of a code."""

UNEQUAL: Final = 16
"""The bit of a digit which says that heaps left together have different sizes."""

BREAKS: Final = 4 | 8
"""The bits of a digit that leave several heaps."""

_CHUNK: Final = 1 << 15
"""Number of pairs of heaps that are processed together."""

_CODE: Final = re.compile(
    r"(?P<only>[048c]!?)|(?P<broken>[48c]!?)\.|(?P<first>(?:[048c]!?)?)\."
    r"(?=.)(?P<digits>(?:[0-9a-f]!?)*)(?:\[(?P<repeated>(?:[0-9a-f]!?)+)\])?",
    re.IGNORECASE | re.ASCII,
)
_DIGIT: Final = re.compile(r"([0-9a-f])(!?)", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class OctalCode:
    """The rules of a take-and-break game.

    Attributes:
        digits: d_0, d_1, ..., d_t, each in 0..15, plus `UNEQUAL` if heaps left together differ; d_0
            leaves two or three heaps, or is 0.
        repeats: The number of last digits that repeat for ever; 0 if d_t is the last that is not 0.

    Raises:
        NotationError: The digits are not a code.
    """

    digits: tuple[int, ...]
    repeats: int = 0

    def __post_init__(self) -> None:
        """Convert equal rules to one form, and refuse digits that are not a code."""
        digits, repeats = _shortest(self.digits, self.repeats)
        object.__setattr__(self, "digits", digits)
        object.__setattr__(self, "repeats", repeats)
        if not digits or digits[0] & 3 or not all(0 <= d < 2 * UNEQUAL for d in digits):
            raise NotationError(
                f"octal code {self.digits}: digits are 0 to F, the first one 0, 4, 8 or C"
            )
        if self.length > DIGITS_MAX:
            raise NotationError(
                f"octal code of {self.length} digits after the point; at most {DIGITS_MAX}"
            )

    @property
    def length(self) -> int:
        """t, the index of the last given digit: the maximum number taken if none repeat."""
        return len(self.digits) - 1

    @property
    def parts(self) -> int:
        """The maximum number of heaps that a move leaves of one heap, at least 1."""
        return max((digit & 15).bit_length() - 1 for digit in (*self.digits, 2))

    @property
    def splits(self) -> bool:
        """Whether some move leaves several heaps."""
        return self.parts > 1

    @property
    def has_theorem(self) -> bool:
        """Whether the theorem of Guy and Smith applies: finitely many digits, no `!`."""
        return not self.repeats and max(self.digits) < UNEQUAL

    @property
    def has_long_tables(self) -> bool:
        """Whether compiled code supports the rules: finite codes that leave at most two heaps."""
        return not self.repeats and self.parts <= 2

    def digit(self, place: int) -> int:
        """d_k for any k."""
        beyond = place - len(self.digits)
        if beyond < 0:
            return self.digits[place]
        return self.digits[beyond % self.repeats - self.repeats] if self.repeats else 0

    def takes_from(self, heap: int) -> Iterator[int]:
        """Yield numbers of tokens, among them all that moves may take, the largest first."""
        listed = min(self.length, heap)
        if heap > listed and self.repeats:
            if any(digit & 14 for digit in self.digits[-self.repeats :]):
                yield from range(heap, listed, -1)
            else:
                yield heap
        yield from range(listed, -1, -1)

    def __str__(self) -> str:
        texts = [f"{digit & 15:X}" + "!" * (digit >= UNEQUAL) for digit in self.digits]
        start = len(texts) - self.repeats
        tail = "".join(texts[1:start])
        if self.repeats:
            tail += f"[{''.join(texts[start:])}]"
        return f"{texts[0]}.{tail or '0'}"


def _shortest(digits: tuple[int, ...], repeats: int) -> tuple[tuple[int, ...], int]:
    """Return the digits and the number of repeating ones in canonical form."""
    plain = [digit if digit & BREAKS else digit & ~UNEQUAL for digit in digits]
    start = len(plain) - repeats
    head, tail = plain[:start], plain[start:]
    period = next(
        (p for p in range(1, repeats) if repeats % p == 0 and tail == tail[:p] * (repeats // p)),
        repeats,
    )
    tail = tail[:period]
    if not any(tail):
        while len(head) > 1 and head[-1] == 0:
            head.pop()
        return tuple(head), 0
    while len(head) > 1 and head[-1] == tail[-1]:
        tail = [head.pop(), *tail[:-1]]
    return (*head, *tail), len(tail)


def parse_code(text: str) -> OctalCode:
    """Read a code such as `0.77`, `.137`, `4.7`, `4!.0`, `0.3F` or `4.[3]`.

    Raises:
        NotationError: The text is not a code, or is too long.
    """
    match = _CODE.fullmatch(text.strip()) if len(text) <= 4 * DIGITS_MAX else None
    if match is None:
        raise NotationError(
            f"{text[:40]!r} is not an octal code; write 0.77, with at most {DIGITS_MAX} digits 0 to"
            " F after the point and 0, 4, 8 or C before it, ! after a digit for unequal heaps,"
            " and [ ] around last digits that repeat"
        )
    repeated = _read_digits(match["repeated"] or "")
    first = match["only"] or match["broken"] or match["first"] or "0"
    return OctalCode(_read_digits(first + (match["digits"] or "")) + repeated, len(repeated))


def _read_digits(text: str) -> tuple[int, ...]:
    return tuple(int(d, 16) | (UNEQUAL if mark else 0) for d, mark in _DIGIT.findall(text))


def splits_of(code: OctalCode, heap: int) -> Iterator[Heaps]:
    """Yield the heaps that a move may leave of one heap: (), (rest,), or two or three.

    Heaps ascend. The largest numbers of tokens come first; for each number, few heaps come before
    many, and small smallest heaps first. The list is lazy, because a large heap has many moves.
    """
    for taken in code.takes_from(heap):
        digit, rest = code.digit(taken), heap - taken
        differ = int(digit >= UNEQUAL)
        if rest == 0 and digit & 1:
            yield ()
        if rest > 0 and digit & 2:
            yield (rest,)
        if digit & 4:
            yield from _pairs(rest, 1, differ)
        if digit & 8:
            for part in range(1, rest // 3 + 1):
                for others in _pairs(rest - part, part + differ, differ):
                    yield (part, *others)


def _pairs(rest: int, least: int, differ: int) -> Iterator[tuple[int, int]]:
    return ((part, rest - part) for part in range(least, (rest - differ) // 2 + 1))


def may_leave(code: OctalCode, heap: int, left: Heaps) -> bool:
    """Return whether a move may leave these nonempty heaps of one heap; see `splits_of`."""
    taken = heap - sum(left)
    if len(left) > 3 or taken < 0 or min(left, default=1) < 1:
        return False
    digit = code.digit(taken)
    differ = digit < UNEQUAL or len(set(left)) == len(left)
    return bool(digit & (1, 2, 4, 8)[len(left)]) and differ


def has_move(code: OctalCode, heap: int) -> bool:
    """Return whether a heap has a move."""
    if heap > 0 and code.digit(heap) & 1:
        return True
    # The first repeating digit leaves the most, and allows every result that the others allow.
    return any(
        (rest >= 1 and digit & 2) or rest >= _least(digit)
        for digit, rest in zip(code.digits, range(heap, -1, -1), strict=False)
    )


def _least(digit: int) -> float:
    """Return the minimum number of tokens that a digit leaves as several heaps."""
    if digit & 4:
        return 3 if digit >= UNEQUAL else 2
    if digit & 8:
        return 6 if digit >= UNEQUAL else 3
    return float("inf")


def options_bound(code: OctalCode, heap: int) -> float:
    """Return an upper bound of the number of moves in a heap."""
    places = heap + 1 if code.repeats else min(heap, code.length) + 1
    return places * (1.0, 1 + heap / 2, 1 + heap / 2 + (heap + 3.0) ** 2 / 12)[code.parts - 1]


def position_bound(code: OctalCode, heaps: Sequence[int], least: int = 1) -> float:
    """Return an upper bound of the number of reachable positions.

    If heaps are split, each additional heap costs some tokens. If these are added to each heap, the
    sum never grows.

    Args:
        code: the game.
        heaps: the heaps at the beginning.
        least: smaller heaps are left out, such as those without moves.
    """
    if not code.splits:
        return smaller_heaps(heaps)
    taken = taken_by_splits(code)
    largest, total = max(heaps, default=0), sum(heap + taken for heap in heaps)
    if largest + taken > MAX_TOTAL:
        return math.inf
    splits = splits_up_to(largest + taken, least + taken, largest + taken)
    counts = {heap: splits[heap + taken] for heap in heaps}
    return min(side_by_side(heaps, counts), split_heaps(total, least + taken, largest + taken))


@lru_cache(maxsize=256)
def least_heap(code: OctalCode) -> int:
    """Return the smallest heap with a move; a number larger than all heaps if there is none."""
    beyond = len(code.digits) + 6
    return next((heap for heap in range(1, beyond) if has_move(code, heap)), beyond)


@lru_cache(maxsize=256)
def taken_by_splits(code: OctalCode) -> int:
    """Return a lower bound of the tokens that a move takes for each additional heap."""
    pairs = (taken for taken, digit in enumerate(code.digits) if digit & 4)
    triples = (taken // 2 for taken, digit in enumerate(code.digits) if digit & 8)
    return min((*pairs, *triples), default=0)


def extend_values(code: OctalCode, values: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Grundy values of the heaps 0..count - 1 by the definition, int64, from the first of them."""
    return fill_table(code, values, count, lambda _, options: mex_of_bits(options))


def certify(code: OctalCode, values: NDArray[np.int64]) -> PeriodCertificate | None:
    """Return the period that the theorem of Guy and Smith certifies from a table, if any.

    If value(n + p) = value(n) for n0 <= n < s n0 + (s - 1) p + t, where t is the largest number of
    tokens a move takes, s the most heaps it leaves and n0 >= 1, then it holds for all n >= n0. A
    game whose moves never leave two heaps is a subtraction game: one window of t values is enough.
    The theorem does not apply to repeating digits, or to heaps that must differ.

    Args:
        code: The game.
        values: Shape (heaps,), int64: the values of heaps 0, 1, ...
    """
    if not code.has_theorem:
        return None
    length, parts = max(code.length, 1), code.parts
    # Without splits the values of the last t heaps decide, from heap t + 1 on: parts is 1.
    window = min(64, len(values) // 2) if code.splits else length
    theorem = "the periodicity theorem of Guy and Smith (1956)"
    return certify_period(values, theorem, lambda n0, p: parts * (n0 + p) + length, window)


def solve_sequence(code: OctalCode, heaps_max: int) -> ValueSequence:
    """Return values of heaps until a period is certified, or of 0..heaps_max.

    Args:
        code: The game.
        heaps_max: The largest heap whose value may be computed. 8,192 take about 0.2 s without
            compiled code; `engine.solvers.octal` goes further.
    """
    return solve_by_tables(
        lambda values, count: extend_values(code, values, count),
        lambda values: certify(code, values),
        heaps_max,
    )


def winning_moves(
    code: OctalCode,
    heaps: Heaps,
    values: HeapValues,
    part_max: int | None = None,
    tries: int | None = None,
) -> Iterator[Heaps]:
    """Return children of value 0, heap by heap, in normal play without passes.

    Args:
        code: The game.
        heaps: The position.
        values: The values of its heaps.
        part_max: Splits are left out if a heap other than the largest exceeds this; None for no
            bound. With a certified period a position that has a winning move has one within
            `last_exception + period`, or within `period` if there is no exception.
        tries: The maximum number of moves checked in each heap; None for all.

    Raises:
        UnknownAnswerError: The value of a heap is neither computed nor certified.
    """
    total = grundy(heaps, values)
    if total == 0:
        return
    for heap, others in distinct(heaps):
        wanted = total ^ values.at(heap)
        for parts in _splits_worth(code, heap, wanted, values, part_max, tries):
            yield tuple(sorted(others + parts))


def _splits_worth(
    code: OctalCode,
    heap: int,
    wanted: int,
    values: HeapValues,
    part_max: int | None,
    tries: int | None,
) -> Iterator[Heaps]:
    """Return the splits of `splits_of` with a value, by arrays of pairs."""
    left = math.inf if tries is None else tries
    for taken in watched(code.takes_from(heap)):
        digit, rest = code.digit(taken), heap - taken
        if rest == 0 and digit & 1 and not wanted:
            yield ()
        if rest > 0 and digit & 2 and values.at(rest) == wanted:
            yield (rest,)
        left -= 1
        for fixed, parts in _runs(digit, rest, part_max):
            if left <= 0:
                return
            tried = parts[: int(min(left, len(parts)))]
            left -= len(tried)
            total = wanted ^ values.at(fixed)
            others = rest - fixed - tried
            for part in tried[values.many(tried) ^ values.many(others) == total].tolist():
                yield (fixed, part, rest - fixed - part) if fixed else (part, rest - part)


def _runs(digit: int, rest: int, part_max: int | None) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Return the smallest of three heaps (0 if two are left), with the smaller of the others."""
    differ = int(digit >= UNEQUAL)
    if digit & 4:
        yield from ((0, parts) for parts in _chunks(rest, 1, differ, part_max))
    if digit & 8:
        for part in range(1, (rest if part_max is None else min(rest, 3 * part_max)) // 3 + 1):
            for parts in _chunks(rest - part, part + differ, differ, part_max):
                yield part, parts


def _chunks(
    rest: int, least: int, differ: int, part_max: int | None
) -> Iterator[NDArray[np.int64]]:
    most = (rest - differ) // 2
    most = most if part_max is None else min(most, part_max)
    for begin in watched(range(least, most + 1, _CHUNK)):
        yield np.arange(begin, min(begin + _CHUNK, most + 1))


CLOSED_FORMS: Final = {
    parse_code("0.[3]"): Formula("Nim: a heap of n has the value n (Bouton 1902)", lambda n: n),
    parse_code("4.[3]"): Formula(
        "Lasker's Nim: 4k + 1, 4k + 2, 4k + 3 and 4k + 4 have the values 4k + 1, 4k + 2, 4k + 4 and"
        " 4k + 3 (Winning Ways, chapter 4)",
        lambda n: ((n - 1) ^ ((n - 1) >> 1 & (n > 0))) + 1,
    ),
}
"""The values of games with repeating digits, for heaps of every size (docs/octal.md)."""


def winning_moves_by_form(code: OctalCode, heaps: Heaps, values: Formula) -> Iterator[Heaps]:
    """Return winning moves to one heap of a given value, or to a small and a large heap.

    An N-position has at least one: some heap n must get a smaller value, which is that of a smaller
    heap, or, for n = 4k + 3 in Lasker's Nim, 4k + 3 = g(1) xor g(4k + 2).
    """
    total = grundy(heaps, values)
    for heap, others in distinct(heaps if total else ()):
        wanted = total ^ values.at(heap)
        for small in (0, 1):
            large = values.at(wanted ^ small)  # the formula is its own inverse
            parts = tuple(sorted(part for part in (small, large) if part))
            fits = large + small <= heap and may_leave(code, heap, parts)
            if fits and grundy(parts, values) == wanted:
                yield tuple(sorted(others + parts))
