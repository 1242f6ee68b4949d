"""The game of divisors with any number of primes, by a table over all positions it can become.

A position is a set of numbers closed under divisors. With one bit a number, divisors before their
multiples, it is a machine word; a move clears bits, so the numeric order of the words puts children
before parents. Up to 64 divisors; for one or two primes `engine.solvers.boards` reaches further.
"""

from dataclasses import dataclass, field
from itertools import count
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import watched
from position_oracle.engine.games.position import Outcome
from position_oracle.engine.solvers.compile_cache import kernels_are_loaded
from position_oracle.engine.solvers.steps import steps
from position_oracle.engine.theory.divisors import (
    DivisorPosition,
    Factors,
    divisors,
    format_position,
    name,
)
from position_oracle.schema.errors import ResourceLimitError, UnknownAnswerError

MAX_DIVISORS: Final = 64
"""Most numbers left in a position that is solved here: one bit each."""
MAX_POSITIONS: Final = 2**19
"""Default limit on the positions inside the one asked about."""
MAX_SMALL: Final = 2**14
"""Most positions that are solved without compiled kernels."""
_STEP: Final = 2**11
"""Positions solved between two looks at the budget."""

WordArray = NDArray[np.uint64]
ValueArray = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class DivisorTable:
    """All positions that a game of divisors can become, with their values.

    Attributes:
        position: the position asked about.
        numbers: the numbers left in it; number i is bit i of a word.
        words: uint64 array (positions,), ascending; the first is the empty position.
        grundy: uint8 array, by index in `words`: Grundy value where 1 may not be named, 0 exactly
            at P-positions; the empty position has none, its entry is 0.
        remoteness: uint8 array: plies until only 1 is left, even exactly at P-positions; the empty
            position has none, its entry is 0.
    """

    position: DivisorPosition
    numbers: tuple[Factors, ...]
    words: WordArray = field(repr=False, compare=False)
    grundy: ValueArray = field(repr=False, compare=False)
    remoteness: ValueArray = field(repr=False, compare=False)

    def index(self, position: DivisorPosition) -> int:
        """Where a position that the game can become is found in the arrays.

        Raises:
            UnknownAnswerError: the game cannot become this position.
        """
        return int(np.searchsorted(self.words, self._word(position)))

    def count_inside(self, position: DivisorPosition) -> int:
        """How many positions a position can become, itself and the empty one included.

        Raises:
            UnknownAnswerError: the game cannot become this position.
        """
        return int(np.count_nonzero(self.words & ~self._word(position) == 0))

    def _word(self, position: DivisorPosition) -> np.uint64:
        if not all(map(self.position.has, position.numbers)):
            raise UnknownAnswerError(
                f"{format_position(position)} does not arise from {format_position(self.position)}"
            )
        word = sum(1 << bit for bit, number in enumerate(self.numbers) if position.has(number))
        return np.uint64(word)

    def outcome(self, position: DivisorPosition) -> Outcome:
        """P or N of a position that the game can become; N if even 1 has been named.

        Raises:
            UnknownAnswerError: the game cannot become this position.
        """
        found = self.index(position)
        return Outcome.P if found and self.grundy[found] == 0 else Outcome.N

    def winning_numbers(self, position: DivisorPosition) -> list[Factors]:
        """All numbers to name that leave a P-position, by ascending exponents.

        Raises:
            UnknownAnswerError: the game cannot become this position.
        """
        self.index(position)
        return [n for n in divisors(position) if self.outcome(name(position, n)) is Outcome.P]


def solve_divisors(position: DivisorPosition, *, limit: int = MAX_POSITIONS) -> DivisorTable:
    """Solve a position and everything that it can become.

    Raises:
        ResourceLimitError: more than `MAX_DIVISORS` numbers are left, or more than `limit`
            positions can arise.
    """
    numbers = []
    for number in divisors(position):
        numbers.append(number)
        if len(numbers) > MAX_DIVISORS:
            raise ResourceLimitError(
                f"{format_position(position)} has more than {MAX_DIVISORS} divisors; with three"
                f" primes or more at most {MAX_DIVISORS} are solved"
            )
    below, above = _order(numbers)
    words = np.zeros(1, np.uint64)
    for bit, needed in watched(enumerate(below), every=1):
        grown = words[words & needed == needed] | np.uint64(1 << bit)
        words = np.concatenate((words, grown))  # ascending: the new ones have the highest bit
        if len(words) > limit:
            raise ResourceLimitError(
                f"{format_position(position)} can become {len(words)} positions and more;"
                f" the limit is {limit}"
            )
    grundy = np.zeros(len(words), np.uint8)
    remoteness = np.zeros(len(words), np.uint8)
    if len(words) <= MAX_SMALL and not kernels_are_loaded():
        fill_small(words, ~above, grundy, remoteness)
        return DivisorTable(position, tuple(numbers), words, grundy, remoteness)
    from position_oracle.engine.solvers.ideal_kernels import fill

    for first, last in steps(1, len(words), _STEP):
        fill(words, ~above, grundy, remoteness, first, last)
    return DivisorTable(position, tuple(numbers), words, grundy, remoteness)


def _order(numbers: list[Factors]) -> tuple[WordArray, WordArray]:
    """For each number the words of its proper divisors and of its multiples, itself included."""
    exponents = [dict(number) for number in numbers]
    divides = np.array(
        [[all(b.get(p, 0) >= e for p, e in a.items()) for b in exponents] for a in exponents], bool
    ).reshape(len(numbers), len(numbers))
    bits = np.uint64(1) << np.arange(len(numbers), dtype=np.uint64)
    multiples = (divides * bits).sum(axis=1, dtype=np.uint64)
    return (divides.T * bits).sum(axis=1, dtype=np.uint64) - bits, multiples


def fill_small(
    words: WordArray, kept: WordArray, grundy: ValueArray, remoteness: ValueArray
) -> None:
    """What `ideal_kernels.fill` does, for all positions at once and without it."""
    places = {word: at for at, word in enumerate(words.tolist())}
    masks = kept.tolist()
    for word, at in watched(list(places.items())[1:]):
        children = [places[word & masks[bit]] for bit in range(1, len(masks)) if word >> bit & 1]
        reached = {int(grundy[child]) for child in children}
        grundy[at] = next(value for value in count() if value not in reached)
        plies = [int(remoteness[child]) for child in children]
        wins = [number for number in plies if number % 2 == 0]
        remoteness[at] = 1 + (min(wins) if wins else max(plies, default=-1))
