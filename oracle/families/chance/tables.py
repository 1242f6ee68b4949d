"""Tables of random play in three-row Chomp: stored ones, and small ones solved on demand."""

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from position_oracle.engine.budget import Cost
from position_oracle.engine.games.spec import Coordinates
from position_oracle.engine.theory.random_play.model import Model, Perfect
from position_oracle.oracle.families.resources import Resources, StoredTable
from position_oracle.oracle.families.sources import Floats

if TYPE_CHECKING:
    from position_oracle.engine.solvers.random_play.three_row import RandomTable
    from position_oracle.engine.solvers.random_play.three_row_chances import ChancesTable

RowLengths = npt.NDArray[np.int64]

SIZES: Final = (64, 128, 300)
"""Longest first rows of tables solved on demand: up to 0.4 s."""


SOLVE_SECONDS: Final = 0.4
"""Seconds to solve the largest table."""


class StoredChances:
    """The rows of the table `random_play`, by rank.

    Attributes:
        limit: longest first row.
        p_mover: float64, both random: probability that the player to move wins.
        is_p: bool, whether each position is P.
        p_random_wins: float64, probability that a random player beats a perfect one.
    """

    def __init__(self, stored: StoredTable) -> None:
        arrays = stored.arrays
        self.limit = int(stored.build.limit)
        self.p_mover: Floats = arrays["p_mover"]  # type: ignore[assignment]
        self.is_p: npt.NDArray[np.bool_] = arrays["is_p"]  # type: ignore[assignment]
        self.p_random_wins: Floats = arrays["p_random_wins"]  # type: ignore[assignment]

    def win_probabilities(self, rows: RowLengths, model: Model) -> Floats:
        """Return probabilities (m,) that the player to move wins, of boards (m, 3)."""
        from position_oracle.engine.solvers.random_play.three_row_kernels import ranks_of

        ranks: npt.NDArray[np.int64] = ranks_of(rows)
        if model.perfect is Perfect.NOBODY:
            return self.p_mover[ranks]
        is_p, risk = self.is_p[ranks], self.p_random_wins[ranks]
        if model.mover_chooses:
            return np.where(is_p, 1.0 - risk, 1.0)
        return np.where(is_p, 0.0, risk)


class ChanceTables:
    """Answers from a stored table if it is large enough, or from one solved and cached.

    Both tables hold the same doubles. Threads may share an instance.
    """

    def __init__(self, resources: Resources) -> None:
        self._resources = resources

    @cached_property
    def stored(self) -> StoredChances | None:
        """The stored table, if there is one."""
        tables = self._resources.tables("chomp3", "random_play")
        return StoredChances(tables[0]) if tables else None

    def limit(self, model: Model) -> int:
        """Return the longest first row that is answered."""
        return max(SIZES[-1], self.stored.limit if model.epsilon == 1 and self.stored else 0)

    def stored_for(self, model: Model, longest: int) -> StoredChances | None:
        """Return the stored table if it has boards with such a first row for a model."""
        if self.stored is None or model.epsilon != 1 or longest > self.stored.limit:
            return None
        return self.stored

    def error_bound(self, model: Model) -> float:
        """Bound the error of every known probability of a batch.

        The bound is that of the tables; rounded closed forms and exact values have smaller errors.
        """
        from position_oracle.engine.solvers.random_play.three_row import random_error_bound

        longest = self.limit(model)
        if model.perfect is Perfect.NOBODY:
            return random_error_bound(longest)
        return relative_bound(longest, model.epsilon) + 2.0**-53

    def cost(self, model: Model, longest: int) -> Cost:
        """Return the cost of a table up to a first row; zero if it is stored."""
        if self.stored_for(model, longest) is not None:
            return Cost()
        size = _size(longest)
        return Cost(0.002 + SOLVE_SECONDS * (size / SIZES[-1]) ** 3, _bytes_of(size)(None))

    def win_probabilities(self, rows: RowLengths, model: Model) -> Floats:
        """Return probabilities (m,) that the player to move wins, of boards (m, 3).

        No first row may exceed `limit(model)`.
        """
        longest = int(rows[:, 0].max(initial=0))
        stored = self.stored_for(model, longest)
        if stored is not None:
            return stored.win_probabilities(rows, model)
        if model.perfect is Perfect.NOBODY:
            return self.random(longest).win_probability_batch(rows)
        losing = self.chances(model, longest).losing_batch(rows, to_move=model.mover_chooses)
        return 1.0 - losing if model.mover_chooses else losing

    def win_probability(self, board: Coordinates, model: Model) -> float:
        """Return the probability of one board of three rows or columns, without empty rows."""
        from position_oracle.engine.solvers.random_play.three_row import three_rows

        rows = np.array([three_rows(board, self.limit(model))], np.int64)
        return float(self.win_probabilities(rows, model)[0])

    def random(self, longest: int) -> "RandomTable":
        """Return a table of two random players with a first row of at most `SIZES[-1]`."""
        size = _size(longest)

        def solve() -> "RandomTable":
            from position_oracle.engine.solvers.random_play.three_row import solve_random

            return solve_random(size)

        return self._resources.cache.find("random", size, solve, _bytes_of(size), size.__le__)

    def chances(self, model: Model, longest: int) -> "ChancesTable":
        """Return a table of one perfect player with a first row of at most `SIZES[-1]`."""
        size, epsilon = _size(longest), model.epsilon

        def solve() -> "ChancesTable":
            from position_oracle.engine.solvers.random_play.three_row_chances import solve_chances

            return solve_chances(size, float(epsilon))

        return self._resources.cache.find("chances", (epsilon, size), solve, _bytes_of(size))


def relative_bound(longest: int, epsilon: Fraction) -> float:
    """Bound the relative error of the fallible player's chance in a table.

    The bound adds the error of the table, for the double nearest to epsilon, and the error of
    epsilon itself: a relative error u of epsilon is one of at most u max(1, epsilon / (1 -
    epsilon)) in epsilon and 1 - epsilon, which enter once in each turn.
    """
    from position_oracle.engine.solvers.random_play.three_row import gamma
    from position_oracle.engine.solvers.random_play.three_row_chances import chances_error_bound

    bound = chances_error_bound(longest)
    if Fraction(float(epsilon)) == epsilon:
        return bound
    turns = 3 * longest // 2 + 1
    return bound + gamma(2 * turns * ceil(max(Fraction(1), epsilon / (1 - epsilon))))


def _size(longest: int) -> int:
    return next(size for size in SIZES if longest <= size)


def _bytes_of(size: int) -> Callable[[object], int]:
    """Return bytes of a table: at most 13 for each of (size + 3)^3 / 6 positions."""
    return lambda _: 13 * (size + 3) ** 3 // 6
