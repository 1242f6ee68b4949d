"""Games between bots, refereed and recorded."""

from dataclasses import dataclass

from clients._boards import read_board
from clients.bots import Bot
from clients.errors import InvalidQuestionError


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A finished game of Chomp.

    Attributes:
        start: canonical text of the first position.
        players: names of the player who moves first and of the other.
        moves: the moves in order: the position each led to, or `pass`.
        winner: 0 where the first player won, 1 where the other did.
    """

    start: str
    players: tuple[str, str]
    moves: tuple[str, ...]
    winner: int


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
    board = read_board(start)
    if not board.cookies:
        raise InvalidQuestionError(f"{start} is empty; there is nothing to play", "start")
    bots, moves = (first, second), list[str]()
    start = board.text
    while board.cookies:
        move = bots[len(moves) % 2].choose(board.text)
        board = board.after(move)
        moves.append(move)
    return GameRecord(start, (first.name, second.name), tuple(moves), winner=len(moves) % 2)
