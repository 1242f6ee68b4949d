"""Tables of three-row Chomp against chance: stored ones, and small ones solved when asked for."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.games.spec import Coordinates
from engine.solvers.random_play import ChancesTable, RandomTable, solve_chances, solve_random
from engine.solvers.random_play.three_row import batch_ranks, three_rows
from engine.theory.random_play import Model, Perfect
from schema.provenance import BuildRecord

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]

SIZES: Final = (64, 128, 300)
"""Longest first rows of tables solved when asked for: up to 0.4 s."""

KEPT: Final = 4
"""Tables kept of those solved when asked for, at most 60 MB each; the oldest use goes first."""


@dataclass(frozen=True, slots=True)
class StoredChances:
    """The rows of the table `random_play`, by rank.

    Attributes:
        limit: longest first row.
        p_mover: float64, both random: probability that the player to move wins.
        is_p: bool, whether the position is P.
        p_random_wins: float64, probability that a random player beats a perfect one.
        build: where they come from.
    """

    limit: int
    p_mover: Floats = field(repr=False)
    is_p: npt.NDArray[np.bool_] = field(repr=False)
    p_random_wins: Floats = field(repr=False)
    build: BuildRecord

    def win_probabilities(self, rows: Rows, model: Model) -> Floats:
        """Probabilities (m,) that the player to move wins, of boards (m, 3) within the limit."""
        ranks = batch_ranks(rows, self.limit)
        if model.perfect is Perfect.NOBODY:
            return self.p_mover[ranks]
        is_p, risk = self.is_p[ranks], self.p_random_wins[ranks]
        if model.mover_chooses:
            return np.where(is_p, 1.0 - risk, 1.0)
        return np.where(is_p, 0.0, risk)


class ChanceTables:
    """Answers from a stored table where it reaches, else from one solved and kept for a while.

    Both hold the same doubles. Safe to use from many threads.
    """

    def __init__(self, stored: StoredChances | None = None) -> None:
        self.stored = stored
        self._solved: OrderedDict[tuple[str, int], RandomTable | ChancesTable] = OrderedDict()
        self._lock = Lock()

    def limit(self, model: Model) -> int:
        """Longest first row that is answered."""
        return max(SIZES[-1], self.stored.limit if self._is_stored(model) and self.stored else 0)

    def stored_for(self, model: Model, longest: int) -> StoredChances | None:
        """The stored table, where it holds boards with such a first row for a model."""
        if self.stored is None or not self._is_stored(model) or longest > self.stored.limit:
            return None
        return self.stored

    def win_probabilities(self, rows: Rows, model: Model) -> Floats:
        """Probabilities (m,) that the player to move wins, of boards (m, 3), poison row first.

        No first row may exceed `limit(model)`.
        """
        longest = int(rows[:, 0].max(initial=0))
        stored = self.stored_for(model, longest)
        if stored is not None:
            return stored.win_probabilities(rows, model)
        if model.perfect is Perfect.NOBODY:
            return self.random(longest).win_probability_batch(rows)
        table = self.chances(model, longest)
        if model.mover_chooses:
            return table.win_probability_batch(rows)
        return table.losing_batch(rows, to_move=False)

    def win_probability(self, board: Coordinates, model: Model) -> float:
        """The same for one board of three rows or columns, given without empty rows."""
        rows = np.array([three_rows(board, self.limit(model))], np.int64)
        return float(self.win_probabilities(rows, model)[0])

    def random(self, longest: int) -> RandomTable:
        """A table of both players random that reaches a first row of at most `SIZES[-1]`."""
        size = _size(longest)
        table = self._kept("random", size, lambda: solve_random(size))
        assert isinstance(table, RandomTable)  # noqa: S101 - told apart by the key
        return table

    def chances(self, model: Model, longest: int) -> ChancesTable:
        """A table of one perfect player that reaches a first row of at most `SIZES[-1]`."""
        size, epsilon = _size(longest), model.epsilon
        table = self._kept(str(epsilon), size, lambda: solve_chances(size, float(epsilon)))
        assert isinstance(table, ChancesTable)  # noqa: S101 - told apart by the key
        return table

    def _kept(
        self, name: str, size: int, solve: Callable[[], RandomTable | ChancesTable]
    ) -> RandomTable | ChancesTable:
        # The lock is held while solving: whoever asks meanwhile for the same table needs it too.
        with self._lock:
            table = self._solved.get((name, size))
            if table is None:
                table = self._solved[name, size] = solve()
                if len(self._solved) > KEPT:
                    self._solved.popitem(last=False)
            self._solved.move_to_end((name, size))
            return table

    @staticmethod
    def _is_stored(model: Model) -> bool:
        return model.epsilon == 1


def _size(longest: int) -> int:
    return next(size for size in SIZES if longest <= size)
