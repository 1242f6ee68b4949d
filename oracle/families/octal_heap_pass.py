"""Octal games with a pass for each heap: values may rise; certified where they are regular."""

from collections.abc import Iterator
from dataclasses import dataclass

from position_oracle.engine.budget import Cost
from position_oracle.engine.games.octal import code_of
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory import octal, octal_pass
from position_oracle.engine.theory.heap_pass import PassHeaps
from position_oracle.engine.theory.octal import ClosedForm, OctalCode
from position_oracle.engine.theory.periodicity import TABLE_START, ValueSequence
from position_oracle.oracle.families.base import Family
from position_oracle.oracle.families.heap_sums import HeapSumProber, SingleHeaps
from position_oracle.oracle.families.octal_values import (
    certificate_text,
    octal_values,
    price_of_heaps,
)
from position_oracle.schema.errors import UnknownAnswerError

MAX_HEAP = 4095
"""Largest heap with a pass whose value is computed; beyond, by a certificate."""

BROKEN_HEAP = 255
"""The same where moves leave three heaps."""

_HEAP_SECONDS = 1.5e-5
_PAIR_SECONDS = 5e-6

MAX_SPLITS = 30_000
"""Most pairs of heaps that are looked at for winning moves."""


def _most(code: OctalCode) -> int:
    return BROKEN_HEAP if code.parts > 2 else MAX_HEAP


@dataclass(frozen=True, slots=True)
class PassHeapValues:
    """Single heaps in normal play, with and without their passes."""

    code: OctalCode
    plain: ValueSequence | ClosedForm
    with_pass: ValueSequence

    @property
    def certificate(self) -> str | None:
        """The certified regularity of heaps with their passes."""
        return certificate_text(self.with_pass.certificate)

    @property
    def theorem(self) -> str:
        """The theory of sums."""
        return "Sprague and Grundy: P exactly if the nim-sum of the values of the heaps is 0"

    def grundy(self, heaps: PassHeaps) -> int:
        """The nim-sum of the values."""
        return octal_pass.grundy(heaps, self.plain, self.with_pass)

    def is_p_position(self, heaps: PassHeaps) -> bool:
        """Whether the nim-sum is 0."""
        return self.grundy(heaps) == 0

    def winning_moves(self, heaps: PassHeaps) -> Iterator[PassHeaps] | None:
        """All children of value 0; None where there are too many to look at."""
        if sum(octal.options_bound(self.code, heap.size) for heap in heaps) > MAX_SPLITS:
            return None
        children = octal_pass.moves(self.code, heaps)
        return (child for child in dict.fromkeys(children) if self.is_p_position(child))

    def one_winning_move(self, heaps: PassHeaps) -> PassHeaps | None:
        """None is looked for."""
        return None


class OctalHeapPassProber(HeapSumProber):
    """Answers octal games in which heaps have passes of their own."""

    family = "octal_heap_pass"

    def heaps_of(self, position: Position) -> SingleHeaps | None:
        """In normal play."""
        if position.game.misere:
            return None
        code, heaps = code_of(position.game), position.value
        largest = max((heap.size for heap in heaps), default=0)
        plain = octal_values(self.shelf, code, largest)
        longest = max((heap.size for heap in heaps if heap.has_pass), default=0)
        size = max(TABLE_START, min(1 << longest.bit_length(), _most(code) + 1))
        with_pass = self.shelf.cache.find(
            "octal pass values",
            (code, size),
            lambda: octal_pass.solve_pass_sequence(code, size - 1),
            lambda values: values.values.nbytes,
        )
        if not with_pass.knows(longest):
            raise UnknownAnswerError(
                f"{position.game.text}: values of heaps with a pass are computed up to heap"
                f" {len(with_pass.values) - 1}, and certify no regularity"
            )
        return PassHeapValues(code, plain, with_pass)

    def price_of_heaps(self, game: GameSpec, largest: int) -> Cost:
        """Those of heaps with and without passes."""
        code = code_of(game)
        size = min(max(largest, TABLE_START), _most(code) + 1)
        seconds = _HEAP_SECONDS * size * min(len(code.digits), size)
        seconds += _PAIR_SECONDS * size**2 * (code.parts > 2)
        with_pass = Cost(0.002 + seconds)
        return price_of_heaps(self.shelf, code, largest) + with_pass

    def price_of_moves(self, game: GameSpec, heaps: tuple[int, ...]) -> Cost:
        """Pairs of heaps that a split may leave."""
        pairs = sum(octal.options_bound(code_of(game), heap) for heap in heaps)
        return Cost(2e-5 + _PAIR_SECONDS * max(0, min(pairs, MAX_SPLITS)))

    def describe(self) -> tuple[GameSpec, str]:
        """For the list of games."""
        return (
            GameSpec("octal_heap_pass", options=(("code", "0.77"),)),
            (
                "heaps with passes of their own, of any size where their values are certified, else"
                f" up to {MAX_HEAP}; misere play: small heaps"
            ),
        )


FAMILY = Family(OctalHeapPassProber)
