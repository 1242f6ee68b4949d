"""Subtraction games and bounded-take Nim: certified periods; misere play by Ferguson."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from position_oracle.engine.budget import current
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.games.subtraction import set_of
from position_oracle.engine.theory import heap_sums, saturating, subtraction
from position_oracle.engine.theory.periodicity import ValueSequence
from position_oracle.engine.theory.subtraction import BoundedValues, SubtractionSet
from position_oracle.oracle.families.base import Family
from position_oracle.oracle.families.heap_sums import HeapSumProber, SingleHeaps
from position_oracle.oracle.families.octal_values import certificate_text
from position_oracle.schema.errors import UnknownAnswerError

MAX_HEAP: Final = 1 << 19
"""Largest heap whose value is computed from a list; beyond, by a certificate."""


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
        """In the order of the rules; heaps may be large, since few moves are looked at."""
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
        size = max(1 << 8, min(1 << largest.bit_length(), MAX_HEAP))
        known = self.shelf.cache.find(
            "subtraction values",
            (rules, size),
            lambda: subtraction.solve(rules, size - 1, current().check),
            lambda values: 64 if isinstance(values, BoundedValues) else values.values.nbytes,
        )
        if not known.knows(largest):
            raise UnknownAnswerError(
                f"{position.game.text}: values are computed up to heap {size - 1}, and certify no"
                " period; a longer table would decide it"
            )
        return SubtractionHeaps(rules, known, position.game.misere)

    def bound(self, position: Position) -> float:
        """Every smaller heap in place of each."""
        return saturating.product(heap + 1 for heap in position.coordinates)

    def smaller(self, game: GameSpec, coordinates: Coordinates) -> Coordinates:
        """Without the heaps that nobody can move in."""
        return subtraction.without_dead_heaps(set_of(game), coordinates)

    def describe(self) -> tuple[GameSpec, str]:
        """For the list of games."""
        return (
            GameSpec("subtraction", options=(("max", "3"),)),
            (
                "up to 64 heaps of any size where a period is certified, else up to"
                f" {MAX_HEAP - 1}, normal and misere; an odd number of passes: small heaps"
            ),
        )


FAMILY = Family(SubtractionProber)
