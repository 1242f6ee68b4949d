"""Seeded simulation of random games: a check on tables, and an estimate where none reaches."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.budget import current
from engine.solvers.boards.shape import check_board
from engine.solvers.compiled import kernel
from engine.solvers.instructions import is_stopped
from engine.solvers.random_play.graph import sort_heaps
from engine.theory.random_play.nim import expected_turns_float as expected_nim_turns_float
from engine.theory.random_play.turns import expected_turns_float
from schema.errors import InvalidPositionError, ResourceLimitError

GAMES: Final = 100_000
"""Default number of games."""

MAX_STEPS: Final = 2**33
"""Limit on games times expected turns times rows, which bounds the time to about a minute."""

MAX_COOKIES: Final = 2**62
"""Most cookies or tokens of a position that is simulated."""


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
        turns: turns of all games together.
        squared_turns: squares of the turns of each game, added up.
    """

    games: int
    seed: int
    wins: int
    turns: int
    squared_turns: int

    @property
    def win_probability(self) -> float:
        """Share of games won by the player who moved first."""
        return self.wins / self.games

    @property
    def mean_turns(self) -> float:
        """Mean number of turns."""
        return self.turns / self.games

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

    def turns_interval(self, confidence: float = 0.99) -> Interval:
        """Interval of the expected number of turns by the normal approximation.

        Raises:
            ValueError: the confidence is not between 0 and 1.
        """
        spread = self.squared_turns * self.games - self.turns * self.turns
        reach = _quantile(confidence) * sqrt(spread / self.games) / self.games
        return Interval(self.mean_turns - reach, self.mean_turns + reach)


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
    return _simulate(board, expected_turns_float(board), seed, games, cuts_above=True, parity=0)


def simulate_nim(
    heaps: Iterable[int], seed: int, games: int = GAMES, *, misere: bool = False
) -> Simulation:
    """Play random games of Nim from heaps; arguments and errors as for `simulate_chomp`."""
    position = sort_heaps(heaps)
    parity = 0 if misere else 1
    turns = expected_nim_turns_float(position)
    return _simulate(position, turns, seed, games, cuts_above=False, parity=parity)


def _simulate(
    position: tuple[int, ...],
    expected_turns: float,
    seed: int,
    games: int,
    *,
    cuts_above: bool,
    parity: int,
) -> Simulation:
    if games < 1:
        raise InvalidPositionError(f"{games} games; at least one has to be played")
    if sum(position) > MAX_COOKIES:
        raise InvalidPositionError(
            f"a position of {sum(position)} cookies; at most {MAX_COOKIES} are simulated"
        )
    if games * (expected_turns + 1) * (len(position) + 1) > MAX_STEPS:
        raise ResourceLimitError(
            f"{games} games of about {expected_turns:.1f} turns on {len(position)} rows; the limit"
            f" on the product is {MAX_STEPS}"
        )
    counts = np.zeros(3, np.int64)
    rows = np.array(position, np.int64)
    budget = current()
    _play(rows, np.random.default_rng(seed), games, cuts_above, parity, counts, budget.flag)
    budget.check()
    return Simulation(games, seed, *counts.tolist())


@kernel
def _play(
    start: NDArray[np.int64],
    rng: np.random.Generator,
    games: int,
    cuts_above: bool,
    parity: int,
    counts: NDArray[np.int64],
    flag: NDArray[np.int64],
) -> None:
    """Add wins, turns and squared turns of random games to `counts` (3,).

    Args:
        start: int64 (rows,), row lengths or heaps.
        rng: source of random numbers.
        games: how many games.
        cuts_above: whether a move shortens the rows after its own too (Chomp), or not (Nim).
        parity: of the number of turns after which the first player has won, 0 or 1.
        counts: int64 (3,).
        flag: of the budget; once it is set no more is counted.
    """
    total = start.sum()
    rows = start.copy()
    for _ in range(games):
        rows[:] = start
        left, last, turns = total, len(start), 0
        while left > 0:
            if is_stopped(flag):
                return
            cookie = rng.integers(0, left)
            row = 0
            while cookie >= rows[row]:
                cookie -= rows[row]
                row += 1
            end = last if cuts_above else row + 1
            for other in range(row, end):
                cut = rows[other] - cookie
                if cut <= 0:
                    break
                rows[other] = cookie
                left -= cut
            if cuts_above and cookie == 0:
                last = row
            turns += 1
        counts[0] += turns % 2 == parity
        counts[1] += turns
        counts[2] += turns * turns


def _quantile(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; it lies between 0 and 1, as 0.99 does")
    return NormalDist().inv_cdf((1 + confidence) / 2)
