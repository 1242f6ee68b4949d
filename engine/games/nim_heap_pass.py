"""Nim with one pass for each heap: `nim{heappass}:[3p,5]`, p for a heap that has its pass."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import ClassVar, Final

from position_oracle.engine.games.heap_pass import OPTION, HeapPassRules, read_word
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.theory import heap_pass
from position_oracle.engine.theory.bounds import product
from position_oracle.engine.theory.heap_pass import PassHeaps
from position_oracle.engine.theory.heap_sums import Heaps


class NimHeapPass(HeapPassRules):
    """Rules of Nim with a pass for each heap."""

    family = "nim_heap_pass"
    name = "nim"
    form = "nim{heappass}:[3p,5]"
    options: ClassVar[Mapping[str, Callable[[str], str]]] = MappingProxyType({OPTION: read_word})

    def heap_moves(self, heaps: PassHeaps, game: GameSpec) -> Iterator[PassHeaps]:
        """Heap by heap, the most tokens first, and last the pass of the heap."""
        return heap_pass.moves(heaps)

    def parts_of(self, heap: int, game: GameSpec) -> Iterator[Heaps]:
        """Any smaller heap."""
        return ((left,) if left else () for left in range(heap))

    def bound(self, sizes: Heaps, game: GameSpec) -> float:
        """Any smaller heaps."""
        return product(size + 1 for size in sizes)

    def may_leave(self, heap: int, left: Heaps, game: GameSpec) -> bool:
        """At most one heap, smaller than before."""
        return len(left) <= 1 and 0 <= sum(left) < heap

    def has_move(self, heap: int, game: GameSpec) -> bool:
        """Whether there is a token to take."""
        return heap > 0


RULES: Final = NimHeapPass()
