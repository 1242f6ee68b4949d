"""Subtraction games: take one of certain numbers of tokens from one heap; bounded Nim is one.

Grundy values are periodic, with a certified period; misere play follows from them by a theorem of
Ferguson. Proofs: docs/subtraction.md.

Source: E. R. Berlekamp, J. H. Conway and R. K. Guy, Winning Ways, chapters 4 and 13; T. S.
Ferguson, On sums of graph games with last player losing, Internat. J. Game Theory 3 (1974) 159-167.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.theory import misere
from position_oracle.engine.theory.heap_sums import Heaps, HeapValues, distinct, grundy
from position_oracle.engine.theory.periodicity import PeriodCertificate, ValueSequence, find_period
from position_oracle.schema.errors import NotationError

NUMBERS_MAX: Final = 64
"""Most numbers in a set that is listed (`take=`)."""

TAKEN_MAX: Final = 2**63 - 1
"""Largest number that a move may take."""

TABLE_START: Final = 256
CHECK_EVERY: Final = 1024


@dataclass(frozen=True, slots=True)
class SubtractionSet:
    """The numbers of tokens that a move may take from one heap.

    Attributes:
        numbers: In ascending order, each once; empty if every number up to `bound` is allowed.
        bound: The largest number where all from 1 on are allowed; None where they are listed. A
            list 1, 2, ..., n becomes the bound n, so that one game has one form.

    Raises:
        NotationError: No number, a number below 1, or more numbers than are read.
    """

    numbers: tuple[int, ...] = ()
    bound: int | None = None

    def __post_init__(self) -> None:
        """Bring the set to its one form, and refuse what is none."""
        numbers = tuple(sorted(set(self.numbers)))
        if self.bound is not None and not 1 <= self.bound <= TAKEN_MAX:
            raise NotationError(f"max={self.bound}; allowed are 1 to {TAKEN_MAX} (2^63 - 1)")
        if (self.bound is None) != bool(numbers):
            raise NotationError("a subtraction game has either max=... or take=...")
        if numbers and not 1 <= numbers[0] <= numbers[-1] <= TAKEN_MAX:
            raise NotationError(f"take={numbers[0]}...; allowed are 1 to {TAKEN_MAX} (2^63 - 1)")
        if len(numbers) > NUMBERS_MAX:
            raise NotationError(
                f"take= lists {len(numbers)} numbers; at most {NUMBERS_MAX} are read"
            )
        if numbers and numbers[-1] == len(numbers):
            object.__setattr__(self, "bound", len(numbers))
            numbers = ()
        object.__setattr__(self, "numbers", numbers)

    @property
    def least(self) -> int:
        """The least number that may be taken; no move is left from smaller heaps."""
        return self.numbers[0] if self.numbers else 1

    @property
    def largest(self) -> int:
        """The largest number that may be taken."""
        return self.numbers[-1] if self.bound is None else self.bound

    @property
    def option(self) -> str:
        """The option in the text of a game: `max=3` or `take=1+3+4`."""
        if self.bound is not None:
            return f"max={self.bound}"
        return "take=" + "+".join(map(str, self.numbers))

    def allows(self, tokens: int) -> bool:
        """Whether this number may be taken, where there are as many."""
        return 1 <= tokens <= self.bound if self.bound is not None else tokens in self.numbers

    def takes_from(self, heap: int) -> Iterator[int]:
        """The numbers that may be taken from a heap, the largest first."""
        if self.bound is not None:
            yield from range(min(heap, self.bound), 0, -1)
        else:
            yield from (number for number in reversed(self.numbers) if number <= heap)


def parse_numbers(text: str) -> SubtractionSet:
    """Read the numbers of `take=`, e.g. `1+3+4`.

    Raises:
        NotationError: The text is no such list.
    """
    parts = [part.strip() for part in text.split("+")] if len(text) <= 4096 else [""]
    if not all(part.isascii() and part.isdigit() and len(part) <= 19 for part in parts):
        raise NotationError(f"take={text[:40]!r}: write the numbers as 1+3+4")
    return SubtractionSet(tuple(map(int, parts)))


def left_of(rules: SubtractionSet, heap: int) -> Iterator[Heaps]:
    """What a move leaves of one heap, the largest number taken first, as in Nim."""
    for taken in rules.takes_from(heap):
        yield (heap - taken,) if taken < heap else ()


def without_dead_heaps(rules: SubtractionSet, heaps: Heaps) -> Heaps:
    """The position without the heaps that nobody can move in; the same game, passes included."""
    return tuple(heap for heap in heaps if heap >= rules.least)


def extend_values(
    rules: SubtractionSet,
    values: NDArray[np.int64],
    count: int,
    check: Callable[[], None] | None = None,
) -> NDArray[np.int64]:
    """Grundy values of the heaps 0..count - 1 by the definition.

    Args:
        rules: The game.
        values: The first values, shape (heaps,), int64; may be empty.
        count: How many values to give.
        check: Called now and then; what it raises ends the work.

    Returns:
        Shape (count,), int64.
    """
    table = values.tolist()[:count]
    for heap in range(len(table), count):
        if check is not None and heap % CHECK_EVERY == 0:
            check()
        options = {table[heap - taken] for taken in rules.takes_from(heap)}
        value = 0
        while value in options:
            value += 1
        table.append(value)
    return np.array(table, dtype=np.int64)


def certify(rules: SubtractionSet, values: NDArray[np.int64]) -> PeriodCertificate | None:
    """The period that one window certifies from a table, if it does.

    If value(n + p) = value(n) for n0 <= n < n0 + m, where m is the largest number that may be
    taken, then it holds for all n >= n0: m values in a row determine the next.
    """
    window = rules.largest
    if window >= len(values):
        return None
    found = find_period(values, lambda start, period: start + period + window, window)
    if found is None:
        return None
    period, last_exception = found
    theorem = "the recurrence of all values a move leads to, over one window of the largest number"
    return PeriodCertificate(theorem, period, last_exception, len(values) - 1)


def solve_sequence(
    rules: SubtractionSet, heaps_max: int, check: Callable[[], None] | None = None
) -> ValueSequence:
    """Values of heaps up to where a period is certified, or of 0..heaps_max if none is before.

    With a bound n instead of a list the values are n mod (bound + 1), and no table is needed; then
    `BoundedValues` answers at once, and this is for lists.

    Args:
        rules: The game.
        heaps_max: The largest heap whose value may be computed; 100,000 take about 0.1 s for a list
            of a few numbers.
        check: Called now and then; what it raises ends the work.
    """
    values = np.zeros(0, dtype=np.int64)
    while True:
        count = min(max(TABLE_START, 2 * len(values)), heaps_max + 1)
        values = extend_values(rules, values, count, check)
        certificate = certify(rules, values)
        if certificate is not None or count > heaps_max:
            return ValueSequence(values, certificate)


@dataclass(frozen=True, slots=True)
class BoundedValues:
    """The values of bounded Nim: the heap modulo bound + 1."""

    bound: int

    def knows(self, heap: int) -> bool:
        """Every heap has a known value."""
        return heap >= 0

    def at(self, heap: int) -> int:
        """The Grundy value of a heap of any size."""
        return heap % (self.bound + 1)


def solve(
    rules: SubtractionSet, heaps_max: int, check: Callable[[], None] | None = None
) -> BoundedValues | ValueSequence:
    """The values of single heaps: by formula for bounded Nim, else as in `solve_sequence`."""
    if rules.bound is not None:
        return BoundedValues(rules.bound)
    return solve_sequence(rules, heaps_max, check)


def is_p_position(heaps: Iterable[int], values: HeapValues, *, misere_play: bool = False) -> bool:
    """Whether the previous player wins, without passes; heaps of any number and known value.

    Raises:
        UnknownAnswerError: A heap whose value is neither computed nor certified.
    """
    if misere_play:
        return misere.is_p_position(map(values.at, heaps))
    return grundy(heaps, values) == 0


def winning_moves(
    rules: SubtractionSet, heaps: Heaps, values: HeapValues, *, misere_play: bool = False
) -> Iterator[Heaps]:
    """Children that are P-positions, in the order of `moves`; without passes.

    Args:
        rules: The game.
        heaps: The position.
        values: The values of its heaps.
        misere_play: Whether who cannot move wins.

    Raises:
        UnknownAnswerError: A heap whose value is neither computed nor certified.
    """
    for heap, others in distinct(heaps):
        for taken in _takes_to_try(rules, heap, grundy(others, values)):
            rest = (heap - taken,) if taken < heap else ()
            child = tuple(sorted(others + rest))
            if is_p_position(child, values, misere_play=misere_play):
                yield child


def _takes_to_try(rules: SubtractionSet, heap: int, others: int) -> Iterator[int]:
    """Numbers that may win: in bounded Nim, those that leave the value of the others or near."""
    if rules.bound is None:
        yield from rules.takes_from(heap)
        return
    size = rules.bound + 1
    taken = {(heap - target) % size for target in (others, others ^ 1) if target < size}
    yield from sorted((number for number in taken if 0 < number <= heap), reverse=True)
