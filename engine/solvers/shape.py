"""Chomp boards inside a bounding board, numbered consecutively.

A board is a partition: row lengths that do not increase, the poison row first. The boards that fit
inside a bounding board λ (a box, or any other) are the order ideals of its cookies. In
lexicographic order of their row lengths the rank of a board is a sum with one term for each row,

    rank(r) = Σ_i weights[i, r_i],
    weights[i, v] = number of (s_i ≥ s_{i+1} ≥ ...) with s_i < v and every s_k ≤ λ_k,

which for a box of m rows is the combinatorial number system, C(v + m - 1 - i, m - i) with i from 0.
A bite shortens rows and lengthens none, so every child has a smaller rank than its parent.
"""

from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.theory.bounds import MAX_AREA, estimate_ideals
from position_oracle.schema.errors import (
    InvalidPositionError,
    ResourceLimitError,
    UnknownAnswerError,
)

Board = tuple[int, ...]
"""Row lengths without empty rows, poison row first; `()` is the empty board."""

MAX_IDEALS: Final = 2**34
"""Default maximum number of boards of one table: 2 GiB of outcome bits."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """A bounding board with the ranks of the boards inside it; or heaps up to maxima.

    Attributes:
        lengths: row lengths of the bounding board, or the maximum heaps in their order.
        weights: int64 array (places, longest + 1), the terms of the rank; read-only.
        count: number of positions inside, the empty one (rank 0) and the largest (rank count - 1)
            included.
        is_ordered: whether rows never increase; if not, every place is independent of the others.
    """

    lengths: Board
    weights: NDArray[np.int64] = field(repr=False, compare=False)
    count: int
    is_ordered: bool = True

    @property
    def rows(self) -> int:
        """Number of rows of the bounding board."""
        return len(self.lengths)

    @property
    def columns(self) -> int:
        """Length of its longest row."""
        return self.weights.shape[1] - 1

    @property
    def name(self) -> str:
        """The name in error messages."""
        return _name(self.lengths)

    @property
    def limits(self) -> NDArray[np.int64]:
        """The row lengths as an int64 array (rows,), as the kernels take them."""
        return np.array(self.lengths, np.int64)

    def contains(self, board: Board) -> bool:
        """Return whether the board fits inside as it stands, not transposed."""
        return len(board) <= self.rows and all(map(int.__le__, board, self.lengths))

    def rank(self, board: Board) -> int:
        """Return the rank of a board that fits inside."""
        return sum(int(self.weights[row, length]) for row, length in enumerate(board))

    def ranks(self, positions: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """Return the ranks (n,) of positions (n, rows) that fit inside."""
        rows = np.sort(positions, axis=1)[:, ::-1] if self.is_ordered else positions
        return np.asarray(self.weights[np.arange(self.rows), rows].sum(axis=1))

    def positions(self, first: int, last: int) -> NDArray[np.int32]:
        """Return the positions of ranks first .. last - 1; int32 (last - first, rows)."""
        return self.positions_of(np.arange(first, last))

    def positions_of(self, ranks: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the positions of given ranks; int32 (ranks, rows)."""
        rest = ranks
        lengths = np.empty((len(rest), self.rows), np.int32)
        for row, terms in enumerate(self.weights):
            lengths[:, row] = np.searchsorted(terms, rest, side="right") - 1
            rest = rest - terms[lengths[:, row]]
        return lengths

    def unrank(self, rank: int) -> Board:
        """Return the board with this rank, without empty rows at the end."""
        board = self.positions(rank, rank + 1)[0].tolist()
        return tuple(length for length in board if length) if self.is_ordered else tuple(board)

    def orient(self, board: Board) -> tuple[Board, bool]:
        """Return the board or its transpose, whichever fits inside, and whether it was transposed.

        A board and its transpose have the same outcome, Grundy value and remoteness.

        Raises:
            UnknownAnswerError: neither of them fits.
        """
        if self.contains(board):
            return board, False
        if len(board) <= self.columns and board[0] <= self.rows:
            turned = transpose(board)
            if self.contains(turned):
                return turned, True
        raise UnknownAnswerError(
            f"a board of {len(board)} rows, the longest {board[0]}, does not fit into {self.name}"
        )


