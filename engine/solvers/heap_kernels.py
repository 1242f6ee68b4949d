"""The loops over positions of heaps: search, Nim with passes, Wythoff's game.

The arguments are explained where they are made: `heap_search`, `nim_pass`, `wythoff`.
"""

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.compiled import kernel
from position_oracle.engine.solvers.heap_search import LOW_HALF, Space, Work
from position_oracle.engine.solvers.instructions import trailing_zeros
from position_oracle.engine.solvers.nim_pass import BLOCK
from position_oracle.engine.solvers.wythoff import GrundyLines, Lines

_FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ONE = np.uint64(1)


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


@kernel
def fill_nim_row(
    row_used: NDArray[np.uint64],
    used: NDArray[np.uint64],
    full: NDArray[np.int64],
    excluded: NDArray[np.int64],
    first: int,
) -> NDArray[np.int64]:
    """The supermex operator on one sheet, for y = first, first + 1, ...

    `row_used` and `used[y]` are bit sets of the z taken in this sheet and in column y;
    words of `used[y]` below `full[y]` have no free bit left. Of the result only y >= first count.
    """
    row = np.zeros(used.shape[0], dtype=np.int64)
    row_full = 0
    for y in range(first, row.shape[0]):
        column = used[y]
        word = max(row_full, full[y])
        free = ~(row_used[word] | column[word])
        while True:
            while free == 0:
                word += 1
                free = ~(row_used[word] | column[word])
            low = free & (~free + np.uint64(1))
            z = 64 * word + np.int64(trailing_zeros(low))
            clash = False
            for index in range(excluded.shape[0]):
                clash |= excluded[index, y] == z
            if not clash:
                break
            free ^= low
        row[y] = z
        row_used[word] |= low
        column[word] |= low
        while row_used[row_full] == _FULL:
            row_full += 1
        while column[full[y]] == _FULL:
            full[y] += 1
    return row


@kernel
def mirror_rows(table: NDArray[np.int32], top: int, end: int) -> None:
    """Fill the rows top .. end - 1 below the diagonal, in blocks that fit the cache."""
    for left in range(0, end, BLOCK):
        for x in range(top, end):
            for y in range(left, min(left + BLOCK, x)):
                table[x, y] = table[y, x]


@kernel
def wythoff_grundy_row(
    x: int, row_used: NDArray[np.uint64], lines: GrundyLines, row: NDArray[np.int32]
) -> None:
    """Grundy values of row x for y = x, x + 1, ..., given those in the row at y < x."""
    row_full = 0
    for y in range(x, row.shape[0]):
        column, diagonal = lines.column[y], lines.diagonal[y - x]
        word = max(row_full, lines.column_full[y], lines.diagonal_full[y - x])
        free = ~(row_used[word] | column[word] | diagonal[word])
        while free == 0:
            word += 1
            free = ~(row_used[word] | column[word] | diagonal[word])
        low = free & (~free + _ONE)
        row[y] = 64 * word + np.int64(trailing_zeros(low))
        row_used[word] |= low
        column[word] |= low
        diagonal[word] |= low
        while row_used[row_full] == _FULL:
            row_full += 1
        while column[lines.column_full[y]] == _FULL:
            lines.column_full[y] += 1
        while diagonal[lines.diagonal_full[y - x]] == _FULL:
            lines.diagonal_full[y - x] += 1


@kernel
def _read(bits: NDArray[np.uint64], start: int) -> np.uint64:
    """The 64 bits of a bit set from any place on."""
    word, shift = start >> 6, np.uint64(start & 63)
    return np.uint64((bits[word] >> shift) | (bits[word + 1] << _ONE << (np.uint64(63) - shift)))


@kernel
def _add(bits: NDArray[np.uint64], place: int) -> None:
    bits[place >> 6] |= _ONE << np.uint64(place & 63)


@kernel
def wythoff_sheet_row(
    x: int,
    row_used: NDArray[np.uint64],
    row_shifted: NDArray[np.uint64],
    lines: Lines,
    row: NDArray[np.int32],
) -> None:
    """Sheet x for y = x, x + 1, ..., given what its positions at y < x bar."""
    bias = row.shape[0] - 1
    row_full = 0
    for y in range(x, row.shape[0]):
        column, column_shifted = lines.column[y], lines.column_shifted[y]
        diagonal, diagonal_shifted = lines.diagonal[y - x], lines.diagonal_shifted[y - x]
        word = max(row_full, lines.full[y]) - 1
        free = np.uint64(0)
        while free == 0:
            word += 1
            taken = row_used[word] | column[word]
            if lines.pairs:
                taken |= diagonal[word]
                taken |= _read(column_shifted, 64 * word - x + bias)
                taken |= _read(row_shifted, 64 * word - y + bias)
            if lines.triples:
                taken |= _read(diagonal_shifted, 64 * word - x + bias)
            free = ~taken
        z = 64 * word + np.int64(trailing_zeros(free))
        row[y] = z
        _add(row_used, z)
        _add(column, z)
        if lines.pairs:
            _add(diagonal, z)
            _add(column_shifted, z - x + bias)
            _add(row_shifted, z - y + bias)
        if lines.triples:
            _add(diagonal_shifted, z - x + bias)
        while row_used[row_full] == _FULL:
            row_full += 1
        while column[lines.full[y]] == _FULL:
            lines.full[y] += 1
