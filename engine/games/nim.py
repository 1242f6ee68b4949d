"""Nim: take any number of tokens from one heap. Whoever cannot move loses (misere: wins)."""

from typing import Final

from engine.games.heaps import HeapRules
from engine.games.position import Position
from engine.games.spec import Coordinates, GameSpec
from engine.theory.sums import Convention, Play
from schema.errors import NotationError

MAX_HEAPS: Final = 64


class Nim(HeapRules):
    """Rules of Nim, with any number of heaps."""

    family = "nim"
    form = "nim:[3,5,7]"
    heap_counts = f"1 to {MAX_HEAPS} heaps"
    allows = frozenset({"passes", "misere", "variants"})

    def implied_heaps(self, game: GameSpec) -> int | None:
        """Variants are played with three heaps."""
        return 3 if game.is_variant else None

    def check_game(self, game: GameSpec) -> None:
        """As in every heap game; a variant has three heaps."""
        super().check_game(game)
        if game.is_variant and game.heaps != 3:
            raise NotationError(f"{game.text}: only chomp3 and nim with three heaps have variants")

    def convention(self, component: Position, play: Play) -> Convention:
        """A single heap without passes has its value in misere play, too."""
        if component.game.heaps == 1 and not component.game.passes and component.game.is_plain:
            return Convention.NIM_HEAP
        return super().convention(component, play)

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
