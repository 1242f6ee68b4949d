"""The loops over positions of heaps; the arguments are explained in `heap_search`."""

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.compiled import kernel
from position_oracle.engine.solvers.heap_search import LOW_HALF, Space, Work


@kernel
def search(start: int, end: int, space: Space, work: Work, packed: NDArray[np.int64]) -> None:
    """Settle the positions with ranks start..end - 1; `work.position` is that of rank start.

    An entry of `packed` holds the Grundy value (upper half), the remoteness, and the outcome
    (lowest bit, 1 for N): one look at memory for each child.
    """
    next_ended = np.searchsorted(space.ended[:-1], start)
    for rank in range(start, end):
        if space.ended[next_ended] == rank:
            next_ended += 1
            packed[:, rank] = 1
        else:
            count = _list_children(rank, space, work)
            for level in range(packed.shape[0]):
                _settle(level, rank, count, work, packed)
        _advance(space, work.position)


@kernel
def _list_children(rank: int, space: Space, work: Work) -> int:
    """Write the ranks of all children by regular moves into `work.children`; return how many."""
    position, offset, children = work.position, space.offset, work.children
    count = 0
    for heap in range(position.shape[0]):
        # Heaps that a lowered heap passes on its way down each move up one slot.
        slot = heap
        others = rank - offset[heap, position[heap]]
        for value in range(position[heap] - 1, -1, -1):
            while space.is_sorted and slot > 0 and position[slot - 1] > value:
                passed = position[slot - 1]
                others += offset[slot, passed] - offset[slot - 1, passed]
                slot -= 1
            children[count] = others + offset[slot, value]
            count += 1
    for group in space.groups:
        count = _list_equal_moves(group, space, work, count)
    return count


@kernel
def _list_equal_moves(group: NDArray[np.int64], space: Space, work: Work, count: int) -> int:
    """Append the children by taking the same number from every heap of a group."""
    position = work.position
    heaps = position.shape[0]
    child = np.empty(heaps, dtype=np.int64)
    most = np.int64(2**62)
    for heap in range(heaps):
        if group[heap] and position[heap] < most:
            most = position[heap]
    for taken in range(1, most + 1):
        rank = 0
        for heap in range(heaps):
            value = position[heap] - taken * group[heap]
            slot = heap
            while space.is_sorted and slot > 0 and child[slot - 1] > value:
                child[slot] = child[slot - 1]
                slot -= 1
            child[slot] = value
        for heap in range(heaps):
            rank += space.offset[heap, child[heap]]
        work.children[count] = rank
        count += 1
    return count


@kernel
def _settle(level: int, rank: int, count: int, work: Work, packed: NDArray[np.int64]) -> None:
    """Outcome, Grundy value and remoteness of one position with `level` passes left."""
    stamp = level * packed.shape[1] + rank
    shortest_win = np.int64(2**31)
    longest_loss = np.int64(0)
    may_pass = level > 0 and rank > 0
    for index in range(count + may_pass):
        child = packed[level, work.children[index]] if index < count else packed[level - 1, rank]
        plies = 1 + ((child & LOW_HALF) >> 1)
        if child & 1:
            longest_loss = max(longest_loss, plies)
        else:
            shortest_win = min(shortest_win, plies)
        work.seen[child >> 32] = stamp
    value = np.int64(0)
    while work.seen[value] == stamp:
        value += 1
    if shortest_win < 2**31:
        packed[level, rank] = (value << 32) | (shortest_win << 1) | 1
    else:
        packed[level, rank] = (value << 32) | (longest_loss << 1)


@kernel
def _advance(space: Space, position: NDArray[np.int64]) -> None:
    """The position of the next rank."""
    last = position.shape[0] - 1
    for heap in range(last + 1):
        top = space.limits[heap]
        if space.is_sorted and heap < last:
            top = min(top, position[heap + 1])
        if position[heap] < top:
            position[heap] += 1
            return
        position[heap] = 0
