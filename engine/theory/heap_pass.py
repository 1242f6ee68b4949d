"""Heaps with a pass of their own, and Nim played with them.

A pass of its own may be used once, by either player, while a move is left in its heap; a regular
move keeps it. So heaps stay independent, unlike with shared passes, and values add by nim-sum. In
`[3p,5]` the heap of 3 has its pass, and the heap of 5 has none.

In Nim a heap of n with its pass is worth ((n - 1) xor 1) + 1: odd numbers change places with the
even ones behind them. Proof: docs/nim-passes.md, theorem 5, as one heap with a pass of its own is
one heap with one shared pass.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import xor
from typing import NamedTuple

from position_oracle.engine.theory import sums


class PassHeap(NamedTuple):
    """A heap, and whether it has a pass of its own left, which counts unless the heap is empty."""

    size: int
    has_pass: bool = False

    def __str__(self) -> str:
        return f"{self.size}p" if self.has_pass else str(self.size)


PassHeaps = tuple[PassHeap, ...]


def canonical(heaps: Iterable[PassHeap]) -> PassHeaps:
    """Return the heaps in ascending order, without empty ones."""
    return tuple(sorted(heap for heap in heaps if heap.size))


def nim_value(heap: PassHeap) -> int:
    """Return the Grundy value of a heap of Nim: its size, or with a pass ((size - 1) xor 1) + 1."""
    return ((heap.size - 1) ^ 1) + 1 if heap.has_pass and heap.size else heap.size


def grundy(heaps: Sequence[PassHeap]) -> int:
    """Return the Grundy value of a position of Nim in normal play."""
    return reduce(xor, map(nim_value, heaps), 0)


def is_p_position(heaps: Sequence[PassHeap], *, misere_play: bool = False) -> bool:
    """Return whether the previous player wins at Nim; heaps have Ferguson's property (`sums`)."""
    return sums.is_p_position(map(nim_value, heaps), misere=misere_play)


def winning_moves(heaps: Sequence[PassHeap], *, misere_play: bool = False) -> list[PassHeaps]:
    """Return children in Nim that are P-positions, heap by heap, for heaps of any size.

    A winning move gives its heap the nim-sum of the other values. In misere play it may also be
    that value with its last bit changed, if all values are then at most 1.
    """
    found = []
    for index, heap in enumerate(heaps):
        before, after = tuple(heaps[:index]), tuple(heaps[index + 1 :])
        rest = grundy(before + after)
        for value in (rest, rest ^ 1) if misere_play else (rest,):
            children = ((*before, moved, *after) for moved in _moved_to(heap, value))
            found += [child for child in children if is_p_position(child, misere_play=misere_play)]
    return found


def _moved_to(heap: PassHeap, value: int) -> Iterator[PassHeap]:
    """Yield the heaps of Nim that a move leaves with a value: a smaller one, or by the pass."""
    size = nim_value(PassHeap(value, has_pass=heap.has_pass))  # the formula is its own inverse
    if size < heap.size:
        yield PassHeap(size, has_pass=heap.has_pass)
    if heap.has_pass and heap.size == value:
        yield PassHeap(heap.size)
