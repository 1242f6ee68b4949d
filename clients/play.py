"""Games between bots, refereed and recorded."""

from dataclasses import dataclass

from clients._boards import Board, read_board
from clients.bots import Bot
from clients.errors import IllegalMoveError, InvalidQuestionError


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game of Chomp, finished or broken off.

    Attributes:
        start: canonical text of the first position.
        players: names of the player who moves first and of the other.
        moves: the moves in order: the position each led to, or `pass`.
        winner: 0 where the first player won, 1 where the other did, None if it was broken off.
    """

    start: str
    players: tuple[str, str]
    moves: tuple[str, ...]
    winner: int | None


class Game:
    """A game in progress; the referee who allows only legal moves."""

    def __init__(self, start: str, players: tuple[str, str]) -> None:
        """Set up a board.

        Raises:
            InvalidQuestionError: the start is no board of Chomp, or the empty one.
        """
        board = read_board(start)
        if not board.cookies:
            raise InvalidQuestionError(f"{start} is empty; there is nothing to play", "start")
        self._boards: list[Board] = [board]
        self._moves: list[str] = []
        self._players = players

    @property
    def position(self) -> str:
        """Canonical text of the position now."""
        return self._boards[-1].text

    @property
    def to_move(self) -> int:
        """Who is to move: 0 for the first player, 1 for the other."""
        return len(self._moves) % 2

    @property
    def is_over(self) -> bool:
        """Whether the poison has been eaten."""
        return not self._boards[-1].cookies

    def play(self, move: str) -> None:
        """Make a move: the position it leads to, or `pass`.

        Raises:
            IllegalMoveError: the rules do not allow it, or the game is over.
        """
        if self.is_over:
            raise IllegalMoveError("the game is over", "move")
        self._boards.append(self._boards[-1].after(move))
        self._moves.append(move)

    def undo(self, plies: int) -> bool:
        """Take back the last moves; False, and nothing is done, if there were fewer."""
        if plies > len(self._moves):
            return False
        if plies:
            del self._boards[-plies:], self._moves[-plies:]
        return True

    def record(self) -> GameRecord:
        """The game so far. Whoever ate the poison has lost."""
        winner = self.to_move if self.is_over else None
        return GameRecord(self._boards[0].text, self._players, tuple(self._moves), winner)


def play_game(first: Bot, second: Bot, start: str) -> GameRecord:
    """Play until the poison is eaten; whoever eats it loses.

    Args:
        first: moves first.
        second: moves second.
        start: text of the position to begin with.

    Raises:
        InvalidQuestionError: the start is no board of Chomp, or the empty one.
        IllegalMoveError: a bot made a move that the rules do not allow.
    """
    bots = (first, second)
    game = Game(start, (first.name, second.name))
    while not game.is_over:
        game.play(bots[game.to_move].choose(game.position))
    return game.record()
