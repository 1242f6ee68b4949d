"""Seeded simulation of random play in any game: estimates for positions too large for a graph."""

from collections.abc import Hashable
from dataclasses import dataclass
from math import inf, sqrt
from random import Random
from statistics import NormalDist
from typing import Any, Final

from position_oracle.engine.budget import current
from position_oracle.engine.games.tree import Tree
from position_oracle.schema.errors import ResourceLimitError

GAMES: Final = 100_000
"""Maximum number of simulated games."""

FEWEST_GAMES: Final = 100
"""Minimum number of games for an estimate."""

MAX_WORK: Final = 600_000
"""Maximum number of moves listed in all games together: about half a second."""

_TURN: Final = 5
"""Work of one turn besides listing moves, in moves."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval of an estimate."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        """Return whether a value lies in the interval, including its ends."""
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Simulation:
    """Counts of simulated games.

    Attributes:
        games: number of games.
        seed: seed of the random numbers; the same seed gives the same counts.
        wins: games won by the player who moved first.
        turns: the total number of turns.
        squares: the sum of the squares of the numbers of turns.
    """

    games: int
    seed: int
    wins: int
    turns: int
    squares: int

    @property
    def win_probability(self) -> float:
        """Fraction of games won by the player who moved first."""
        return self.wins / self.games

    @property
    def mean_turns(self) -> float:
        """Average number of turns."""
        return self.turns / self.games

    def win_interval(self, confidence: float) -> Interval:
        """Return Wilson's score interval of the win probability; 0 < confidence < 1.

        Source: E. B. Wilson, Probable inference, the law of succession, and statistical
        inference, J. Amer. Statist. Assoc. 22 (1927) 209-212.
        """
        z = _quantile(confidence)
        weight = z * z / self.games
        share = self.win_probability
        centre = (share + weight / 2) / (1 + weight)
        reach = sqrt(share * (1 - share) * weight + weight * weight / 4) / (1 + weight)
        return Interval(max(0.0, centre - reach), min(1.0, centre + reach))

    def turns_interval(self, confidence: float) -> Interval:
        """Return an interval of the expected number of turns, by the central limit theorem."""
        games = self.games
        variance = (self.squares - self.turns**2 / games) / max(games - 1, 1)
        reach = _quantile(confidence) * sqrt(max(variance, 0.0) / games)
        return Interval(self.mean_turns - reach, self.mean_turns + reach)


def simulate(tree: Tree[Any], start: Hashable, seed: int = 0, *, weight: float = 1.0) -> Simulation:
    """Simulate games in which every action is equally likely: at most `GAMES` games.

    There are as many as `MAX_WORK` allows, given the work of the first `FEWEST_GAMES`.

    Args:
        tree: the moves of the game.
        start: the node where each game begins.
        seed: seed of the random numbers, 0 or more.
        weight: the time of a move divided by that of a move in a position with few numbers.

    Raises:
        ResourceLimitError: a position has too many moves, or `FEWEST_GAMES` games take more than
            `MAX_WORK`.
    """
    play = _Play(tree, start, Random(seed), weight)  # noqa: S311 - reproducible, not secret
    play.more(FEWEST_GAMES, MAX_WORK)
    most = int(FEWEST_GAMES * MAX_WORK / max(play.work, 1))
    play.more(min(GAMES, most) - FEWEST_GAMES)
    return Simulation(play.games, seed, play.wins, play.turns, play.squares)


class _Play:
    """Counts of random games."""

    def __init__(self, tree: Tree[Any], start: Hashable, random: Random, weight: float) -> None:
        self._tree = tree
        self._start = start
        self._random = random
        self._weight = weight
        self.work = 0.0
        self.games = self.wins = self.turns = self.squares = 0

    def more(self, count: int, most_work: float = inf) -> None:
        """Play more games.

        Raises:
            ResourceLimitError: the games take more work than allowed.
        """
        budget = current()
        choices, below, won = self._tree.choices, self._random.randrange, self._tree.won
        for _ in range(count):
            budget.check()
            node, turns = self._start, 0
            while (found := choices(node)).number:
                node = found.option(below(found.number))
                turns += 1
                self.work += (_TURN + found.listed) * self._weight
                budget.check()
                if self.work > most_work:
                    raise ResourceLimitError(
                        f"{FEWEST_GAMES} games at random, the fewest for an estimate, list more"
                        f" than {most_work:,} moves"
                    )
            self.games += 1
            self.turns += turns
            self.squares += turns * turns
            self.wins += won(node) == (turns % 2 == 0)


def _quantile(confidence: float) -> float:
    return NormalDist().inv_cdf((1 + confidence) / 2)
