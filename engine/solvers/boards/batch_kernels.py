"""The loops over batches of questions about boards; `kernels` describes their arguments."""

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.games.position import Outcome
from position_oracle.engine.solvers.boards.kernels import (
    BitArray,
    IntArray,
    is_set,
)
from position_oracle.engine.solvers.compiled import kernel

_UNKNOWN, _P, _N = int(Outcome.UNKNOWN), int(Outcome.P), int(Outcome.N)


@kernel
def look_up(
    weights: IntArray,
    lengths: IntArray,
    bits: BitArray,
    boards: IntArray,
    outcomes: NDArray[np.uint8],
) -> None:
    """Look up the outcomes of many boards (k, any width), as they stand or transposed."""
    rows = lengths.size
    columns = lengths[0]
    for item in range(len(boards)):
        board = boards[item]
        used = 0
        while used < board.size and board[used] > 0:
            used += 1
        outcomes[item] = _UNKNOWN
        rank = 0
        inside = used <= rows
        for row in range(used if inside else 0):
            if board[row] > lengths[row]:
                inside = False
                break
            rank += weights[row, board[row]]
        if not inside and used <= columns and board[0] <= rows:
            inside = True
            rank = 0
            height = used
            for column in range(board[0]):
                while board[height - 1] <= column:
                    height -= 1
                if height > lengths[column]:
                    inside = False
                    break
                rank += weights[column, height]
        if inside:
            outcomes[item] = _P if is_set(bits, rank) else _N


@kernel
def _fit(lengths: IntArray, board: IntArray, fitted: IntArray) -> int:
    """Write a board that fits inside; return 0 as it stands, 1 transposed, -1 for no fit."""
    rows, columns, width = lengths.size, lengths[0], board.size
    inside = width <= rows or board[rows] == 0
    for row in range(rows):
        length = board[row] if row < width else 0
        inside = inside and length <= lengths[row]
        fitted[row] = length
    if inside:
        return 0
    if board[0] > rows or (width > columns and board[columns] > 0):
        return -1
    height = np.count_nonzero(board)
    for column in range(rows):
        while height > 0 and board[height - 1] <= column:
            height -= 1
        if height > lengths[column]:
            return -1
        fitted[column] = height
    return 1


@kernel
def _column_sums(weights: IntArray) -> IntArray:
    """Return sums[k, c]: the rank of a board of k rows of length c, as far as these rows go."""
    rows, size = weights.shape
    sums = np.zeros((rows + 1, size), np.int64)
    for row in range(rows):
        for column in range(size):
            sums[row + 1, column] = sums[row, column] + weights[row, column]
    return sums


@kernel
def _child_ranks(
    weights: IntArray, sums: IntArray, board: IntArray, tails: IntArray, children: IntArray
) -> int:
    """Write the ranks of all children except the empty board, row by row; return their number.

    The bite in row i that leaves c cookies keeps the rows before i, gives the rows i .. h - 1 the
    length c, where h is the height of the column, and keeps the rows from h on. The rank is the sum
    of the weights of these three parts. The last two depend on i only through a difference of
    `sums`. `tails` (columns,) is scratch.
    """
    used = 0
    while used < weights.shape[0] and board[used] > 0:
        used += 1
    below = 0
    left = 0
    for row in range(used - 1, -1, -1):
        for column in range(left, board[row]):
            tails[column] = sums[row + 1, column] + below
        left = board[row]
        below += weights[row, left]
    number = 0
    before = 0
    for row in range(used):
        for column in range(1 if row == 0 else 0, board[row]):
            children[number] = before - sums[row, column] + tails[column]
            number += 1
        before += weights[row, board[row]]
    return number


@kernel
def first_bites(
    weights: IntArray,
    lengths: IntArray,
    bits: BitArray,
    boards: IntArray,
    outcomes: NDArray[np.uint8],
    bites: NDArray[np.int32],
) -> None:
    """Find the first winning bite of every board that `look_up` found to be N.

    Args:
        weights: see `kernels`.
        lengths: see `kernels`.
        bits: see `kernels`.
        boards: (k, any width), legal boards.
        outcomes: (k,), made by `look_up`.
        bites: (k, 2), filled with row and column from 1 of the first winning bite, row by row from
            the poison row, left to right on the board as it stands; other entries are unchanged.
    """
    sums = _column_sums(weights)
    tails = np.empty(weights.shape[1], np.int64)
    children = np.empty(lengths.sum(), np.int64)
    fitted = np.zeros(lengths.size, np.int64)
    for item in range(boards.shape[0]):
        if outcomes[item] != _N:
            continue
        turned = _fit(lengths, boards[item], fitted)
        _child_ranks(weights, sums, fitted, tails, children)
        number = 0
        found = False
        for row in range(lengths.size):
            for column in range(1 if row == 0 else 0, fitted[row]):
                if is_set(bits, children[number]):
                    first, second = (column, row) if turned else (row, column)
                    if not found or (first, second) < (bites[item, 0] - 1, bites[item, 1] - 1):
                        bites[item, 0] = first + 1
                        bites[item, 1] = second + 1
                        found = True
                number += 1
            if found and not turned:
                break
