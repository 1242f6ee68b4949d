"""Outcomes of every board inside a box or another bounding board, one bit for each."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import current
from position_oracle.engine.games.position import Outcome
from position_oracle.engine.solvers import folds
from position_oracle.engine.solvers.ranked import Ranked
from position_oracle.engine.solvers.shape import Board, Bounds
from position_oracle.engine.solvers.steps import StepCallback, steps

Bite = tuple[int, int]
"""Row and column of the bitten cookie, counted from 1; (1, 1) is the poison."""

STEP: Final = 2**16
"""Number of boards solved between two checks of the budget."""

_BLOCK: Final = 2**22
"""Number of boards whose P-positions are listed at a time; a multiple of 64."""

_LINES: Final = 2**12
"""Number of boards of a batch looked up between two checks of the budget."""

_ALL_SET: Final = np.uint64(2**64 - 1)


@dataclass(frozen=True, slots=True)
class OutcomeTable:
    """Outcomes of all boards inside a bounding board.

    Attributes:
        shape: the bounding board and the numbering of the boards inside it.
        bits: uint64 array (ceil(count / 64),); bit k of word w is set if the board of rank 64 w + k
            is a P-position. The bits past the end are clear.
    """

    shape: Bounds
    bits: NDArray[np.uint64] = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        words = -(-self.shape.count // 64)
        if self.bits.dtype != np.uint64 or self.bits.shape != (words,):
            raise ValueError(
                f"outcome bits of {self.shape.count} boards are uint64 ({words},),"
                f" not {self.bits.dtype} {self.bits.shape}"
            )
        self.bits.flags.writeable = False

    def outcome(self, board: Board) -> Outcome:
        """Return the outcome of a board that fits inside as it stands or transposed.

        The empty board is N: the poison has just been eaten.

        Raises:
            UnknownAnswerError: the board does not fit.
        """
        rank = self.shape.rank(self.shape.orient(board)[0])
        word = int(self.bits[rank >> 6])
        return Outcome.P if word >> (rank & 63) & 1 else Outcome.N

    def outcomes(self, boards: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return the outcomes (`Outcome` as uint8) of boards, an int64 array (k, any width).

        The outcome is UNKNOWN if a board fits neither as it stands nor transposed.
        """
        from position_oracle.engine.solvers.boards import batch_kernels

        lines = np.ascontiguousarray(boards)
        found = np.empty(len(lines), np.uint8)
        shape = self.shape
        for first, last in steps(0, len(lines), _LINES):
            part = slice(first, last)
            batch_kernels.look_up(shape.weights, shape.limits, self.bits, lines[part], found[part])
        return found

    def first_winning_bites(
        self, boards: NDArray[np.int64], outcomes: NDArray[np.uint8]
    ) -> NDArray[np.int32]:
        """Return the first winning bite of each of many boards, in the order of `winning_bites`.

        Args:
            boards: int64 array (k, any width), the argument of `outcomes`.
            outcomes: the result of `outcomes`.

        Returns:
            int32 array (k, 2), row and column from 1; 0 if there is none or none is known.
        """
        from position_oracle.engine.solvers.boards import batch_kernels

        bites = np.zeros((len(boards), 2), np.int32)
        shape = self.shape
        for first, last in steps(0, len(boards), _LINES):
            part = slice(first, last)
            batch_kernels.first_bites(
                shape.weights, shape.limits, self.bits, boards[part], outcomes[part], bites[part]
            )
        return bites

    def winning_bites(self, board: Board) -> list[Bite]:
        """Return all bites that leave a P-position, row by row from the poison row, left to right.

        Raises:
            UnknownAnswerError: the board does not fit.
        """
        board, turned = self.shape.orient(board)
        ranks = _ranks_after_bites(self.shape, board)
        is_p = self.bits[ranks >> 6] >> (ranks & 63).astype(np.uint64) & np.uint64(1)
        bites = (np.argwhere(is_p) + 1).tolist()
        return sorted((column, row) if turned else (row, column) for row, column in bites)

    def count_p(self) -> int:
        """Return the number of P-positions."""
        return int(np.bitwise_count(self.bits).sum(dtype=np.int64))

    def p_positions(self) -> NDArray[np.int64]:
        """Return all P-positions as row lengths, int64 array (number, rows) in rank order."""
        blocks = [boards for _, boards in self.p_blocks()]
        return np.concatenate(blocks or [np.zeros((0, self.shape.rows), np.int64)])

    def p_ranks(self) -> NDArray[np.int64]:
        """Return the ranks of all P-positions, ascending; `of_p_ranks` is the inverse."""
        return _ranks_of(self.bits)

    def p_blocks(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yield the results of `p_ranks` and `p_positions` in blocks."""
        for first, last in steps(0, self.shape.count, _BLOCK):
            ranks = first + _ranks_of(self.bits[first // 64 : -(-last // 64)])
            if len(ranks):
                yield ranks, self.shape.positions_of(ranks).astype(np.int64)

    @classmethod
    def of_p_ranks(cls, shape: Bounds, ranks: NDArray[np.int64]) -> "OutcomeTable":
        """Make the table whose P-positions have these ranks.

        Raises:
            ValueError: a rank is not in 0 .. count - 1.
        """
        if len(ranks) and not (ranks.min() >= 0 and ranks.max() < shape.count):
            raise ValueError(f"ranks inside {shape.name} are 0 to {shape.count - 1}")
        bits = np.zeros(-(-shape.count // 64), np.uint64)
        np.bitwise_or.at(bits, ranks >> 6, np.uint64(1) << (ranks & 63).astype(np.uint64))
        return cls(shape, bits)


def _ranks_after_bites(shape: Bounds, board: Board) -> NDArray[np.int64]:
    """Return the rank of what each bite leaves; int64 (rows, longest row), 0 outside the board.

    `batch_kernels` explains the sum.
    """
    lengths = np.array(board, np.int64)
    row, column = np.arange(len(board)), np.arange(max(board, default=0))
    inside = lengths[:, np.newaxis] > column
    sums = np.zeros((len(row) + 1, len(column)), np.int64)
    np.cumsum(shape.weights[: len(row), : len(column)], axis=0, out=sums[1:])
    before = np.concatenate(([0], np.cumsum(shape.weights[row, lengths])))
    height = np.count_nonzero(inside, axis=0)
    kept = sums[height, column] + before[-1] - before[height]
    return np.where(inside, before[:-1, np.newaxis] - sums[:-1] + kept, 0)


def _ranks_of(bits: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the indices of the bits that are set, ascending."""
    words = np.flatnonzero(bits)
    bytes_ = bits[words].astype("<u8").view(np.uint8).reshape(-1, 8)
    word, bit = np.nonzero(np.unpackbits(bytes_, axis=1, bitorder="little"))
    return words[word] * 64 + bit


def solve_shape(shape: Bounds, *, progress: StepCallback | None = None) -> OutcomeTable:
    """Solve all boards inside a bounding board."""
    game = Ranked(shape)
    if game.is_plain:
        is_p = np.zeros(-(-shape.count // 64) * 64, np.bool_)
        is_p[: shape.count] = ~folds.wins(game, progress=progress)
        plain = np.packbits(is_p, bitorder="little").view("<u8").astype(np.uint64)
        return OutcomeTable(shape, plain)
    from position_oracle.engine.solvers.boards import kernels

    bits = np.full(-(-shape.count // 64), _ALL_SET)
    if shape.count % 64:
        bits[-1] >>= np.uint64(64 - shape.count % 64)
    bits[0] &= ~np.uint64(1)
    limits, flag = shape.limits, current().flag
    for first, last in steps(0, shape.count, STEP, progress):
        kernels.sift_outcomes(shape.weights, limits, bits, first, last, flag)
    current().check()
    return OutcomeTable(shape, bits)
