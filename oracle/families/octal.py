"""Octal games: values by recursion, and of every heap if a period is certified.

In misere play the misere quotient replaces the values, if one is found.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from position_oracle.engine.budget import Plan
from position_oracle.engine.games.octal import code_of
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.theory import heap_sums, octal
from position_oracle.engine.theory.octal import OctalCode
from position_oracle.engine.theory.periodicity import TABLE_START, Formula, HeapValues
from position_oracle.oracle.families.heap_sums import HeapSumProber, SingleHeaps
from position_oracle.oracle.families.misere_quotients import QUOTIENT_LOADERS, MisereQuotients
from position_oracle.oracle.families.octal_values import plan_octal_values
from position_oracle.oracle.families.sources import Ints

MAX_SPLITS = 300_000
"""Maximum number of ways to split heaps that are checked for winning moves."""


@dataclass(frozen=True, slots=True)
class OctalHeaps(SingleHeaps):
    """Values of single heaps of an octal game in normal play."""

    code: OctalCode
    sequence: HeapValues

    @property
    def certificate(self) -> str | None:
        """The certified period, or the formula."""
        return self.sequence.statement

    def grundy(self, coordinates: Coordinates) -> int:
        """Return the nim-sum of the values."""
        return heap_sums.grundy(coordinates, self.sequence)

    def values(self, rows: Ints) -> Ints:
        """Return values by the table and the period."""
        return self.sequence.many(rows)

    def winning_moves(self, coordinates: Coordinates) -> Iterator[Coordinates] | None:
        """Return winning moves in order; None for very large heaps that may be split."""
        if sum(_moves_in(self.code, heap) for heap in set(coordinates)) > MAX_SPLITS:
            return None
        return octal.winning_moves(self.code, coordinates, self.sequence)

    def one_winning_move(self, coordinates: Coordinates) -> Coordinates | None:
        """Return a winning move by the formula, from values before the period, or a small part."""
        if isinstance(self.sequence, Formula):
            return next(octal.winning_moves_by_form(self.code, coordinates, self.sequence), None)
        proof = self.sequence.certificate
        reach = most = MAX_SPLITS // max(1, len(coordinates))
        if proof is not None:
            reach = max(proof.last_exception, 0) + proof.period
        tries = None if proof is not None and self.code.parts <= 2 else most
        wins = octal.winning_moves(self.code, coordinates, self.sequence, reach, tries)
        return next(wins, None)


def _moves_in(code: OctalCode, heap: int) -> float:
    if code.splits or code.repeats:
        return octal.options_bound(code, heap)
    return float(len(code.digits))


class OctalProber(HeapSumProber):
    """Answers questions about octal games."""

    family = "octal"
    example = GameSpec("octal", options=(("code", "0.77"),))
    about = (
        "take-and-break codes, Grundy's game and Lasker's Nim among them; heaps of any size"
        " where a period is certified, else as far as values are computed; in misere play"
        " heaps of any size where the misere quotient is found, else small ones; an odd"
        " number of passes: small heaps"
    )
    loaders = QUOTIENT_LOADERS

    @cached_property
    def quotients(self) -> MisereQuotients:
        """The quotients for misere play."""
        return MisereQuotients(self.resources)

    def plan_heaps(self, game: GameSpec, heaps: Coordinates) -> Plan[SingleHeaps] | None:
        """Plan values in normal play, or the misere quotient in misere play."""
        code, largest = code_of(game), max(heaps, default=0)
        if game.misere:
            # Quotients are searched for codes with finitely many digits and at most two heaps left.
            known = code.has_theorem and code.has_long_tables
            return self.quotients.plan(game, largest) if known else None
        made = plan_octal_values(self.resources, code, largest)
        return Plan(made.cost, lambda: OctalHeaps(code, made.run()))

    def moves_in(self, game: GameSpec, heap: int) -> float:
        """Return the number of ways to split the heap."""
        return _moves_in(code_of(game), heap)

    move_seconds = 1e-6
    max_moves = MAX_SPLITS

    def warm_up(self) -> None:
        """Compile or load the kernels of long tables."""
        from position_oracle.engine.solvers.misere_quotients import find_quotient
        from position_oracle.engine.solvers.octal import extend_long

        code = octal.parse_code("0.007")
        values = octal.solve_sequence(code, TABLE_START - 1).values
        extend_long(code, values, 2 * len(values))
        find_quotient(octal.parse_code("0.26"), 16)


PROBER = OctalProber
