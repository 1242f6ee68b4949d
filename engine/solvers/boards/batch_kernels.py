"""The loops over batches of questions about boards; `kernels` describes their arguments."""

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.games.position import Outcome
from position_oracle.engine.solvers.boards.kernels import (
    BitArray,
    IntArray,
    child_ranks,
    column_sums,
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
) -> int:
    """Look up the outcomes of many boards (k, any width), as they stand or transposed.

    The result is the index of the first row that is not a board, or -1 if all are boards.
    """
    number, width = boards.shape
    rows = lengths.size
    columns = lengths[0]
    for item in range(number):
        board = boards[item]
        used = 0
        for row in range(width):
            if board[row] < 0 or (row > 0 and board[row] > board[row - 1]):
                return item
            used += board[row] > 0
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
    return -1


@kernel
def _fit(lengths: IntArray, board: IntArray, fitted: IntArray) -> int:
    """Write a board that fits inside; return 0 as it stands, 1 transposed, -1 for no fit."""
    rows, columns = lengths.size, lengths[0]
    used = np.count_nonzero(board)
    fitted[:] = 0
    inside = used <= rows
    for row in range(used if inside else 0):
        inside = inside and board[row] <= lengths[row]
        fitted[row] = board[row]
    if inside:
        return 0
    if used > columns or board[0] > rows:
        return -1
    fitted[:] = 0
    height = used
    for column in range(board[0]):
        while board[height - 1] <= column:
            height -= 1
        if height > lengths[column]:
            return -1
        fitted[column] = height
    return 1


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
    sums = column_sums(weights)
    tails = np.empty(weights.shape[1], np.int64)
    children = np.empty(lengths.sum(), np.int64)
    fitted = np.zeros(lengths.size, np.int64)
    for item in range(boards.shape[0]):
        if outcomes[item] != _N:
            continue
        turned = _fit(lengths, boards[item], fitted)
        child_ranks(weights, sums, fitted, tails, children)
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
