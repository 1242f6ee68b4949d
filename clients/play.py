"""Games between bots, with a referee and a record."""

from dataclasses import dataclass, field
from inspect import isawaitable
from typing import Final, TypeVar

from position_oracle.clients import rules
from position_oracle.clients.bots import AsyncBot, Bot
from position_oracle.clients.errors import ClientIllegalMoveError, InvalidQuestionError
from position_oracle.clients.rules import MoveLike
from position_oracle.schema.answers import Outcome
from position_oracle.schema.errors import PositionOracleError
from position_oracle.schema.positions import PositionLike

Player = TypeVar("Player", bound=Bot | AsyncBot)

MAX_PLIES: Final = 100_000
"""Maximum number of plies of a game, because some heaps could be played practically for ever."""


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A record of a game, finished or broken off.

    Attributes:
        start: canonical text of the first position.
        players: names of the player who moves first and of the other.
        moves: the moves in order: the position after each, or `pass`.
        winner: 0 if the first player won, 1 if the other player won, None if the game was broken
            off.
        error: the reason why the game was broken off (an oracle could not be asked), or None.
    """

    start: str
    players: tuple[str, str]
    moves: tuple[str, ...]
    winner: int | None
    error: PositionOracleError | None = field(default=None, compare=False)

    def as_json(self) -> dict[str, object]:
        """Return the record as JSON values with stable keys."""
        return {
            "start": self.start,
            "players": list(self.players),
            "moves": list(self.moves),
            "winner": self.winner,
        }


class Game:
    """A game in progress; the referee allows only legal moves."""

    def __init__(self, start: PositionLike, players: tuple[str, str]) -> None:
        """Set up a game.

        Args:
            start: the first position.
            players: names of the player who moves first and of the other.

        Raises:
            InvalidQuestionError: the start is not a position, or has no move.
        """
        self._positions = [rules.canonical(start)]
        if self.is_over:
            raise InvalidQuestionError(f"{start}: the game is over, nothing to play", "start")
        self._moves: list[str] = []
        self._players = players

    @property
    def position(self) -> str:
        """Canonical text of the current position."""
        return self._positions[-1]

    @property
    def to_move(self) -> int:
        """The player to move: 0 for the first, 1 for the second."""
        return len(self._moves) % 2

    @property
    def is_over(self) -> bool:
        """Whether no move is left; in Chomp, whether the poison has been eaten."""
        return rules.is_over(self.position)

    def play(self, move: MoveLike) -> None:
        """Make a move, in any form that `rules.play` takes.

        Raises:
            IllegalMoveError: the rules do not allow the move, or the game is over.
            InvalidQuestionError: the game has lasted for `MAX_PLIES`.
        """
        if self.is_over:
            raise ClientIllegalMoveError("the game is over", "move")
        if len(self._moves) >= MAX_PLIES:
            raise InvalidQuestionError(
                f"the game from {self._positions[0]} lasts longer than {MAX_PLIES:,} plies", "start"
            )
        made = rules.move_of(self.position, move)
        self._positions.append(made.child)
        self._moves.append(str(made))

    def undo(self, plies: int) -> bool:
        """Take back the last moves; return False, without a change, if there are not as many."""
        if not 0 <= plies <= len(self._moves):
            return False
        if plies:
            del self._positions[-plies:], self._moves[-plies:]
        return True

    def record(self, error: PositionOracleError | None = None) -> GameRecord:
        """Return the record of the game so far; in Chomp, the player who ate the poison has lost.

        Args:
            error: the reason why the game is broken off.
        """
        won = rules.winner(self.position)
        winner = None if won is None else self.to_move if won is Outcome.N else 1 - self.to_move
        return GameRecord(self._positions[0], self._players, tuple(self._moves), winner, error)


def play_game(first: Bot, second: Bot, start: PositionLike | GameRecord) -> GameRecord:
    """Play a game to its end; in Chomp, the player who eats the poison loses.

    If a bot's oracle cannot be asked, the game is broken off, and its record has the moves so far
    and the `error`. Pass the record as `start` to continue the game.

    Args:
        first: the bot that moves first.
        second: the bot that moves second.
        start: the first position, or the record of a game that was broken off.

    Raises:
        InvalidQuestionError: the start is not a position, or has no move; or the game lasts longer
            than `MAX_PLIES`.
        IllegalMoveError: a bot made a move that the rules do not allow.
    """
    game, bots = _set_up(first, second, start)
    while not game.is_over:
        try:
            move = bots[game.to_move].choose(game.position)
        except PositionOracleError as error:
            return game.record(error)
        game.play(move)
    return game.record()


async def play_game_async(
    first: Bot | AsyncBot, second: Bot | AsyncBot, start: PositionLike | GameRecord
) -> GameRecord:
    """Play a game with asyncio; bots may choose with or without waiting. See `play_game`."""
    game, bots = _set_up(first, second, start)
    while not game.is_over:
        try:
            chosen = bots[game.to_move].choose(game.position)
            move = await chosen if isawaitable(chosen) else chosen
        except PositionOracleError as error:
            return game.record(error)
        game.play(move)
    return game.record()


def _set_up(
    first: Player, second: Player, start: PositionLike | GameRecord
) -> tuple[Game, tuple[Player, Player]]:
    if not isinstance(start, GameRecord):
        return Game(start, (first.name, second.name)), (first, second)
    game = Game(start.start, start.players)
    for move in start.moves:
        game.play(move)
    return game, (first, second)
