"""Octal games: values by recursion, and of every heap where a period is certified.

In misere play the misere quotient takes the place of the values, where one is found.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from position_oracle.engine.budget import Cost, current
from position_oracle.engine.games.octal import code_of
from position_oracle.engine.games.position import Outcome, Position
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.games.unordered import MAX_HEAPS
from position_oracle.engine.theory import heap_sums, octal
from position_oracle.engine.theory.octal import ClosedForm, OctalCode
from position_oracle.engine.theory.periodicity import TABLE_START, ValueSequence
from position_oracle.oracle.families.base import (
    LOOK_UP,
    Family,
    Outcomes,
    check_not_negative,
)
from position_oracle.oracle.families.base import Coordinates as Rows
from position_oracle.oracle.families.heap_sums import HeapSumProber, SingleHeaps
from position_oracle.oracle.families.misere_quotients import QUOTIENT_LOADERS, MisereQuotients
from position_oracle.oracle.families.octal_values import (
    certificate_text,
    octal_values,
    price_of_heaps,
)
from position_oracle.schema.errors import UnknownAnswerError

_PAIR_SECONDS = 5e-7

MAX_SPLITS = 300_000
"""Most ways to split heaps that are looked at for winning moves."""


def _options(code: OctalCode, heaps: Coordinates) -> float:
    return sum(octal.options_bound(code, heap) for heap in set(heaps))


def _has_quotients(code: OctalCode) -> bool:
    """Whether misere quotients are looked for: finitely many digits, at most two heaps left."""
    return code.has_theorem and code.has_long_tables


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

    @cached_property
    def quotients(self) -> MisereQuotients:
        """What answers in misere play."""
        return MisereQuotients(self.shelf)

    def heaps_of(self, position: Position) -> SingleHeaps | None:
        """By the values in normal play, by the misere quotient in misere play."""
        code = code_of(position.game)
        if position.game.misere:
            largest = max(position.coordinates, default=0)
            return self.quotients.of(position.game, largest) if _has_quotients(code) else None
        values = octal_values(self.shelf, code, max(position.coordinates, default=0))
        return OctalHeaps(code, values)

    def price_of_heaps(self, game: GameSpec, largest: int) -> Cost:
        """See `octal_values` and `MisereQuotients`."""
        if game.misere:
            known = _has_quotients(code_of(game))
            return self.quotients.price(game, largest) if known else LOOK_UP
        return price_of_heaps(self.shelf, code_of(game), largest)

    def price_of_moves(self, game: GameSpec, heaps: tuple[int, ...]) -> Cost:
        """What splits may leave."""
        splits = _options(code_of(game), heaps)
        return Cost(2e-5 + 2 * _PAIR_SECONDS * max(0, min(splits, MAX_SPLITS)))

    def known_outcomes(self, game: GameSpec, coordinates: Rows) -> Outcomes:
        """Of misere play by array operations, where a quotient knows the largest heap."""
        plain = game.misere and game.passes % 2 == 0 and coordinates.ndim == 2
        plain = plain and _has_quotients(code_of(game))
        if not plain or not coordinates.size or coordinates.shape[1] > MAX_HEAPS:
            return super().known_outcomes(game, coordinates)
        check_not_negative(coordinates, self.rules.form, "heaps")
        try:
            heaps = self.quotients.of(game, int(coordinates.max()))
        except UnknownAnswerError:
            return super().known_outcomes(game, coordinates)
        is_p = heaps.outcomes(coordinates)
        return np.where(is_p, np.uint8(Outcome.P), np.uint8(Outcome.N))

    def warm_up(self) -> None:
        """Compile or load what values of long tables need."""
        from position_oracle.engine.solvers.misere_quotients import find_quotient
        from position_oracle.engine.solvers.octal import extend_long

        code = octal.parse_code("0.007")
        values = octal.solve_sequence(code, TABLE_START - 1).values
        extend_long(code, values, 2 * len(values), current().flag)
        find_quotient(octal.parse_code("0.77"), 2)

    def describe(self) -> tuple[GameSpec, str]:
        """For the list of games."""
        return (
            GameSpec("octal", options=(("code", "0.77"),)),
            (
                "take-and-break codes, Grundy's game and Lasker's Nim among them; heaps of any size"
                " where a period is certified, else as far as values are computed; in misere play"
                " heaps of any size where the misere quotient is found, else small ones; an odd"
                " number of passes: small heaps"
            ),
        )


FAMILY = Family(OctalProber, QUOTIENT_LOADERS)
