"""Nim: take any number of tokens from one heap. Whoever cannot move loses (misere: wins)."""

from typing import Final

from engine.games.heaps import HeapRules
from engine.games.spec import MAX_HEAPS, Coordinates, GameSpec


class Nim(HeapRules):
    """Rules of Nim, with any number of heaps."""

    family = "nim"
    form = "nim:[3,5,7]"
    typed_form = "heaps"
    heap_counts = f"1 to {MAX_HEAPS} heaps"

    def heaps_allowed(self, count: int) -> bool:
        """From 1 to 64 heaps."""
        return 1 <= count <= MAX_HEAPS

    def lines(self, game: GameSpec, count: int) -> tuple[tuple[int, ...], ...]:
        """Every heap by itself."""
        return tuple((heap,) for heap in range(count))

    def is_won(self, coordinates: Coordinates, game: GameSpec) -> bool:
        """In misere play: the opponent has taken the last token."""
        return game.misere and not any(coordinates)


RULES: Final = Nim()
