"""Nim with one pass for each heap: by a closed form, in normal and misere play."""

from collections.abc import Iterator
from dataclasses import dataclass

from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory import heap_pass
from position_oracle.engine.theory.heap_pass import PassHeaps
from position_oracle.oracle.families.base import Family
from position_oracle.oracle.families.heap_sums import HeapSumProber, SingleHeaps


@dataclass(frozen=True, slots=True)
class NimPassHeaps:
    """Heaps of Nim that may have passes of their own."""

    misere: bool

    @property
    def certificate(self) -> str | None:
        """A closed form needs none."""
        return None

    @property
    def theorem(self) -> str:
        """The value of a heap with its pass."""
        misere = "; in misere play also 1 where none exceeds 1, and 0 else" if self.misere else ""
        return (
            "theorem on heaps with passes of their own (docs/nim-passes.md): a heap of n with its"
            f" pass is worth ((n - 1) xor 1) + 1; P if the nim-sum is 0{misere}"
        )

    def grundy(self, heaps: PassHeaps) -> int:
        """The nim-sum of the values."""
        return heap_pass.grundy(heaps)

    def is_p_position(self, heaps: PassHeaps) -> bool:
        """By the nim-sum."""
        return heap_pass.is_p_position(heaps, misere_play=self.misere)

    def winning_moves(self, heaps: PassHeaps) -> Iterator[PassHeaps]:
        """In the order of the rules, for heaps of any size."""
        found = heap_pass.winning_moves(heaps, misere_play=self.misere)
        return iter(dict.fromkeys(map(heap_pass.canonical, found)))

    def one_winning_move(self, heaps: PassHeaps) -> PassHeaps | None:
        """Not needed: all are listed."""
        return None


class NimHeapPassProber(HeapSumProber):
    """Answers Nim with a pass for each heap."""

    family = "nim_heap_pass"

    def heaps_of(self, position: Position) -> SingleHeaps:
        """In both kinds of play."""
        return NimPassHeaps(position.game.misere)

    def describe(self) -> tuple[GameSpec, str]:
        """For the list of games."""
        return GameSpec("nim_heap_pass"), "up to 64 heaps of any size, normal and misere play"


FAMILY = Family(NimHeapPassProber)
