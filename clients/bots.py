"""Bots: some ask the oracle for moves, others do not.

A bot takes a position as text and returns its move: the text of the position after the move, or
`pass`. A bot of yours may also return a `Move` or an `Action`. All bots here play every game that
`position_oracle.rules` knows.
"""

import random
from math import inf
from types import MappingProxyType
from typing import Any, Final, Protocol

from position_oracle.clients import rules
from position_oracle.clients.errors import (
    ClientTypeError,
    InvalidArgumentError,
    InvalidQuestionError,
    integer,
)
from position_oracle.clients.rules import MoveLike
from position_oracle.schema.answerer import Answerer, AsyncAnswerer
from position_oracle.schema.answers import Outcome
from position_oracle.schema.moves import Move
from position_oracle.schema.numbers import shown_value

MAX_WEIGHED: Final = 64
"""Maximum number of moves that a stubborn bot compares."""


class Bot(Protocol):
    """The interface of a bot, which chooses moves."""

    @property
    def name(self) -> str:
        """The name of the bot in records."""

    def choose(self, position: str) -> MoveLike:
        """Return the bot's move in a position that has a move.

        Raises:
            InvalidQuestionError: the text is not a position of its game.
        """


class AsyncBot(Protocol):
    """The interface of a bot for asyncio."""

    @property
    def name(self) -> str:
        """The name of the bot in records."""

    async def choose(self, position: str) -> MoveLike:
        """See `Bot.choose`."""


class PerfectBot:
    """Bot that makes the best move, as `Answerer.best_move` describes it."""

    name = "perfect"

    def __init__(self, oracle: Answerer) -> None:
        self._oracle = oracle

    def choose(self, position: str) -> str:
        """Return the move; raise `PositionOracleError` if the oracle cannot be asked."""
        return _made(self._oracle.best_move(position), position)


class AsyncPerfectBot:
    """Perfect bot with an oracle for asyncio, such as `AsyncOracleClient`."""

    name = "perfect"

    def __init__(self, oracle: AsyncAnswerer) -> None:
        self._oracle = oracle

    async def choose(self, position: str) -> str:
        """See `PerfectBot.choose`."""
        return _made(await self._oracle.best_move(position), position)


class StubbornBot:
    """Bot that wins if it can; otherwise it leaves the smallest share of winning replies.

    The share is winning replies divided by all replies. Among equal moves it prefers the one after
    which the game lasts longest, then the first in the list. It compares only moves whose replies
    can be listed.
    """

    name = "stubborn"

    def __init__(self, oracle: Answerer) -> None:
        self._oracle = oracle
        self._otherwise = PerfectBot(oracle)

    def choose(self, position: str) -> str:
        """Return the move; raise `PositionOracleError` if the oracle cannot be asked."""
        answer = self._oracle.winning_moves(position)
        if answer.outcome is not Outcome.P:
            return self._otherwise.choose(position)
        moves = rules.some_moves(position, MAX_WEIGHED)
        return min(moves, key=lambda move: self._ease(rules.play(position, move)))

    def _ease(self, position: str) -> tuple[float, int]:
        """Return the share of replies that win for the opponent, and minus the plies left."""
        if rules.is_over(position):
            return inf, 0  # a losing move that ends the game loses at once
        analysis = self._oracle.analyze(position)
        wins = analysis.answer.winning_moves
        if not analysis.complete or not analysis.moves or wins is None:
            return 1.0, 0
        return len(wins) / len(analysis.moves), -(analysis.values.remoteness or 0)


class SloppyBot:
    """Bot that plays like another bot, but sometimes makes a random legal move."""

    def __init__(self, bot: "Bot", epsilon: float, seed: int, name: str = "") -> None:
        """Make a bot that errs.

        Args:
            bot: the bot to imitate.
            epsilon: probability of a random move, 0 to 1.
            seed: seed of the random moves.
            name: the name in records; `sloppy(0.1)` by default.

        Raises:
            InvalidArgumentError: epsilon is not a probability.
            ClientTypeError: epsilon is not a number, or the seed is not an integer.
            InvalidQuestionError: the seed has too many digits.
        """
        try:
            is_probability = 0 <= epsilon <= 1
        except TypeError:
            raise ClientTypeError(f"epsilon is {shown_value(epsilon)}; give a number") from None
        if not is_probability:
            raise InvalidArgumentError(
                f"epsilon {shown_value(epsilon)} is not a probability; allowed are 0 to 1"
            )
        seed = integer(seed, "seed")
        self._bot = bot
        self._epsilon = epsilon
        self.name = name or f"sloppy({float(epsilon):g})"
        self._errs = random.Random(seed)  # noqa: S311 - games, not secrets
        self._at_random = RandomBot(seed + 1)

    def choose(self, position: str) -> MoveLike:
        """Return the move."""
        errs = self._errs.random() < self._epsilon
        return (self._at_random if errs else self._bot).choose(position)


class RandomBot:
    """Bot that makes any action with equal probability, including the poison and a pass."""

    name = "random"

    def __init__(self, seed: int) -> None:
        """Make a bot whose moves depend only on the seed."""
        self._random = random.Random(integer(seed, "seed"))  # noqa: S311 - games, not secrets

    def choose(self, position: str) -> str:
        """Return the move."""
        return rules.random_move(position, self._random)


class GreedyBot:
    """Bot that takes as much as it can without losing at once, so it avoids the poison."""

    name = "greedy"

    def choose(self, position: str) -> str:
        """Return the move."""
        return rules.greedy_move(position)


def _made(move: Move[Any] | None, position: str) -> str:
    if move is None:
        raise InvalidQuestionError(f"{position}: the game is over", "position")
    return str(move)


LEVELS: Final = MappingProxyType(
    {
        "perfect": "never errs, and gives you the longest game when it cannot win",
        "stubborn": "never errs, and when it cannot win leaves you the fewest good replies",
        "hard": "makes one move in twenty at random; its other moves are the best",
        "medium": "makes one move in five at random; its other moves are the best",
        "easy": "makes one move in two at random; its other moves are the best",
        "sloppy": "makes random moves as often as you say; its other moves are the best",
        "greedy": "takes as much as it can without losing at once",
        "random": "makes any move",
    }
)
"""The levels and their descriptions, the best first."""

_ERRS: Final = {"hard": 0.05, "medium": 0.2, "easy": 0.5}
"""Probability of a random move at each level."""


def bot_of(level: str, oracle: Answerer, seed: int = 0, epsilon: float = 0.1) -> Bot:
    """Make a bot of a level.

    Args:
        level: one of `LEVELS`.
        oracle: the oracle of bots that do not move only at random.
        seed: seed of random moves.
        epsilon: probability of a random move of a sloppy bot.

    Raises:
        InvalidArgumentError: the level does not exist, or epsilon is not a probability.
        ClientTypeError: epsilon is not a number, or the seed is not an integer.
        InvalidQuestionError: the seed has too many digits.
    """
    match level:
        case "perfect":
            return PerfectBot(oracle)
        case "stubborn":
            return StubbornBot(oracle)
        case "hard" | "medium" | "easy":
            return SloppyBot(PerfectBot(oracle), _ERRS[level], seed, level)
        case "sloppy":
            return SloppyBot(PerfectBot(oracle), epsilon, seed)
        case "greedy":
            return GreedyBot()
        case "random":
            return RandomBot(seed)
    raise InvalidArgumentError(
        f"no bot of level {shown_value(level)}; there are {', '.join(LEVELS)}"
    )
