"""Octal games: codes, moves, Grundy values, and the periodicity theorem of Guy and Smith.

A move takes k tokens from one heap and leaves of it nothing, one heap or two heaps, as the digit
d_k of the code d_0.d_1 d_2 ... allows by its bits 1, 2 and 4; heaps left are not empty. Whoever
cannot move loses (misere: wins).

Source: R. K. Guy and C. A. B. Smith, The G-values of various games, Proc. Cambridge Philos. Soc. 52
(1956) 514-526; E. R. Berlekamp, J. H. Conway and R. K. Guy, Winning Ways, chapter 4. Proofs:
docs/octal.md.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.theory import saturating
from position_oracle.engine.theory.heap_sums import Heaps, distinct, grundy
from position_oracle.engine.theory.periodicity import PeriodCertificate, ValueSequence, find_period
from position_oracle.schema.errors import NotationError

DIGITS_MAX: Final = 16
"""Most digits behind the point of a code."""

TABLE_START: Final = 256
"""How many values are computed first; doubled until a period is certified."""

PARTITIONS_MAX: Final = 200
"""Partitions are counted up to this number; those of 200 are 4 x 10^12, too many for any search."""

CHECK_EVERY: Final = 256
"""After how many heaps a caller may stop the work; at most a few milliseconds."""

_CODE: Final = re.compile(r"(?P<first>[04]?)\.(?P<digits>[0-7]+)|(?P<only>[04])")


@dataclass(frozen=True, slots=True)
class OctalCode:
    """The rules of an octal game.

    Attributes:
        digits: d_0, d_1, ..., d_t, each in 0..7, d_0 being 0 or 4 and d_t not 0 unless t = 0.

    Raises:
        NotationError: Digits that make no code.
    """

    digits: tuple[int, ...]

    def __post_init__(self) -> None:
        """Drop zeros at the end, and refuse what is no code."""
        digits = self.digits
        while len(digits) > 1 and digits[-1] == 0:
            digits = digits[:-1]
        object.__setattr__(self, "digits", digits)
        if not digits or digits[0] not in {0, 4} or not all(0 <= d <= 7 for d in digits):
            raise NotationError(
                f"octal code {self.digits}: digits are 0 to 7, the first one 0 or 4"
            )
        if self.length > DIGITS_MAX:
            raise NotationError(
                f"octal code of {self.length} digits behind the point; at most {DIGITS_MAX}"
            )

    @property
    def length(self) -> int:
        """t: the largest number of tokens that a move takes."""
        return len(self.digits) - 1

    @property
    def splits(self) -> bool:
        """Whether some move leaves two heaps."""
        return any(digit & 4 for digit in self.digits)

    def __str__(self) -> str:
        return f"{self.digits[0]}." + ("".join(map(str, self.digits[1:])) or "0")


def parse_code(text: str) -> OctalCode:
    """Read a code such as `0.77`, `.137` or `4.7`; zeros at the end do not count.

    Raises:
        NotationError: The text is no octal code, or a longer one than is read.
    """
    match = _CODE.fullmatch(text.strip()) if len(text) <= 64 else None
    if match is None:
        raise NotationError(
            f"{text[:40]!r} is no octal code; write 0.77, with at most {DIGITS_MAX} digits 0 to 7"
            " behind the point and 0 or 4 before it"
        )
    first = match["only"] or match["first"] or "0"
    return OctalCode(tuple(map(int, first + (match["digits"] or ""))))


def splits_of(code: OctalCode, heap: int, part_max: int | None = None) -> Iterator[Heaps]:
    """What a move may leave of one heap: (), (rest,) or (smaller, larger).

    The most tokens first; for each number of them nothing or one heap before two, and among pairs
    the least smaller heap first. Lazy, as a large heap has many.

    Args:
        code: The game.
        heap: The heap.
        part_max: Leave out the pairs whose smaller heap is larger than this; None for no bound.
    """
    for taken in range(min(code.length, heap), -1, -1):
        digit, rest = code.digits[taken], heap - taken
        if rest == 0 and digit & 1:
            yield ()
        if rest > 0 and digit & 2:
            yield (rest,)
        if digit & 4:
            most = rest // 2 if part_max is None else min(rest // 2, part_max)
            yield from ((part, rest - part) for part in range(1, most + 1))


def may_leave(code: OctalCode, heap: int, left: Heaps) -> bool:
    """Whether a move may leave these heaps, none empty, of one heap; see `splits_of`."""
    taken = heap - sum(left)
    if len(left) > 2 or not 0 <= taken <= code.length or min(left, default=1) < 1:
        return False
    return bool(code.digits[taken] & (1, 2, 4)[len(left)])


def has_move(code: OctalCode, heap: int) -> bool:
    """Whether anything can be done with a heap."""
    small = _small_heaps_with_moves(code)
    return small[min(heap, len(small) - 1)]


@lru_cache(maxsize=256)
def _small_heaps_with_moves(code: OctalCode) -> tuple[bool, ...]:
    """For the heaps 0..t + 2 whether they have a move; all larger ones are as that of t + 2."""
    heaps = range(code.length + 3)
    return tuple(next(splits_of(code, heap), None) is not None for heap in heaps)


def without_dead_heaps(code: OctalCode, heaps: Heaps) -> Heaps:
    """The position without the heaps that nobody can move in; the same game, passes included."""
    small = _small_heaps_with_moves(code)
    last = len(small) - 1
    if all(small[1:]):
        return heaps
    return tuple(heap for heap in heaps if small[heap if heap < last else last])


def position_bound(code: OctalCode, heaps: Sequence[int]) -> float:
    """At least as many positions as can be reached, for the price of a search.

    A heap of n leaves at most the heaps of one size up to n, or, where heaps are split, the
    partitions of the numbers up to n.
    """
    if not code.splits:
        return saturating.product(heap + 1 for heap in heaps)
    return saturating.product(_partitions_up_to(min(heap, PARTITIONS_MAX)) for heap in heaps)


@lru_cache(maxsize=PARTITIONS_MAX + 1)
def _partitions_up_to(number: int) -> int:
    """How many partitions the numbers 0..number have together."""
    counts = [1] + [0] * number
    for part in range(1, number + 1):
        for total in range(part, number + 1):
            counts[total] += counts[total - part]
    return sum(counts)


def extend_values(
    code: OctalCode,
    values: NDArray[np.int64],
    count: int,
    check: Callable[[], None] | None = None,
) -> NDArray[np.int64]:
    """Grundy values of the heaps 0..count - 1 by the definition.

    Args:
        code: The game.
        values: The first values, shape (heaps,), int64; may be empty.
        count: How many values to give.
        check: Called now and then; what it raises ends the work.

    Returns:
        Shape (count,), int64.
    """
    table = np.zeros(count, dtype=np.int64)
    table[: len(values)] = values[:count]
    seen = np.zeros(_scratch(int(table.max(initial=0))), dtype=np.bool_)
    for heap in range(len(values), count):
        if check is not None and heap % CHECK_EVERY == 0:
            check()
        seen.fill(False)
        _mark_options(code, table, heap, seen)
        table[heap] = value = int(np.argmin(seen))
        if _scratch(value) > len(seen):
            seen = np.zeros(_scratch(value), dtype=np.bool_)
    return table


def certify(code: OctalCode, values: NDArray[np.int64]) -> PeriodCertificate | None:
    """The period that the theorem of Guy and Smith certifies from a table, if it does.

    If value(n + p) = value(n) for n0 <= n < 2 n0 + p + t, where t is the largest number of tokens a
    move takes and n0 >= 1, then it holds for all n >= n0. A game whose moves never leave two heaps
    is a subtraction game: one window of t values is enough.

    Args:
        code: The game.
        values: Shape (heaps,), int64: the values of heaps 0, 1, ...
    """
    length = max(code.length, 1)
    if not code.splits:
        # From heap t + 1 on, the values of the last t heaps decide.
        found = find_period(values, lambda n0, p: n0 + p + length, length)
    else:
        window = min(64, len(values) // 2)
        found = find_period(values, lambda n0, p: 2 * n0 + 2 * p + length, window)
    if found is None:
        return None
    period, last_exception = found
    return PeriodCertificate(
        "the periodicity theorem of Guy and Smith (1956)",
        period,
        last_exception,
        len(values) - 1,
    )


def solve_sequence(
    code: OctalCode, heaps_max: int, check: Callable[[], None] | None = None
) -> ValueSequence:
    """Values of heaps up to where a period is certified, or of 0..heaps_max if none is before.

    Args:
        code: The game.
        heaps_max: The largest heap whose value may be computed. 8,192 take about 0.2 s without
            compiled code; `engine.solvers.octal` goes further.
        check: Called now and then; what it raises ends the work.
    """
    values = np.zeros(0, dtype=np.int64)
    while True:
        count = min(max(TABLE_START, 2 * len(values)), heaps_max + 1)
        values = extend_values(code, values, count, check)
        certificate = certify(code, values)
        if certificate is not None or count > heaps_max:
            return ValueSequence(values, certificate)


def winning_moves(
    code: OctalCode, heaps: Heaps, sequence: ValueSequence, part_max: int | None = None
) -> Iterator[Heaps]:
    """Children of value 0, in the order of `moves`; normal play without passes.

    Args:
        code: The game.
        heaps: The position.
        sequence: The values of its heaps.
        part_max: As for `splits_of`. With a certified period a position that has a winning move
            has one within `last_exception + period`, or within `period` if there is no exception.

    Raises:
        UnknownAnswerError: A heap whose value is neither computed nor certified.
    """
    total = grundy(heaps, sequence)
    if total == 0:
        return
    for heap, others in distinct(heaps):
        wanted = total ^ sequence.at(heap)
        for parts in splits_of(code, heap, part_max):
            if grundy(parts, sequence) == wanted:
                yield tuple(sorted(others + parts))


def _scratch(largest: int) -> int:
    """Entries that hold every nim-sum of two numbers up to `largest`, and one more."""
    return int(2 << largest.bit_length()) + 1


def _mark_options(
    code: OctalCode, values: NDArray[np.int64], heap: int, seen: NDArray[np.bool_]
) -> None:
    for taken, digit in enumerate(code.digits):
        rest = heap - taken
        if rest < 0:
            return
        if rest == 0 and digit & 1:
            seen[0] = True
        if rest > 0 and digit & 2:
            seen[values[rest]] = True
        if rest > 1 and digit & 4:
            half = rest // 2
            seen[values[1 : half + 1] ^ values[rest - half : rest][::-1]] = True
