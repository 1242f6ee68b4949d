"""Subtraction games, including bounded Nim: a move takes an allowed number from one heap.

Grundy values are periodic for finitely many numbers, and arithmetic periodic for all numbers except
finitely many, with a certificate. Misere play follows by a theorem of Ferguson. Proofs:
docs/subtraction.md.

Source: E. R. Berlekamp, J. H. Conway and R. K. Guy, Winning Ways, chapters 4 and 13; A. N. Siegel,
Combinatorial Game Theory, chapter IV.1; T. S. Ferguson, On sums of graph games with last player
losing, Internat. J. Game Theory 3 (1974) 159-167.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import watched
from position_oracle.engine.theory import sums
from position_oracle.engine.theory.heap_sums import Heaps, distinct, grundy
from position_oracle.engine.theory.mex import mex
from position_oracle.engine.theory.periodicity import (
    Formula,
    HeapValues,
    PeriodCertificate,
    ValueSequence,
    certify_period,
    find_period,
    solve_by_tables,
)
from position_oracle.schema.errors import NotationError

TAKEN_MAX: Final = 2**63 - 1
"""Largest number that a move may take, and largest heap."""

LISTED_MAX: Final = 64
"""Maximum count of numbers that are written one by one; more are written as ranges."""

CHECK_EVERY: Final = 128

_FEW: Final = 32
"""Maximum count of numbers that are processed one by one."""

_RANGE: Final = re.compile(r"\s*([0-9]{1,19})\s*(?:-\s*([0-9]{1,19})\s*)?", re.ASCII)

Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class SubtractionSet:
    """The numbers of tokens that a move may take from one heap.

    Attributes:
        ranges: The least and the largest number of each run, ascending, with gaps between runs. All
            numbers from some number on: up to 2^63 - 1, as no heap is larger.

    Raises:
        NotationError: No number, or one below 1 or above 2^63 - 1.
    """

    ranges: Ranges

    def __post_init__(self) -> None:
        """Join adjacent runs, and refuse an empty or invalid set."""
        joined: list[tuple[int, int]] = []
        for first, last in sorted(self.ranges):
            if not 1 <= first <= last <= TAKEN_MAX:
                raise NotationError(
                    f"numbers {first} to {last}; allowed are 1 to {TAKEN_MAX} (2^63 - 1), ascending"
                )
            if joined and first <= joined[-1][1] + 1:
                joined[-1] = joined[-1][0], max(last, joined[-1][1])
            else:
                joined.append((first, last))
        if not joined:
            raise NotationError("a subtraction game has some number that may be taken")
        object.__setattr__(self, "ranges", tuple(joined))

    @classmethod
    def all_but(cls, ranges: Ranges) -> "SubtractionSet":
        """Return the set of all numbers except those of some ranges."""
        return cls(_gaps(cls(ranges).ranges))

    @property
    def bound(self) -> int | None:
        """The largest number if all from 1 on are allowed; None for other sets."""
        (first, last), *more = self.ranges
        return last if first == 1 and not more else None

    @property
    def is_all_but(self) -> bool:
        """Whether all numbers except finitely many may be taken."""
        return self.ranges[-1][1] == TAKEN_MAX

    @property
    def barred(self) -> Ranges:
        """The numbers that may not be taken, as ranges."""
        return _gaps(self.ranges)

    @property
    def largest(self) -> int:
        """The largest number that may be taken."""
        return self.ranges[-1][1]

    @property
    def option(self) -> str:
        """The option in the text of a game: `max=3`, `take=1+3+4` or `allbut=2`."""
        if self.bound is not None:
            return f"max={self.bound}"
        if self.is_all_but:
            return f"allbut={_written(self.barred)}"
        return f"take={_written(self.ranges)}"

    def allows(self, tokens: int) -> bool:
        """Return whether a move may take this number, given that the heap is large enough."""
        at = bisect_right(self.ranges, (tokens, TAKEN_MAX))
        return at > 0 and tokens <= self.ranges[at - 1][1]

    def takes_from(self, heap: int) -> Iterator[int]:
        """Yield the numbers that may be taken from a heap, the largest first."""
        for first, last in reversed(self.ranges):
            yield from range(min(heap, last), first - 1, -1)

    def count(self, heap: int) -> int:
        """Return the count of numbers that may be taken from a heap."""
        return sum(max(0, min(heap, last) - first + 1) for first, last in self.ranges)

    def upto(self, heap: int) -> NDArray[np.int64]:
        """Return the numbers that may be taken from a heap, ascending."""
        runs = [np.arange(f, min(heap, last) + 1) for f, last in self.ranges if f <= heap]
        return np.concatenate([*runs, np.zeros(0, np.int64)]).astype(np.int64)


def _gaps(ranges: Ranges) -> Ranges:
    """Return the numbers between ranges, from 1 to the largest number."""
    ends = [0, *(last for _, last in ranges)]
    begins = [*(first for first, _ in ranges), TAKEN_MAX + 1]
    return tuple(
        (last + 1, first - 1) for last, first in zip(ends, begins, strict=True) if last + 1 < first
    )


def _written(ranges: Ranges) -> str:
    if sum(last - first + 1 for first, last in ranges) <= LISTED_MAX:
        return "+".join(str(n) for first, last in ranges for n in range(first, last + 1))
    return "+".join(f"{first}-{last}" if first < last else f"{first}" for first, last in ranges)


def parse_set(option: str, text: str) -> SubtractionSet:
    """Read the numbers of `take=` or `allbut=`, e.g. `1+3+4` or `1-5+9`.

    Raises:
        NotationError: The text is not such a list.
    """
    parts = text.split("+") if len(text) <= 4096 else [""]
    found = [_RANGE.fullmatch(part) for part in parts]
    ranges = tuple((int(m[1]), int(m[2] or m[1])) for m in found if m)
    if len(ranges) < len(parts):
        raise NotationError(f"{option}={text[:40]!r}: write the numbers as 1+3+4 or 1-5+9")
    return SubtractionSet.all_but(ranges) if option == "allbut" else SubtractionSet(ranges)


def extend_values(
    rules: SubtractionSet, values: NDArray[np.int64], count: int
) -> NDArray[np.int64]:
    """Grundy values of the heaps 0..count - 1 by the definition, int64, from the first of them."""
    if rules.is_all_but:
        return _all_but_values(rules, count)
    numbers = rules.upto(count)
    if len(numbers) > _FEW:
        return _values_of_many(numbers, values, count)
    table = values.tolist()[:count]
    few = numbers.tolist()
    for heap in watched(range(len(table), count), CHECK_EVERY):
        table.append(mex(table[heap - taken] for taken in few if taken <= heap))
    return np.array(table, dtype=np.int64)


def _values_of_many(
    numbers: NDArray[np.int64], values: NDArray[np.int64], count: int
) -> NDArray[np.int64]:
    table = np.zeros(count, np.int64)
    table[: len(values)] = values[:count]
    seen = np.zeros(len(numbers) + 2, np.bool_)
    for heap in watched(range(len(values), count), 64):
        few = numbers[: np.searchsorted(numbers, heap, "right")]
        seen[: len(few) + 2] = False
        seen[table[heap - few]] = True
        table[heap] = np.argmin(seen)
    return table


def _all_but_values(rules: SubtractionSet, count: int) -> NDArray[np.int64]:
    """Return values, each the least whose heaps the heap cannot be moved to.

    Such a value either has a heap at a barred distance, or is the number of values so far, because
    values appear without gaps.
    """
    barred = {n for first, last in rules.barred for n in range(first, min(last, count) + 1)}
    of_value: list[tuple[int, ...]] = []  # tuples, which the garbage collector leaves alone
    table: list[int] = []
    for heap in watched(range(count), 64):
        for value in sorted({table[heap - number] for number in barred if number <= heap}):
            if all(heap - other in barred for other in of_value[value]):
                of_value[value] += (heap,)
                break
        else:
            value = len(of_value)
            of_value.append((heap,))
        table.append(value)
    return np.array(table, dtype=np.int64)


def certify(rules: SubtractionSet, values: NDArray[np.int64]) -> PeriodCertificate | None:
    """Return the period that one window certifies from a table, if any.

    If value(n + p) = value(n) for n0 <= n < n0 + m, where m is the largest number that may be
    taken, then it holds for all n >= n0: m consecutive values determine the next. If all numbers
    except finitely many may be taken, m is the largest exception; values rise by s in a period, and
    so does the largest value of the heaps 0..n0 - 1.
    """
    window = rules.ranges[-1][0] - 1 if rules.is_all_but else rules.largest
    if window >= len(values):
        return None
    if rules.is_all_but:
        return _certify_rise(values, max(window, 1))
    theorem = "the recurrence of all values a move leads to, over one window of the largest number"
    return certify_period(values, theorem, lambda start, p: start + p + window, window)


def _certify_rise(values: NDArray[np.int64], window: int) -> PeriodCertificate | None:
    """Certify a rise by theorem 5 of docs/subtraction.md."""
    steps = np.diff(values)
    steps -= steps.min(initial=0)
    found = find_period(steps, lambda start, period: start + period + window, window)
    if found is None:
        return None
    period = found[0]
    saltus = int(values[-1] - values[-1 - period])
    start = len(values) - period - window
    if saltus <= 0 or values[: start + period].max() - values[:start].max() != saltus:
        return None
    exceptions = np.flatnonzero(values[period:] - values[:-period] != saltus)
    last_exception = int(exceptions[-1]) if len(exceptions) else -1
    theorem = "the recurrence over one window of the largest number that may not be taken"
    return PeriodCertificate(
        theorem, period, last_exception, len(values) - 1, saltus, (True,) * period
    )


def solve_sequence(rules: SubtractionSet, heaps_max: int) -> ValueSequence:
    """Return values of heaps until a period is certified, or of 0..heaps_max.

    The function is for lists of numbers. With a bound, the value of n is n mod (bound + 1); use
    `bounded_values`, which needs no table.

    Args:
        rules: The game.
        heaps_max: The largest heap whose value may be computed; 100,000 take about 0.1 s for a list
            of a few numbers.
    """
    return solve_by_tables(
        lambda values, count: extend_values(rules, values, count),
        lambda values: certify(rules, values),
        heaps_max,
    )


def bounded_values(bound: int) -> Formula:
    """Return the values of bounded Nim: the heap modulo bound + 1."""
    return Formula(
        f"periodic with period {bound + 1}, no exception: heap mod period",
        lambda heaps: heaps if bound >= TAKEN_MAX else heaps % (bound + 1),
    )


def winning_moves(
    rules: SubtractionSet, heaps: Heaps, values: HeapValues, *, misere_play: bool = False
) -> Iterator[Heaps]:
    """Return children that are P-positions, heap by heap, without passes.

    Args:
        rules: The game.
        heaps: The position.
        values: The values of its heaps.
        misere_play: Whether the player who cannot move wins.

    Raises:
        UnknownAnswerError: The value of a heap is neither computed nor certified.
    """
    for heap, others in distinct(heaps):
        for taken in _takes_to_try(rules, heap, grundy(others, values), values):
            rest = (heap - taken,) if taken < heap else ()
            child = tuple(sorted(others + rest))
            if sums.is_p_position(map(values.at, child), misere=misere_play):
                yield child


def _takes_to_try(
    rules: SubtractionSet, heap: int, others: int, values: HeapValues
) -> Iterator[int]:
    """Return numbers that may win: if heaps by value are known, those to the others' nim-sum.

    In misere play a value that differs by 1 is tried, too.
    """
    if rules.bound is None:
        if rules.is_all_but and isinstance(values, ValueSequence):
            yield from _takes_to_values(rules, heap, {others, others ^ 1}, values)
        else:
            yield from watched(rules.takes_from(heap))
        return
    size = rules.bound + 1
    taken = {(heap - target) % size for target in (others, others ^ 1) if target < size}
    yield from sorted((number for number in taken if 0 < number <= heap), reverse=True)


def _takes_to_values(
    rules: SubtractionSet, heap: int, wanted: set[int], values: ValueSequence
) -> Iterator[int]:
    """Return the numbers that leave a heap of one of the given values, the largest first."""
    left = {rest for value in wanted for rest in values.heaps_worth(value) if rest < heap}
    yield from sorted((heap - rest for rest in left if rules.allows(heap - rest)), reverse=True)
