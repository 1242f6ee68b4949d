"""Nim: take any number of tokens from one heap. Whoever cannot move loses (misere: wins)."""

from collections.abc import Iterator
from typing import Final

from position_oracle.engine.games.heaps import HeapRules
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory import nim
from position_oracle.engine.theory.sums import Convention, Play
from position_oracle.schema.errors import NotationError

MAX_HEAPS: Final = 64


class Nim(HeapRules):
    """Rules of Nim, with any number of heaps."""

    family = "nim"
    form = "nim:[3,5,7]"
    typed_form = "heaps"
    heap_counts = f"1 to {MAX_HEAPS} heaps"
    allows = frozenset({"passes", "misere", "variants"})
    single_heaps = True

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
        if component.game.heaps == 1 and not component.game.passes:
            return Convention.NIM_HEAP
        return super().convention(component, play)

    def heaps_allowed(self, count: int) -> bool:
        """From 1 to 64 heaps."""
        return 1 <= count <= MAX_HEAPS

    def has_nim_sums(self, game: GameSpec) -> bool:
        """Without declared positions and with an even number of passes (docs/nim-passes.md)."""
        return not game.is_variant and game.passes % 2 == 0

    def children_worth(
        self, position: Position, values: tuple[int, ...]
    ) -> Iterator[tuple[Position, int]] | None:
        """By nim-sums, without listing moves: heaps may be large."""
        if position.game.passes:
            return None
        return _children_worth(position, values)

    def lines(self, game: GameSpec, count: int) -> tuple[tuple[int, ...], ...]:
        """Every heap by itself."""
        return tuple((heap,) for heap in range(count))


def _children_worth(position: Position, values: tuple[int, ...]) -> Iterator[tuple[Position, int]]:
    heaps = position.coordinates
    total = nim.grundy(heaps)
    for index, heap in enumerate(heaps):
        for rest in sorted({heap ^ total ^ value for value in values}):
            if rest < heap:
                child = position.child((*heaps[:index], rest, *heaps[index + 1 :]))
                yield child, total ^ heap ^ rest


RULES: Final = Nim()
