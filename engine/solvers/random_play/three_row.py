"""Three-row Chomp with both players random, in double precision with a proven error bound.

A table holds all boards with row lengths limit >= a >= b >= c >= 0, by rank (`schema.values`). It
serves boards with at most three rows or at most three columns, because a board and its transpose
have the same chances.
"""

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import current
from position_oracle.engine.solvers.random_play import three_row_kernels as kernels
from position_oracle.engine.solvers.shape import Board, transpose
from position_oracle.engine.theory.random_play.turns import expected_turns_float
from position_oracle.schema.errors import UnknownAnswerError
from position_oracle.schema.values import board_count

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

MAX_LIMIT: Final = 1_000
"""Longest first row of a table: 1.3 GiB of doubles."""

UNIT_ROUNDOFF: Final = 2.0**-53


@dataclass(frozen=True, slots=True)
class RandomTable:
    """Win probabilities of the player to move if both players move at random.

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

    def win_probability_batch(self, rows: IntArray) -> FloatArray:
        """Return win probabilities (m,), float64, of boards (m, 3) in the table, int64 rows."""
        return 0.5 + self.excess[kernels.ranks_of(rows)]


def solve_random(limit: int) -> RandomTable:
    """Compute the table of both players random, using 8 bytes for each position.

    The limit is in 0 .. `MAX_LIMIT`.
    """
    excess = np.empty(board_count(limit))
    budget = current()
    kernels.fill_excess(limit, excess, budget.flag)
    budget.check()
    excess.flags.writeable = False
    return RandomTable(limit, excess)


def random_error_bound(limit: int) -> float:
    """Bound |computed P - P| over a table of both players random.

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
    return 0.51 * gamma(limit + 5) * turns + UNIT_ROUNDOFF


def three_rows(board: Board, limit: int) -> tuple[int, int, int]:
    """Return row lengths (a, b, c) of a board or its transpose, as the tables have it.

    Raises:
        UnknownAnswerError: neither has three rows of at most `limit`.
    """
    if len(board) > 3 and board[0] <= 3 and len(board) <= limit:
        board = transpose(board)
    if len(board) > 3 or (board and board[0] > limit):
        raise UnknownAnswerError(
            f"a board of {len(board)} rows, the longest {board[0]}, is not among three rows of at"
            f" most {limit}"
        )
    a, b, c = (*board, 0, 0, 0)[:3]
    return a, b, c


def gamma(roundings: int) -> float:
    """Return γ_k = k u / (1 - k u), a bound on the relative error of k consecutive roundings."""
    return roundings * UNIT_ROUNDOFF / (1 - roundings * UNIT_ROUNDOFF)