def transpose(board: Board) -> Board:
    """Reflect a board in its diagonal: column heights become row lengths."""
    heights: list[int] = []
    for row in range(len(board), 0, -1):
        heights.extend([row] * (board[row - 1] - len(heights)))
    return tuple(heights)


def box(rows: int, columns: int, limit: int = MAX_IDEALS) -> Bounds:
    """Return the shape of a rectangle; C(rows + columns, rows) boards fit inside.

    Raises:
        InvalidPositionError: a side is less than 1.
        ResourceLimitError: more boards than the limit fit inside.
    """
    if rows < 1 or columns < 1:
        raise InvalidPositionError(f"box {rows} x {columns}; both sides must be 1 or more")
    _check_area(f"a box of {rows} x {columns}", rows, columns, limit)
    return under((columns,) * rows, limit)


def under(board: Board, limit: int = MAX_IDEALS) -> Bounds:
    """Return the shape of the boards inside any board; a thin board has few.

    Raises:
        InvalidPositionError: the board is empty.
        ResourceLimitError: more boards than the limit fit inside.
    """
    if not board:
        raise InvalidPositionError("no board fits inside the empty one; it has no table")
    what = _name(board)
    _check_area(what, len(board), board[0], limit)
    estimate = estimate_ideals(board)
    if estimate > limit:
        _refuse(what, str(int(estimate)) if estimate <= 2**53 else "more than 2^53", limit)
    return _number(board)


def heaps(limits: Board, *, ordered: bool) -> Bounds:
    """Return the shape of heaps up to maxima.

    Args:
        limits: the maxima; descending if `ordered`.
        ordered: whether heaps descend, because their order does not matter; if not, the last heap
            runs fastest.
    """
    if ordered:
        return _number(limits)
    sizes = np.array(limits, np.int64) + 1
    strides = np.append(np.cumprod(sizes[:0:-1])[::-1], 1)
    weights = strides[:, None] * np.arange(max(limits) + 1)
    weights.flags.writeable = False
    return Bounds(limits, weights, int(np.prod(sizes)), is_ordered=False)


def _name(board: Board) -> str:
    if board[0] == board[-1]:
        return f"a box of {len(board)} x {board[0]}"
    text = "/".join(map(str, board[:8]))
    return f"a board of {len(board)} rows {text}" + "/..." * (len(board) > 8)


def _number(board: Board) -> Bounds:
    """Number the boards inside a board: find the weights from the last row up.

    After each row, tails[v] counts the choices for it, up to v, and for the rows below.
    """
    columns = board[0]
    weights = np.zeros((len(board), columns + 1), np.int64)
    tails = np.ones(columns + 1, np.int64)
    for row in range(len(board) - 1, -1, -1):
        np.cumsum(tails[:-1], out=weights[row, 1:])
        reach = np.minimum(np.arange(columns + 1), board[row])
        tails = weights[row, reach] + tails[reach]
    weights.flags.writeable = False
    return Bounds(board, weights, int(tails[-1]))


def _check_area(what: str, rows: int, columns: int, limit: int) -> None:
    """Refuse large areas early: the first row and column hold rows * columns + 1 boards."""
    area = rows * columns
    if area > limit:
        _refuse(what, f"more than {area}", limit)
    if area > MAX_AREA:
        raise ResourceLimitError(f"{what}: a grid of {area} squares; the limit is {MAX_AREA}")


def _refuse(what: str, estimate: str, limit: int) -> NoReturn:
    raise ResourceLimitError(f"{what}: {estimate} boards fit inside; the limit is {limit}")
