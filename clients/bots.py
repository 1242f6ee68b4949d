"""Bots that play Chomp: those that ask the oracle, and opponents that do not.

A bot is told a position as text and answers with its move: the text of the position it moves to,
or `pass`.
"""

import random
from typing import Protocol

from clients._boards import PASS, Board, read_board
from clients._sync import OracleClient


class Bot(Protocol):
    """Anything that chooses a move."""

    @property
    def name(self) -> str:
        """What it is called in records."""

    def choose(self, position: str) -> str:
        """Its move in a position that has one.

        Raises:
            InvalidQuestionError: the text is no board of Chomp.
        """


class PerfectBot:
    """Makes the first winning move that the oracle names.

    Where there is none, or the oracle does not know one, it takes a single cookie, which leaves
    the opponent the most room to err.
    """

    name = "perfect"

    def __init__(self, oracle: OracleClient) -> None:
        self._oracle = oracle

    def choose(self, position: str) -> str:
        """Its move; raises `OracleClientError` where the oracle cannot be asked."""
        moves = self._oracle.winning_moves(position).winning_moves
        if moves:
            return PASS if moves[0].is_pass else moves[0].position
        board = read_board(position)
        return board.bite_number(board.cookies - 1).text


class HurriedBot:
    """Wins as fast as it can, and loses as late as it can, by remoteness.

    Where remoteness is not known it plays like `PerfectBot`.
    """

    name = "hurried"

    def __init__(self, oracle: OracleClient) -> None:
        self._oracle = oracle
        self._otherwise = PerfectBot(oracle)

    def choose(self, position: str) -> str:
        """Its move; raises `OracleClientError` where the oracle cannot be asked."""
        analysis = self._oracle.analyze(position)
        if not analysis.complete or analysis.values.remoteness is None or not analysis.moves:
            return self._otherwise.choose(position)
        best = analysis.moves[0].move
        return PASS if best.is_pass else best.position


class SloppyBot:
    """Plays like another bot, but with some probability makes any legal move at random."""

    def __init__(self, bot: "Bot", epsilon: float, seed: int) -> None:
        """Make a bot that errs.

        Args:
            bot: whom it plays like otherwise.
            epsilon: probability of a random move, 0 to 1.
            seed: decides when it errs, and how.

        Raises:
            ValueError: epsilon is no probability.
        """
        if not 0 <= epsilon <= 1:
            raise ValueError(f"epsilon {epsilon} is no probability; allowed are 0 to 1")
        self._bot = bot
        self._epsilon = epsilon
        self._errs = random.Random(seed)  # noqa: S311 - games, not secrets
        self._at_random = RandomBot(seed + 1)

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

    def __init__(self, seed: int) -> None:
        """Make a bot whose moves depend on the seed alone."""
        self._random = random.Random(seed)  # noqa: S311 - games, not secrets

    def choose(self, position: str) -> str:
        """Its move."""
        board = read_board(position)
        number = self._random.randrange(board.cookies + board.can_pass)
        return PASS if number == board.cookies else board.bite_number(number).text


class GreedyBot:
    """Takes as many cookies as it can without the poison.

    Every bite that spares the poison takes a part of what one of two bites takes: the whole of
    the poison row's rest, or the whole of all other rows.
    """

    name = "greedy"

    def choose(self, position: str) -> str:
        """Its move."""
        board = read_board(position)
        return min(_largest_bites(board), key=lambda child: child.cookies).text


def _largest_bites(board: Board) -> list[Board]:
    bites = []
    if board.rows[0] > 1:
        bites.append(board.bite(0, 1))
    if len(board.rows) > 1:
        bites.append(board.bite(1, 0))
    return bites or [board.bite(0, 0)]
