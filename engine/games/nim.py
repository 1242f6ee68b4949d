"""Nim: take any number of tokens from one heap. Whoever cannot move loses (misere: wins)."""

from typing import Final

from position_oracle.engine.games.heaps import HeapRules, Line
from position_oracle.engine.games.spec import GameSpec

MAX_HEAPS: Final = 64


class Nim(HeapRules):
    """Rules of Nim, with any number of heaps."""

    family = "nim"
    form = "nim:[3,5,7]"
    heap_numbers = range(1, MAX_HEAPS + 1)
    heap_counts = f"1 to {MAX_HEAPS} heaps"
    allows = HeapRules.allows | {"noise"}
    single_heaps = True

    def has_nim_sums(self, game: GameSpec) -> bool:
        """Without declared positions and with an even number of passes (docs/nim-passes.md)."""
        return not game.is_variant and game.passes % 2 == 0

    def lines(self, game: GameSpec, count: int) -> tuple[Line, ...]:
        """Every heap by itself."""
        return tuple((heap,) for heap in range(count))


RULES: Final = Nim()
