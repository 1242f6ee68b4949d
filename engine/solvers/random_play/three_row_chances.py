"""Three-row Chomp, one player perfect and the other fallible, in double precision.

The opponent errs with probability epsilon in each turn, and then moves at random; otherwise
the opponent makes the move that is worst for the perfect player. At a P-position ℓ is the
probability that the perfect player, to move, loses; at an N-position ρ is the probability that the
opponent, to move, wins (`engine.solvers.folds.perfect_chances`).
"""

from dataclasses import dataclass, field
from math import inf, log10
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import current
from position_oracle.engine.solvers.random_play import three_row_kernels as kernels
from position_oracle.engine.solvers.random_play.three_row import (
    FloatArray,
    IntArray,
    gamma,
    three_rows,
)
from position_oracle.engine.solvers.shape import Board, transpose
from position_oracle.schema.values import board_count, rank, unrank


@dataclass(frozen=True, slots=True)
class ScaledChance:
    """A probability as mantissa * 2**exponent, which may be below the least double.

    Attributes:
        mantissa: 0, or in 0.5 .. 1.
        exponent: the power of two.
    """

    mantissa: float
    exponent: int

    def __float__(self) -> float:
        """Return the nearest double, which may be 0."""
        return float(np.ldexp(self.mantissa, self.exponent))

    @property
    def log10(self) -> float:
        """The decimal logarithm, -inf for 0."""
        if self.mantissa == 0:
            return -inf
        return log10(self.mantissa) + self.exponent * log10(2)


ZERO: Final = ScaledChance(0.0, 0)

LEAST_DOUBLE: Final = 2.0**-1074
"""The least positive double."""


@dataclass(frozen=True, slots=True)
class ChancesTable:
    """Chances with one player perfect and the other fallible.

    Attributes:
        limit: longest first row.
        epsilon: probability that the opponent errs, 1 for a random one.
        mantissas: float64 (count,), by rank; see `exponents`.
        exponents: int32 (count,); at a P-position, mantissa * 2**exponent is the probability that
            the perfect player, to move, loses. At an N-position it is the probability that the
            opponent, to move, wins. The other probability of each position is 0.
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

    def losing(self, board: Board, *, to_move: bool) -> ScaledChance:
        """Return the probability that the perfect player loses, if to move or if the opponent is.

        If the perfect player is to move, it is 0 exactly at N-positions; if the opponent is,
        exactly at P-positions.

        Raises:
            UnknownAnswerError: the board is not in the table.
        """
        number = rank(*three_rows(board, self.limit))
        return self._stored(number) if self.is_p[number] == to_move else ZERO

    def losing_batch(self, rows: IntArray, *, to_move: bool) -> FloatArray:
        """Return `losing` for boards (m, 3) in the table, int64 rows: float64 (m,).

        Small probabilities keep their relative precision; see `doubles`.
        """
        ranks = kernels.ranks_of(rows)
        return np.where(self.is_p[ranks] == to_move, self.doubles(ranks), 0.0)

    def doubles(self, ranks: IntArray | slice = slice(None)) -> FloatArray:
        """Return the stored probabilities as doubles.

        None of them is 0: smaller probabilities are rounded up to the least positive double.
        """
        values = np.ldexp(self.mantissas[ranks], self.exponents[ranks])
        return np.asarray(np.maximum(values, LEAST_DOUBLE))

    def best_moves(self, board: Board) -> tuple[Board, ...]:
        """Return the children by all best moves of the perfect player, in lexicographic order.

        At an N-position the best moves are the winning moves. At a P-position they are the moves
        with the least probability of losing; values that differ by less than the error bound count
        as equal.

        It raises the errors of `losing`.
        """
        triple = three_rows(board, self.limit)
        if not any(triple):
            return ()
        ranks = kernels.children_of(*triple)
        lost = self.is_p[rank(*triple)]
        chosen = self._least(ranks) if lost else self.is_p[ranks]
        rows_left = map(unrank, ranks[chosen].tolist())
        children = {tuple(filter(None, left)) for left in rows_left}
        return tuple(sorted(children if len(board) <= 3 else map(transpose, children)))

    def _least(self, ranks: IntArray) -> NDArray[np.bool_]:
        mantissas, exponents = self.mantissas[ranks], self.exponents[ranks]
        # A value of 16 times the least is not a best move, whatever its exponent.
        scaled = np.ldexp(mantissas, np.minimum(exponents - exponents.min(), 5))
        return np.asarray(scaled <= scaled.min() * (1 + 2 * self.relative_error_bound))

    def _stored(self, number: int) -> ScaledChance:
        return ScaledChance(float(self.mantissas[number]), int(self.exponents[number]))


def solve_chances(limit: int, epsilon: float = 1.0) -> ChancesTable:
    """Compute the table of a perfect and a fallible player, using 13 bytes for each position.

    Args:
        limit: longest first row, 0 .. `MAX_LIMIT`.
        epsilon: probability that the opponent errs, 1 for a random one.
    """
    count = board_count(limit)
    mantissas, exponents = np.empty(count), np.empty(count, np.int32)
    is_p = np.empty(count, np.bool_)
    budget = current()
    kernels.fill_chances(limit, epsilon, mantissas, exponents, is_p, budget.flag)
    budget.check()
    for array in (mantissas, exponents, is_p):
        array.flags.writeable = False
    return ChancesTable(limit, epsilon, mantissas, exponents, is_p)


def chances_error_bound(limit: int) -> float:
    """Bound the relative error of probabilities of losing in a `ChancesTable`.

    All terms are positive, so relative errors do not grow by cancellation. At most six P-positions
    are children of a board; their mean and maximum, and the mixture of both, take at most ten
    roundings. Two turns remove two cookies at least, and of the two only the opponent's rounds:
    γ_10 compounds at most 3/2 `limit` + 1 times.
    """
    return gamma(10 * (3 * limit // 2 + 1))
