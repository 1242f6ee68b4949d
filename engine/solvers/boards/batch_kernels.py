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
from position_oracle.engine.solvers.fold_kernels import _moves

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
    fitted = np.zeros(lengths.size, np.int64)
    for item in range(len(boards)):
        outcomes[item] = _UNKNOWN
        if _fit(lengths, boards[item], fitted) >= 0:
            outcomes[item] = _P if is_set(bits, _rank(weights, fitted)) else _N


@kernel
def _rank(weights: IntArray, board: IntArray) -> int:
    rank = 0
    for row in range(board.size):
        rank += weights[row, board[row]]
    return rank


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
def first_bites(
    weights: IntArray,
    sums: IntArray,
    lengths: IntArray,
    bits: BitArray,
    boards: IntArray,
    outcomes: NDArray[np.uint8],
    bites: NDArray[np.int32],
) -> None:
    """Find the first winning bite of every board that `look_up` found to be N.

    Args:
        weights: see `kernels`.
        sums: see `ranked.row_sums`.
        lengths: see `kernels`.
        bits: see `kernels`.
        boards: (k, any width), legal boards.
        outcomes: (k,), made by `look_up`.
        bites: (k, 2), filled with row and column from 1 of the first winning bite, row by row from
            the poison row, left to right on the board as it stands; other entries are unchanged.
    """
    flat = weights.ravel()
    scratch = np.empty(weights.shape[1] + lengths.size, np.int64)
    children = np.empty(lengths.sum(), np.int64)
    fitted = np.zeros(lengths.size, np.int64)
    none, begins = np.full(1, -1), np.zeros(2, np.int64)
    for item in range(boards.shape[0]):
        if outcomes[item] != _N:
            continue
        turned = _fit(lengths, boards[item], fitted)
        rank, board = _rank(weights, fitted), fitted.copy()
        rules = (1, True, True, 0)  # no passes; bites of boards
        _moves(
            rank,
            rank + 1,
            *rules,
            flat,
            sums,
            lengths,
            none,
            none,
            none,
            board,
            scratch,
            begins,
            children,
        )
        number = 0
        found = False
        for row in range(lengths.size):
            for column in range(fitted[row]):
                if is_set(bits, children[number]):
                    first, second = (column, row) if turned else (row, column)
                    if not found or (first, second) < (bites[item, 0] - 1, bites[item, 1] - 1):
                        bites[item, 0] = first + 1
                        bites[item, 1] = second + 1
                        found = True
                number += 1
            if found and not turned:
                break
