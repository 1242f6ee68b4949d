"""Octal games: values by recursion, and of every heap where a period is certified."""

from collections.abc import Iterator
from dataclasses import dataclass

from position_oracle.engine.budget import Price, current
from position_oracle.engine.games.octal import code_of
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.theory import heap_sums, octal
from position_oracle.engine.theory.octal import ClosedForm, OctalCode
from position_oracle.engine.theory.periodicity import ValueSequence
from position_oracle.oracle.families.base import Family
from position_oracle.oracle.families.heap_sums import HeapSumProber, SingleHeaps
from position_oracle.oracle.families.octal_values import (
    certificate_text,
    octal_values,
    price_of_heaps,
)

_PAIR_SECONDS = 5e-7

MAX_SPLITS = 300_000
"""Most ways to split heaps that are looked at for winning moves."""


def _options(code: OctalCode, heaps: Coordinates) -> float:
    return sum(octal.options_bound(code, heap) for heap in set(heaps))


@dataclass(frozen=True, slots=True)
class OctalHeaps:
    """Single heaps of an octal game in normal play."""

    code: OctalCode
    sequence: ValueSequence | ClosedForm

    @property
    def certificate(self) -> str | None:
        """The certified period, or the formula."""
        if isinstance(self.sequence, ClosedForm):
            return self.sequence.statement
        return certificate_text(self.sequence.certificate)

    @property
    def theorem(self) -> str:
        """The theory of sums."""
        return "Sprague and Grundy: P exactly if the nim-sum of the values of the heaps is 0"

    def grundy(self, coordinates: Coordinates) -> int:
        """The nim-sum of the values."""
        return heap_sums.grundy(coordinates, self.sequence)

    def is_p_position(self, coordinates: Coordinates) -> bool:
        """Whether the nim-sum is 0."""
        return self.grundy(coordinates) == 0

    def winning_moves(self, coordinates: Coordinates) -> Iterator[Coordinates] | None:
        """In the order of the rules; None for heaps of hundreds of thousands that may be split."""
        may_be_many = self.code.splits or self.code.repeats
        if may_be_many and _options(self.code, coordinates) > MAX_SPLITS:
            return None
        return octal.winning_moves(self.code, coordinates, self.sequence)

    def one_winning_move(self, coordinates: Coordinates) -> Coordinates | None:
        """By the formula, within the values that do not repeat, or with a small part."""
        if isinstance(self.sequence, ClosedForm):
            return next(octal.winning_moves_by_form(self.code, coordinates, self.sequence), None)
        proof = self.sequence.certificate
        reach = most = MAX_SPLITS // max(1, len(coordinates))
        if proof is not None:
            reach = max(proof.last_exception, 0) + proof.period
        tries = None if proof is not None and self.code.parts <= 2 else most
        wins = octal.winning_moves(self.code, coordinates, self.sequence, reach, tries)
        return next(wins, None)


class OctalProber(HeapSumProber):
    """Answers octal games."""

    family = "octal"

    def heaps_of(self, position: Position) -> SingleHeaps | None:
        """In normal play."""
        if position.game.misere:
            return None
        code = code_of(position.game)
        values = octal_values(self.shelf, code, max(position.coordinates, default=0))
        return OctalHeaps(code, values)

    def price_of_heaps(self, game: GameSpec, largest: int) -> Price:
        """See `octal_values`."""
        return price_of_heaps(self.shelf, code_of(game), largest)

    def price_of_moves(self, game: GameSpec, heaps: tuple[int, ...]) -> Price:
        """What splits may leave."""
        splits = _options(code_of(game), heaps)
        return Price(2e-5 + 2 * _PAIR_SECONDS * max(0, min(splits, MAX_SPLITS)))

    def warm_up(self) -> None:
        """Compile or load what values of long tables need."""
        from position_oracle.engine.solvers.octal import extend_long

        code = octal.parse_code("0.007")
        values = octal.solve_sequence(code, octal.TABLE_START - 1).values
        extend_long(code, values, 2 * len(values), current().flag)

    def describe(self) -> tuple[GameSpec, str]:
        """For the list of games."""
        return (
            GameSpec("octal", options=(("code", "0.77"),)),
            (
                "take-and-break codes, Grundy's game and Lasker's Nim among them; heaps of any size"
                " where a period is certified, else as far as values are computed; an odd number"
                " of passes and misere play: small heaps"
            ),
        )


FAMILY = Family(OctalProber)
