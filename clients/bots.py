"""Bots that play: those that ask the oracle, and opponents that do not.

A bot is told a position as text and answers with its move: the text of the position it moves to,
or `pass`. They play Chomp unless they are given the rules of another game.
"""

import random
from typing import Any, Protocol

from clients.rules import BOARDS, PlayedRules
from schema.answers import Analysis, Answer


class Asked(Protocol):
    """An oracle to ask: a client, or one in this process."""

    def winning_moves(self, position: str, /) -> Answer[Any]:
        """Who wins, and every move that wins."""

    def analyze(self, position: str, /) -> Analysis[Any]:
        """Everything known about a position, with all moves best first."""


class Bot(Protocol):
    """Anything that chooses a move."""

    @property
    def name(self) -> str:
        """What it is called in records."""

    def choose(self, position: str) -> str:
        """Its move in a position that has one.

        Raises:
            InvalidQuestionError: the text is no position of its game.
        """


class PerfectBot:
    """Makes the first winning move that the oracle names.

    Where there is none, or the oracle does not know one, it takes the least that it can, which
    leaves the opponent the most room to err.
    """

    name = "perfect"

    def __init__(self, oracle: Asked, rules: PlayedRules = BOARDS) -> None:
        self._oracle = oracle
        self._rules = rules

    def choose(self, position: str) -> str:
        """Its move; raises `OracleClientError` where the oracle cannot be asked."""
        moves = self._oracle.winning_moves(position).winning_moves
        return str(moves[0]) if moves else self._rules.small_move(position)


class HurriedBot:
    """Wins as fast as it can, and loses as late as it can, by remoteness.

    Where remoteness is not known it plays like `PerfectBot`.
    """

    name = "hurried"

    def __init__(self, oracle: Asked, rules: PlayedRules = BOARDS) -> None:
        self._oracle = oracle
        self._otherwise = PerfectBot(oracle, rules)

    def choose(self, position: str) -> str:
        """Its move; raises `OracleClientError` where the oracle cannot be asked."""
        analysis = self._oracle.analyze(position)
        if not analysis.complete or analysis.values.remoteness is None or not analysis.moves:
            return self._otherwise.choose(position)
        return str(analysis.moves[0].move)


class SloppyBot:
    """Plays like another bot, but with some probability makes any legal move at random."""

    def __init__(self, bot: "Bot", epsilon: float, seed: int, rules: PlayedRules = BOARDS) -> None:
        """Make a bot that errs.

        Args:
            bot: whom it plays like otherwise.
            epsilon: probability of a random move, 0 to 1.
            seed: decides when it errs, and how.
            rules: those of the game.

        Raises:
            ValueError: epsilon is no probability.
        """
        if not 0 <= epsilon <= 1:
            raise ValueError(f"epsilon {epsilon} is no probability; allowed are 0 to 1")
        self._bot = bot
        self._epsilon = epsilon
        self._errs = random.Random(seed)  # noqa: S311 - games, not secrets
        self._at_random = RandomBot(seed + 1, rules)

    @property
    def name(self) -> str:
        """The name with the probability, e.g. `sloppy(0.1)`."""
        return f"sloppy({self._epsilon:g})"

    def choose(self, position: str) -> str:
        """Its move."""
        errs = self._errs.random() < self._epsilon
        return (self._at_random if errs else self._bot).choose(position)


class RandomBot:
    """Makes any legal move with equal probability, the poison and a pass included."""

    name = "random"

    def __init__(self, seed: int, rules: PlayedRules = BOARDS) -> None:
        """Make a bot whose moves depend on the seed alone."""
        self._rules = rules
        self._random = random.Random(seed)  # noqa: S311 - games, not secrets

    def choose(self, position: str) -> str:
        """Its move."""
        number = self._random.randrange(self._rules.count(position))
        return self._rules.move(position, number)


class GreedyBot:
    """Takes as much as it can without losing at once: in Chomp, without the poison."""

    name = "greedy"

    def __init__(self, rules: PlayedRules = BOARDS) -> None:
        self._rules = rules

    def choose(self, position: str) -> str:
        """Its move."""
        return self._rules.greedy_move(position)
