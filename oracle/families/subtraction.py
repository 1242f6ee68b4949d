"""Subtraction games and bounded-take Nim: certified periods; misere play by Ferguson."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from position_oracle.engine.budget import Cost
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.games.subtraction import set_of
from position_oracle.engine.theory import heap_sums, subtraction
from position_oracle.engine.theory.periodicity import ValueSequence
from position_oracle.engine.theory.subtraction import BoundedValues, SubtractionSet
from position_oracle.oracle.families.base import LOOK_UP, Family
from position_oracle.oracle.families.heap_sums import HeapSumProber, SingleHeaps
from position_oracle.oracle.families.octal_values import certificate_text
from position_oracle.schema.errors import UnknownAnswerError

MAX_HEAP: Final = 1 << 19
"""Most heaps whose values are computed from a list; beyond, by a certificate."""

MAX_STEPS: Final = 1 << 27
"""Most numbers that are looked at for a table; where many may be taken it is shorter."""

MAX_LOOKED: Final = 100_000
"""Most moves that are looked at for those that win."""

_STEP_SECONDS: Final = 5e-9
_HEAP_SECONDS: Final = 3e-6
_MOVE_SECONDS: Final = 4e-6


def _size(rules: SubtractionSet, largest: int) -> int:
    """The length of the table for a heap."""
    size = max(1 << 8, min(1 << largest.bit_length(), MAX_HEAP))
    while size > 1 << 8 and size * _steps(rules, size) > MAX_STEPS:
        size //= 2
    return size


def _steps(rules: SubtractionSet, size: int) -> int:
    """How many numbers are looked at for a heap of a table, at most."""
    numbers = rules.count(size)
    return 16 * (1 + size - numbers) if rules.is_all_but else numbers


def _looked_at(rules: SubtractionSet, heaps: Coordinates) -> int:
    """How many moves are looked at for those that win; few where heaps of a value are known."""
    if rules.bound is not None or rules.is_all_but:
        return len(heaps)
    return sum(rules.count(heap) for heap in set(heaps))


@dataclass(frozen=True, slots=True)
class SubtractionHeaps:
    """Single heaps of a subtraction game."""

    rules: SubtractionSet
    known: BoundedValues | ValueSequence
    misere: bool

    @property
    def certificate(self) -> str | None:
        """The certified period."""
        if isinstance(self.known, BoundedValues):
            return f"periodic with period {self.known.bound + 1}, no exception: heap mod period"
        return certificate_text(self.known.certificate)

    @property
    def theorem(self) -> str:
        """The theory of sums, or Ferguson's theorem in misere play."""
        if self.misere:
            return (
                "Ferguson's theorem: in misere play P exactly if the nim-sum of the values of the"
                " heaps is 0, or 1 where none exceeds 1"
            )
        return "Sprague and Grundy: P exactly if the nim-sum of the values of the heaps is 0"

    def grundy(self, coordinates: Coordinates) -> int:
        """The nim-sum of the values."""
        return heap_sums.grundy(coordinates, self.known)

    def is_p_position(self, coordinates: Coordinates) -> bool:
        """By the nim-sum, or Ferguson's theorem."""
        return subtraction.is_p_position(coordinates, self.known, misere_play=self.misere)

    def winning_moves(self, coordinates: Coordinates) -> Iterator[Coordinates] | None:
        """In the order of the rules; None where there are too many moves to look at."""
        if _looked_at(self.rules, coordinates) > MAX_LOOKED:
            return None
        return subtraction.winning_moves(
            self.rules, coordinates, self.known, misere_play=self.misere
        )

    def one_winning_move(self, coordinates: Coordinates) -> Coordinates | None:
        """Not needed: all are listed."""
        return None


class SubtractionProber(HeapSumProber):
    """Answers subtraction games."""

    family = "subtraction"

    def heaps_of(self, position: Position) -> SingleHeaps:
        """In both kinds of play."""
        rules = set_of(position.game)
        largest = max(position.coordinates, default=0)
        size = _size(rules, largest)
        known = self.shelf.cache.find(
            "subtraction values",
            (rules, size),
            lambda: subtraction.solve(rules, size - 1),
            lambda values: 64 if isinstance(values, BoundedValues) else values.values.nbytes,
        )
        if not known.knows(largest):
            raise UnknownAnswerError(
                f"{position.game.text}: values are computed up to heap {size - 1}, and certify no"
                " period; a longer table would decide it"
            )
        return SubtractionHeaps(rules, known, position.game.misere)

    def price_of_heaps(self, game: GameSpec, largest: int) -> Cost:
        """What a table takes; nothing for bounded Nim, or where it is known."""
        rules = set_of(game)
        size = _size(rules, largest)
        if rules.bound is not None or self.shelf.cache.has("subtraction values", (rules, size)):
            return Cost()
        seconds = 0.002 + size * (_HEAP_SECONDS + _steps(rules, size) * _STEP_SECONDS)
        return Cost(seconds, 64 * size)

    def price_of_moves(self, game: GameSpec, heaps: tuple[int, ...]) -> Cost:
        """Looking at moves for those that win."""
        looked_at = _looked_at(set_of(game), heaps)
        return LOOK_UP + Cost(_MOVE_SECONDS * min(looked_at, MAX_LOOKED))

    def describe(self) -> tuple[GameSpec, str]:
        """For the list of games."""
        return (
            GameSpec("subtraction", options=(("max", "3"),)),
            (
                "take=, max= and allbut=; up to 64 heaps of any size where a period is certified,"
                f" else up to {MAX_HEAP - 1} or less, normal and misere; an odd number of passes:"
                " small heaps"
            ),
        )


FAMILY = Family(SubtractionProber)
