"""Nim: take any number of tokens from one heap. Whoever cannot move loses (misere: wins)."""

from typing import Final

from position_oracle.engine.games.heaps import HeapRules, Line
from position_oracle.engine.games.spec import GameSpec

MAX_HEAPS: Final = 64


class Nim(HeapRules):
    """Rules of Nim, with any number of heaps."""

    family = "nim"
    form = "nim:[3,5,7]"
    heap_counts = f"1 to {MAX_HEAPS} heaps"
    allows = HeapRules.allows | {"noise"}
    single_heaps = True

    def check_game(self, game: GameSpec) -> None:
        """As in every heap game; a variant has three heaps."""
        super().check_game(game)

    def heaps_allowed(self, count: int) -> bool:
        """From 1 to 64 heaps."""
        return 1 <= count <= MAX_HEAPS

    def has_nim_sums(self, game: GameSpec) -> bool:
        """Without declared positions and with an even number of passes (docs/nim-passes.md)."""
        return not game.is_variant and game.passes % 2 == 0

    def lines(self, game: GameSpec, count: int) -> tuple[Line, ...]:
        """Every heap by itself."""
        return tuple((heap,) for heap in range(count))


RULES: Final = Nim()
