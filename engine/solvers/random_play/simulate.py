"""Seeded simulation of random Chomp: an estimate where no table reaches, and a check on tables."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import current
from position_oracle.engine.solvers.boards.shape import check_board
from position_oracle.engine.solvers.compiled import kernel
from position_oracle.engine.solvers.instructions import is_stopped
from position_oracle.engine.theory.random_play.turns import expected_turns_float
from position_oracle.schema.errors import InvalidPositionError, ResourceLimitError

GAMES: Final = 100_000
"""Default number of games."""

MAX_STEPS: Final = 2**33
"""Limit on games times expected turns times rows, which bounds the time to about a minute."""

MAX_COOKIES: Final = 2**62
"""Most cookies of a board that is simulated."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval of an estimate."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        """Whether a value lies in the interval, its ends included."""
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Simulation:
    """What was counted in simulated games.

    Attributes:
        games: number of games.
        seed: seed of the random numbers; the same seed gives the same counts.
        wins: games won by the player who moved first.
    """

    games: int
    seed: int
    wins: int

    @property
    def win_probability(self) -> float:
        """Share of games won by the player who moved first."""
        return self.wins / self.games

    def win_interval(self, confidence: float = 0.99) -> Interval:
        """Wilson's score interval of the win probability.

        Source: E. B. Wilson, Probable inference, the law of succession, and statistical
        inference, J. Amer. Statist. Assoc. 22 (1927) 209-212.

        Raises:
            ValueError: the confidence is not between 0 and 1.
        """
        z = _quantile(confidence)
        weight = z * z / self.games
        share = self.win_probability
        centre = (share + weight / 2) / (1 + weight)
        reach = sqrt(share * (1 - share) * weight + weight * weight / 4) / (1 + weight)
        return Interval(max(0.0, centre - reach), min(1.0, centre + reach))


def simulate_chomp(rows: Iterable[int], seed: int, games: int = GAMES) -> Simulation:
    """Play random games of Chomp from a board.

    Args:
        rows: row lengths, poison row first.
        seed: seed of the random numbers (PCG64), 0 or more.
        games: how many games.

    Raises:
        InvalidPositionError: the lengths are no board, it has more than `MAX_COOKIES` cookies, or
            games is less than 1.
        ResourceLimitError: the games would take more than `MAX_STEPS`.
        StoppedError: the current budget is spent.
    """
    board = check_board(rows)
    if games < 1:
        raise InvalidPositionError(f"{games} games; at least one has to be played")
    if sum(board) > MAX_COOKIES:
        raise InvalidPositionError(
            f"a board of {sum(board)} cookies; at most {MAX_COOKIES} are simulated"
        )
    turns = expected_turns_float(board)
    if games * (turns + 1) * (len(board) + 1) > MAX_STEPS:
        raise ResourceLimitError(
            f"{games} games of about {turns:.1f} turns on {len(board)} rows; the limit"
            f" on the product is {MAX_STEPS}"
        )
    budget = current()
    start = np.array(board, np.int64)
    wins = _count_wins(start, np.random.default_rng(seed), games, budget.flag)
    budget.check()
    return Simulation(games, seed, int(wins))


@kernel
def _count_wins(
    start: NDArray[np.int64], rng: np.random.Generator, games: int, flag: NDArray[np.int64]
) -> int:
    """How many random games the player who moves first wins: those with an even number of turns.

    Args:
        start: int64 (rows,), row lengths.
        rng: source of random numbers.
        games: how many games.
        flag: of the budget; once it is set no more is counted.
    """
    total = start.sum()
    rows = start.copy()
    wins = 0
    for _ in range(games):
        rows[:] = start
        left, last, turns = total, len(start), 0
        while left > 0:
            if is_stopped(flag):
                return wins
            cookie = rng.integers(0, left)
            row = 0
            while cookie >= rows[row]:
                cookie -= rows[row]
                row += 1
            for other in range(row, last):
                cut = rows[other] - cookie
                if cut <= 0:
                    break
                rows[other] = cookie
                left -= cut
            if cookie == 0:
                last = row
            turns += 1
        wins += turns % 2 == 0
    return wins


def _quantile(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; it lies between 0 and 1, as 0.99 does")
    return NormalDist().inv_cdf((1 + confidence) / 2)
