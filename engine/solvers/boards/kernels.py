"""The loops over ranked boards; those over batches of questions are in `batch_kernels`.

All loops share these arguments: `weights` (rows, columns + 1) and `lengths` (rows,), both int64, of
the bounding board (`shape.Shape`); a board is an int64 array of row lengths, zeros at the end
allowed.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.compiled import kernel, njit
from position_oracle.engine.solvers.instructions import is_stopped

IntArray = NDArray[np.int64]
BitArray = NDArray[np.uint64]
CountArray = NDArray[np.uint8]

_WORD = np.uint64(6)
_BIT = np.uint64(63)
_ONE = np.uint64(1)

_PARENTS_A_LOOK = 2**20
"""Number of parents visited between two checks of the flag: about two milliseconds."""


@kernel
def unrank_into(weights: IntArray, lengths: IntArray, rank: int, board: IntArray) -> None:
    """Write the row lengths of the board with this rank into `board` (rows,)."""
    length = weights.shape[1] - 1
    for row in range(weights.shape[0]):
        length = min(length, lengths[row])
        while weights[row, length] > rank:
            length -= 1
        rank -= weights[row, length]
        board[row] = length


@kernel
def _clear(bits: BitArray, rank: int) -> None:
    bits[np.uint64(rank) >> _WORD] &= ~(_ONE << (np.uint64(rank) & _BIT))


@kernel
def is_set(bits: BitArray, rank: int) -> bool:
    """Return whether the bit of a board is set; after the sieve, set bits mark P-positions."""
    return bool((bits[np.uint64(rank) >> _WORD] >> (np.uint64(rank) & _BIT)) & _ONE)


@kernel
def _count_to_two(counts: CountArray, rank: int) -> None:
    counts[np.uint64(rank)] = min(counts[np.uint64(rank)] + 1, 2)


def _parents_visitor(
    visit: Callable[[NDArray[Any], int], None],
) -> Callable[[IntArray, IntArray, NDArray[Any], int, IntArray, IntArray], None]:
    """Compile a function that calls `visit(target, parent)` for each parent of a board.

    A small board has hundreds of millions of parents inside a large one, so the function checks the
    flag of the budget on the way.
    """

    @njit(nogil=True)
    def visit_parents(
        weights: IntArray,
        lengths: IntArray,
        target: NDArray[Any],
        rank: int,
        scratch: IntArray,
        flag: IntArray,
    ) -> None:
        """Visit every board from which one bite leads to the board of this rank.

        A bite in row i leaves i and the rows after it at most c long, and at least one of them, i
        among them, exactly c long. So i starts a run of rows of equal length c, and the parents are
        the boards with i and some rows after it in the run lengthened, up to the row before i.
        `scratch` is int64 (2, rows).
        """
        board, ranks = scratch[0], scratch[1]
        unrank_into(weights, lengths, rank, board)
        rows = weights.shape[0]
        start = 0
        unseen = 0
        ceiling = weights.shape[1] - 1
        while start < rows:
            length = board[start]
            end = start + 1
            while end < rows and board[end] == length:
                end += 1
            row = start
            ranks[row] = rank
            # Depth first; rows start..row are longer than the run, and the bound on a row is the
            # row before it. ranks[k]: rank of the board whose rows before k are lengthened.
            while row >= start:
                above = ceiling if row == start else board[row - 1]
                grown = board[row] + 1
                if grown > above or grown > lengths[row]:
                    unseen += grown - length
                    board[row] = length
                    row -= 1
                    if unseen > _PARENTS_A_LOOK:
                        unseen = 0
                        if is_stopped(flag):
                            return
                    continue
                board[row] = grown
                parent = ranks[row] + weights[row, grown] - weights[row, length]
                visit(target, parent)
                if row + 1 < end:
                    row += 1
                    ranks[row] = parent
            ceiling = length
            start = end

    return visit_parents


_clear_parents = _parents_visitor(_clear)
_count_parents = _parents_visitor(_count_to_two)


@kernel
def sift_outcomes(
    weights: IntArray, lengths: IntArray, bits: BitArray, first: int, last: int, flag: IntArray
) -> None:
    """Keep the bits of exactly the P-positions of rank first .. last - 1.

    Call it for consecutive ranges from 0 on, with all bits set at the beginning except that of
    the empty board. When the walk reaches a rank, it has visited every child. A bit that is still
    set marks a P-position, and the bits of all its parents are cleared. There are few
    P-positions, and an N-position has few winning moves, so the function clears little more than
    one bit for each board.
    """
    scratch = np.zeros((2, weights.shape[0]), np.int64)
    for rank in range(first, last):
        if is_set(bits, rank):
            _clear_parents(weights, lengths, bits, rank, scratch, flag)
            if is_stopped(flag):
                return


@kernel
def count_wins(
    weights: IntArray,
    lengths: IntArray,
    bits: BitArray,
    counts: CountArray,
    first: int,
    last: int,
    flag: IntArray,
) -> None:
    """Count for each board the bites that leave a P-position of rank first .. last - 1, up to 2."""
    scratch = np.zeros((2, weights.shape[0]), np.int64)
    for rank in range(first, last):
        if is_set(bits, rank):
            _count_parents(weights, lengths, counts, rank, scratch, flag)
            if is_stopped(flag):
                return


@kernel
def tally(
    weights: IntArray,
    lengths: IntArray,
    bits: BitArray,
    counts: CountArray,
    cells: NDArray[np.uint32],
    first: int,
    last: int,
) -> None:
    """Count the boards of rank first .. last - 1 by height, width and cookies.

    `cells` is (rows + 1, columns + 1, cookies + 1, 4): all boards, P-positions, boards with one
    winning bite, boards with several.
    """
    board = np.zeros(lengths.size, np.int64)
    unrank_into(weights, lengths, first, board)
    cookies = board.sum()
    height = np.count_nonzero(board)
    for rank in range(first, last):
        cell = cells[height, board[0], cookies]
        cell[0] += 1
        cell[1] += is_set(bits, rank)
        wins = counts[np.uint64(rank)]
        if wins > 0:
            cell[1 + wins] += 1
        if rank + 1 < last:
            height = 1 + _advance(lengths, board)
            cookies = board[:height].sum()


@kernel
def _advance(lengths: IntArray, board: IntArray) -> int:
    """Move on to the board with the next rank; return its last nonempty row."""
    row = lengths.size - 1
    while board[row] == (lengths[row] if row == 0 else min(lengths[row], board[row - 1])):
        board[row] = 0
        row -= 1
    board[row] += 1
    return row
