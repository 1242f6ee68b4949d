"""Nim with one pass for each heap: closed forms in normal and misere play."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from position_oracle.engine.budget import Cost, Plan
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory import heap_pass
from position_oracle.engine.theory.heap_pass import PassHeaps
from position_oracle.oracle.families.heap_sums import SingleHeaps
from position_oracle.oracle.families.octal_heap_pass import HeapPassProber
from position_oracle.oracle.families.sources import Ints


@dataclass(frozen=True, slots=True)
class NimPassHeaps(SingleHeaps):
    """Values of Nim heaps that may have passes of their own."""

    misere: bool

    @property
    def theorem(self) -> str:
        """The value of a heap with its pass."""
        misere = "; in misere play also 1 where none exceeds 1, and 0 else" if self.misere else ""
        return (
            "theorem on heaps with passes of their own (docs/nim-passes.md): a heap of n with its"
            f" pass is worth ((n - 1) xor 1) + 1; P if the nim-sum is 0{misere}"
        )

    def grundy(self, heaps: PassHeaps) -> int:
        """Return the nim-sum of the values."""
        return heap_pass.grundy(heaps)

    def is_p_position(self, heaps: PassHeaps) -> bool:
        """Return the outcome by the nim-sum."""
        return heap_pass.is_p_position(heaps, misere_play=self.misere)

    def values(self, rows: Ints) -> Ints:
        """Return the size of a heap, or ((size - 1) xor 1) + 1 with its pass; 0 if empty."""
        sizes, has_pass = rows[:, ::2], (rows[:, 1::2] == 1) & (rows[:, ::2] > 0)
        return np.where(has_pass, ((sizes - 1) ^ 1) + 1, sizes)

    def winning_moves(self, heaps: PassHeaps) -> Iterator[PassHeaps]:
        """Return winning moves in the order of the rules, for heaps of any size."""
        found = heap_pass.winning_moves(heaps, misere_play=self.misere)
        return iter(dict.fromkeys(map(heap_pass.canonical, found)))


class NimHeapPassProber(HeapPassProber):
    """Answers questions about Nim with a pass for each heap."""

    family = "nim_heap_pass"
    example = GameSpec("nim_heap_pass")
    about = "up to 64 heaps of any size, normal and misere play"

    def plan_heaps(self, game: GameSpec, heaps: PassHeaps) -> Plan[SingleHeaps]:
        """Plan the values for both kinds of play."""
        return Plan(Cost(), lambda: NimPassHeaps(game.misere))


PROBER = NimHeapPassProber
