"""Subtraction games and bounded-take Nim: certified periods; misere play by Ferguson."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from position_oracle.engine.budget import Cost, Plan
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.games.subtraction import set_of
from position_oracle.engine.theory import heap_sums, subtraction, sums
from position_oracle.engine.theory.periodicity import Formula, ValueSequence
from position_oracle.engine.theory.subtraction import SubtractionSet
from position_oracle.oracle.families.heap_sums import (
    SPRAGUE_GRUNDY,
    HeapSumProber,
    SingleHeaps,
)
from position_oracle.oracle.families.sources import Ints

MAX_HEAP: Final = 1 << 19
"""Maximum number of heaps whose values are computed from a list; a certificate covers larger
heaps."""

MAX_STEPS: Final = 1 << 27
"""Maximum number of numbers that are visited for a table; tables with many allowed takings are
shorter."""

MAX_LOOKED: Final = 100_000
"""Maximum number of moves that are checked for winning ones."""

_STEP_SECONDS: Final = 5e-9
_BARRED_SECONDS: Final = 2e-8
"""Seconds to visit a number of the list, and a number of those that are barred."""

_HEAP_SECONDS: Final = 3e-6


def _size(rules: SubtractionSet, largest: int) -> int:
    """Return the length of the table for a heap."""
    size = max(1 << 8, min(1 << largest.bit_length(), MAX_HEAP))
    while size > 1 << 8 and size * _steps(rules, size) > MAX_STEPS:
        size //= 2
    return size


def _steps(rules: SubtractionSet, size: int) -> int:
    """Return an upper bound of the numbers visited for one heap of a table."""
    numbers = rules.count(size)
    return 16 * (1 + size - numbers) if rules.is_all_but else numbers


def _moves_in(rules: SubtractionSet, heap: int) -> float:
    """Return the number of moves to check; few if the heaps of each value are known."""
    if rules.bound is not None:
        return 1.0
    return 1 + min(heap, MAX_HEAP) / 2000 if rules.is_all_but else float(rules.count(heap))


@dataclass(frozen=True, slots=True)
class SubtractionHeaps(SingleHeaps):
    """Values of single heaps of a subtraction game."""

    rules: SubtractionSet
    known: Formula | ValueSequence
    misere: bool

    @property
    def certificate(self) -> str | None:
        """The certified period."""
        return self.known.statement

    @property
    def theorem(self) -> str:
        """The theory of sums, or Ferguson's theorem in misere play."""
        if self.misere:
            return (
                "Ferguson's theorem: in misere play P exactly if the nim-sum of the values of the"
                " heaps is 0, or 1 where none exceeds 1"
            )
        return SPRAGUE_GRUNDY

    def grundy(self, coordinates: Coordinates) -> int:
        """Return the nim-sum of the values."""
        return heap_sums.grundy(coordinates, self.known)

    def is_p_position(self, coordinates: Coordinates) -> bool:
        """Return the outcome by the nim-sum, or by Ferguson's theorem."""
        return sums.is_p_position(map(self.known.at, coordinates), misere=self.misere)

    def values(self, rows: Ints) -> Ints:
        """Return values by the table and the period."""
        return self.known.many(rows)

    def winning_moves(self, coordinates: Coordinates) -> Iterator[Coordinates] | None:
        """Return winning moves in the order of the rules; None if there are too many to check."""
        if sum(_moves_in(self.rules, heap) for heap in set(coordinates)) > MAX_LOOKED:
            return None
        return subtraction.winning_moves(
            self.rules, coordinates, self.known, misere_play=self.misere
        )


class SubtractionProber(HeapSumProber):
    """Answers questions about subtraction games."""

    family = "subtraction"
    example = GameSpec("subtraction", options=(("max", "3"),))
    about = (
        "take=, max= and allbut=; up to 64 heaps of any size where a period is certified,"
        f" else up to {MAX_HEAP - 1} or less, normal and misere; an odd number of passes:"
        " small heaps"
    )

    def plan_heaps(self, game: GameSpec, heaps: Coordinates) -> Plan[SingleHeaps]:
        """Plan the values for both kinds of play."""
        rules, largest, cache = set_of(game), max(heaps, default=0), self.resources.cache
        if rules.bound is not None:
            known = subtraction.bounded_values(rules.bound)
            return Plan(Cost(), lambda: SubtractionHeaps(rules, known, game.misere))
        size = _size(rules, largest)

        def run() -> SingleHeaps:
            known = cache.find(
                "subtraction values",
                (rules, size),
                lambda: subtraction.solve_sequence(rules, size - 1),
                lambda values: values.values.nbytes,
            )
            return SubtractionHeaps(rules, known, game.misere)

        step = _BARRED_SECONDS if rules.is_all_but else _STEP_SECONDS
        seconds = 0.002 + size * (_HEAP_SECONDS + _steps(rules, size) * step)
        is_cached = cache.has("subtraction values", (rules, size))
        cost = Cost(seconds, 64 * size).once("subtraction", rules, size, is_cached=is_cached)
        return Plan(cost, run)

    def moves_in(self, game: GameSpec, heap: int) -> float:
        """Return the number of takings allowed from a heap."""
        return _moves_in(set_of(game), heap)

    max_moves = MAX_LOOKED


PROBER = SubtractionProber
