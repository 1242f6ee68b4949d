"""Tables of three-row Chomp against chance, in double precision with proven error bounds.

All positions (a, b, c) of row lengths limit >= a >= b >= c >= 0 are held, by rank, in lexicographic
order. Boards with at most three rows or at most three columns are looked up; a board and its
transpose have the same chances.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import comb, inf, log10
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.solvers.boards.shape import Board, check_board, transpose
from engine.solvers.random_play import three_row_kernels as kernels
from engine.solvers.random_play.fallible import check_epsilon
from engine.theory.random_play.turns import expected_turns_float
from schema.errors import InvalidPositionError, ResourceLimitError, UnknownAnswerError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

MAX_LIMIT: Final = 1_000
"""Longest first row of a table: 1.3 GiB of doubles."""

UNIT_ROUNDOFF: Final = 2.0**-53


@dataclass(frozen=True, slots=True)
class RandomTable:
    """Both players random: win probability of the player to move.

    Attributes:
        limit: longest first row.
        excess: float64 (count,), by rank: P - 1/2, P the probability that the mover wins.
    """

    limit: int
    excess: FloatArray = field(repr=False, compare=False)

    @property
    def error_bound(self) -> float:
        """Absolute error bound of every probability; see `random_error_bound`."""
        return random_error_bound(self.limit)

    def win_probability(self, rows: Iterable[int]) -> float:
        """Probability that the player to move wins; 1 for the empty board.

        Raises:
            InvalidPositionError: the lengths are no board.
            UnknownAnswerError: the board is not in the table.
        """
        return 0.5 + float(self.excess[kernels.rank(*_three_rows(rows, self.limit))])

    def win_probability_batch(self, rows: IntArray) -> FloatArray:
        """Win probabilities (m,), float64, of boards (m, 3), int64 row lengths, poison row first.

        Raises:
            InvalidPositionError: another shape or dtype, or a row that is no board.
            UnknownAnswerError: a board with a first row beyond the limit.
        """
        return 0.5 + self.excess[batch_ranks(rows, self.limit)]


@dataclass(frozen=True, slots=True)
class Scaled:
    """A probability as mantissa * 2**exponent, for what is below the least double.

    Attributes:
        mantissa: 0, or in 0.5 .. 1.
        exponent: the power of two.
    """

    mantissa: float
    exponent: int

    def __float__(self) -> float:
        """The nearest double, which may be 0."""
        return float(np.ldexp(self.mantissa, self.exponent))

    @property
    def log10(self) -> float:
        """The decimal logarithm, -inf for 0."""
        if self.mantissa == 0:
            return -inf
        return log10(self.mantissa) + self.exponent * log10(2)


ZERO: Final = Scaled(0.0, 0)


@dataclass(frozen=True, slots=True)
class ChancesTable:
    """One player perfect, the other fallible; the model is that of `fallible`.

    Attributes:
        limit: longest first row.
        epsilon: probability that the opponent errs, 1 for a random one.
        mantissas: float64 (count,), by rank; see `exponents`.
        exponents: int32 (count,); mantissa * 2**exponent is, at a P-position, the probability that
            the perfect player loses if he is to move, and at an N-position, the probability that
            the opponent wins if he is to move. The other one of the two is 0.
        is_p: bool (count,), whether the position is P.
    """

    limit: int
    epsilon: float
    mantissas: FloatArray = field(repr=False, compare=False)
    exponents: NDArray[np.int32] = field(repr=False, compare=False)
    is_p: NDArray[np.bool_] = field(repr=False, compare=False)

    @property
    def relative_error_bound(self) -> float:
        """Relative error bound of every probability of losing; see `chances_error_bound`."""
        return chances_error_bound(self.limit)

    def losing_to_move(self, rows: Iterable[int]) -> Scaled:
        """Probability that the perfect player loses if he is to move; 0 exactly at N-positions.

        Raises:
            InvalidPositionError: the lengths are no board.
            UnknownAnswerError: the board is not in the table.
        """
        number = kernels.rank(*_three_rows(rows, self.limit))
        return self._stored(number) if self.is_p[number] else ZERO

    def losing_waiting(self, rows: Iterable[int]) -> Scaled:
        """Probability that he loses if the opponent is to move; 0 exactly at P-positions.

        Errors are those of `losing_to_move`.
        """
        number = kernels.rank(*_three_rows(rows, self.limit))
        return ZERO if self.is_p[number] else self._stored(number)

    def win_probability_batch(self, rows: IntArray, *, to_move: bool = True) -> FloatArray:
        """Probabilities (m,), float64, that the perfect player wins, of boards (m, 3), int64.

        Args:
            rows: row lengths, poison row first.
            to_move: whether the perfect player is to move, else the opponent.

        Raises:
            InvalidPositionError: another shape or dtype, or a row that is no board.
            UnknownAnswerError: a board with a first row beyond the limit.
        """
        ranks = batch_ranks(rows, self.limit)
        losing = np.ldexp(self.mantissas[ranks], self.exponents[ranks])
        return np.asarray(1.0 - np.where(self.is_p[ranks] == to_move, losing, 0.0))

    def best_moves(self, rows: Iterable[int]) -> tuple[Board, ...]:
        """Children by all best moves of the perfect player, in ascending lexicographic order.

        At an N-position they are the winning moves, at a P-position the best practical chances.
        There, values that differ by less than the error bound count as equal.

        Errors are those of `losing_to_move`.
        """
        board = check_board(rows)
        triple = _three_rows(board, self.limit)
        if not any(triple):
            return ()
        ranks = kernels.children_of(*triple)
        lost = self.is_p[kernels.rank(*triple)]
        chosen = self._least(ranks) if lost else self.is_p[ranks]
        children = {rows_of_rank(int(number)) for number in ranks[chosen]}
        return tuple(sorted(children if len(board) <= 3 else map(transpose, children)))

    def _least(self, ranks: IntArray) -> NDArray[np.bool_]:
        mantissas, exponents = self.mantissas[ranks], self.exponents[ranks]
        # What is 16 times the least is not a best move, whatever its exponent.
        scaled = np.ldexp(mantissas, np.minimum(exponents - exponents.min(), 5))
        return np.asarray(scaled <= scaled.min() * (1 + 2 * self.relative_error_bound))

    def _stored(self, number: int) -> Scaled:
        return Scaled(float(self.mantissas[number]), int(self.exponents[number]))


def solve_random(limit: int) -> RandomTable:
    """The table of both players random, 8 bytes a position.

    Raises:
        ResourceLimitError: limit is not in 0 .. `MAX_LIMIT`.
    """
    excess = np.empty(count_positions(limit))
    kernels.fill_excess(limit, excess)
    excess.flags.writeable = False
    return RandomTable(limit, excess)


def solve_chances(limit: int, epsilon: float = 1.0) -> ChancesTable:
    """The table of a perfect player against a fallible one, 13 bytes a position.

    Args:
        limit: longest first row.
        epsilon: probability that the opponent errs, 1 for a random one.

    Raises:
        InvalidPositionError: epsilon is not in 0 .. 1.
        ResourceLimitError: limit is not in 0 .. `MAX_LIMIT`.
    """
    count = count_positions(limit)
    probability = float(check_epsilon(epsilon))
    mantissas, exponents = np.empty(count), np.empty(count, np.int32)
    is_p = np.empty(count, np.bool_)
    kernels.fill_chances(limit, probability, mantissas, exponents, is_p)
    for array in (mantissas, exponents, is_p):
        array.flags.writeable = False
    return ChancesTable(limit, probability, mantissas, exponents, is_p)


def random_error_bound(limit: int) -> float:
    """Bound on |computed P - P| over a table of both players random.

    Let γ_k = k u / (1 - k u), u = 2^-53. Each sum along a line has at most `limit` terms, five
    additions join the six lines, and a division follows: the computed q(B) is the mean of the
    computed -q(D), each with a relative error of at most γ_(limit + 5). All |q| are at most 1/2,
    and the computed ones less than 0.51. So the errors e satisfy

        e(B) <= 0.51 γ + mean e(D),

    which is 0.51 γ times the recursion (2.1) of the expected number of turns: e(B) is at most
    0.51 γ E[turns from B], and no board of the table has more turns than the largest (Theorem
    1.1). The last addition, P = 1/2 + q, adds u.
    """
    turns = expected_turns_float((limit, limit, limit))
    return 0.51 * _gamma(limit + 5) * turns + UNIT_ROUNDOFF


def chances_error_bound(limit: int) -> float:
    """Bound on the relative error of probabilities of losing in a `ChancesTable`.

    Everything added is positive, so that relative errors do not grow by cancellation. At most six
    P-positions are children of a board; their mean and maximum, and the mixture of both, take at
    most ten roundings. Two turns remove two cookies at least, and of the two only the opponent's
    rounds: γ_10 compounds at most 3/2 `limit` + 1 times.
    """
    return _gamma(10 * (3 * limit // 2 + 1))


def count_positions(limit: int) -> int:
    """Number of positions of a table, C(limit + 3, 3).

    Raises:
        ResourceLimitError: limit is not in 0 .. `MAX_LIMIT`.
    """
    if not 0 <= limit <= MAX_LIMIT:
        raise ResourceLimitError(
            f"three-row table with a first row of {limit}; allowed are 0 to {MAX_LIMIT}"
        )
    return comb(limit + 3, 3)


def table_rows(limit: int) -> NDArray[np.int32]:
    """Row lengths (count, 3), int32, of all positions of a table by rank.

    Raises:
        ResourceLimitError: limit is not in 0 .. `MAX_LIMIT`.
    """
    rows = np.empty((count_positions(limit), 3), np.int32)
    kernels.fill_rows(limit, rows)
    return rows


def rows_of_rank(number: int) -> Board:
    """The board with a rank, without empty rows."""
    a = b = 0
    while comb(a + 3, 3) <= number:
        a += 1
    number -= comb(a + 2, 3)
    while comb(b + 2, 2) <= number:
        b += 1
    return tuple(length for length in (a, b, number - comb(b + 1, 2)) if length)


def batch_ranks(rows: IntArray, limit: int) -> IntArray:
    """Ranks (m,), int64, of boards (m, 3), int64, in a table.

    Raises:
        InvalidPositionError: another shape or dtype, or a row that is no board.
        UnknownAnswerError: a board with a first row beyond the limit.
    """
    if rows.ndim != 2 or rows.shape[1] != 3 or rows.dtype != np.int64:
        raise InvalidPositionError(
            f"three-row boards need shape (m, 3) and dtype int64, got {rows.shape}, {rows.dtype}"
        )
    ranks = np.empty(len(rows), np.int64)
    bad = kernels.ranks_of(limit, rows, ranks)
    if bad >= 0:
        _three_rows(rows[bad].tolist(), limit)
    return ranks


def _three_rows(rows: Iterable[int], limit: int) -> tuple[int, int, int]:
    board = check_board(rows)
    if len(board) > 3 and board[0] <= 3 and len(board) <= limit:
        board = transpose(board)
    if len(board) > 3 or (board and board[0] > limit):
        raise UnknownAnswerError(
            f"a board of {len(board)} rows, the longest {board[0]}, is not among three rows of at"
            f" most {limit}"
        )
    a, b, c = (*board, 0, 0, 0)[:3]
    return a, b, c


def _gamma(roundings: int) -> float:
    return roundings * UNIT_ROUNDOFF / (1 - roundings * UNIT_ROUNDOFF)
