"""Nim: take any number of tokens from one heap. The player who cannot move loses (misere: wins)."""

from typing import Final

from position_oracle.engine.games.heaps import HeapRules, Line
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory.heap_sums import MAX_HEAPS
from position_oracle.schema.games import Introduction


class Nim(HeapRules):
    """Rules of Nim, with any number of heaps."""

    family = "nim"
    introductions = (
        Introduction(
            title="Nim",
            start="nim:[3,4,5]",
            rules="Choose a heap and take as many of its tokens as you like, at least one.",
            loses="no token is left for you",
            note=(
                "Write the heaps in binary: you have won if you leave every column with "
                "an even number of ones."
            ),
        ),
        Introduction(
            title="Nim, misère",
            start="nim{misere}:[3,4,5]",
            rules="Choose a heap and take as many of its tokens as you like, at least one.",
            loses="you take the last token",
            note="Play as in Nim until every heap but one has a single token.",
        ),
        Introduction(
            title="Nim with a pass",
            start="nim:[1,2,4;1]",
            rules=(
                "Take as many tokens as you like from one heap. One player may pass once "
                "instead, while a token is left."
            ),
            loses="no token is left for you",
            note="A single pass destroys the simple rule of Nim.",
        ),
    )
    form = "nim:[3,5,7]"
    heap_numbers = range(1, MAX_HEAPS + 1)
    heap_counts = f"1 to {MAX_HEAPS} heaps"
    allows = HeapRules.allows | {"noise"}

    def has_nim_sums(self, game: GameSpec) -> bool:
        """Return whether no position is declared and the number of passes is even."""
        return not game.is_variant and game.passes % 2 == 0

    def lines(self, game: GameSpec, count: int) -> tuple[Line, ...]:
        """Return one line for each heap."""
        return tuple((heap,) for heap in range(count))


RULES: Final = Nim()
