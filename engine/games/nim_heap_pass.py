"""Nim with one pass for each heap: `nim{heappass}:[3p,5]`, p for a heap that has its pass."""

from collections.abc import Iterator
from typing import ClassVar, Final

from position_oracle.engine.games.heap_pass import OPTION, HeapPassRules, read_word
from position_oracle.engine.games.rules import OptionReaders
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory.heap_counts import side_by_side
from position_oracle.engine.theory.heap_pass import PassHeaps
from position_oracle.engine.theory.heap_sums import Heaps
from position_oracle.schema.games import Introduction


class NimHeapPass(HeapPassRules):
    """Rules of Nim with a pass for each heap."""

    family = "nim_heap_pass"
    name = "nim"
    introductions = (
        Introduction(
            title="Nim with a pass for each heap",
            start="nim{heappass}:[3p,5]",
            rules=(
                "Take as many tokens as you like from one heap, or use up the pass of a "
                "heap that still has one."
            ),
            loses="you can do neither",
            note="A heap with a pass is worth one token more or less.",
        ),
    )
    form = "nim{heappass}:[3p,5]"
    options: ClassVar[OptionReaders] = {OPTION: read_word}

    def parts_of(self, size: int, game: GameSpec) -> Iterator[Heaps]:
        """Yield the smaller heaps, the largest number of tokens taken first."""
        return ((left,) if left else () for left in range(size))

    def may_part(self, size: int, parts: Heaps, game: GameSpec) -> bool:
        """Return whether at most one heap is left, and it is smaller than before."""
        return len(parts) <= 1 and 0 <= sum(parts) < size

    def bound(self, heaps: PassHeaps, game: GameSpec) -> float:
        """Bound the positions: every smaller heap, with or without its pass."""
        counts = {heap: 1 + heap.size * (1 + heap.has_pass) for heap in set(heaps)}
        return side_by_side(heaps, counts)


RULES: Final = NimHeapPass()
