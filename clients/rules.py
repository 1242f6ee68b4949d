"""The rules that bots and referees need, whatever the game; `BOARDS` are those of Chomp.

Positions and moves are texts: a move is the position it leads to, or `pass`.
"""

from typing import Final, Protocol

from clients._boards import Board, read_board
from schema.answers import PASS


class PlayedRules(Protocol):
    """The rules of a game as far as playing it needs them. Texts of positions are canonical."""

    def canonical(self, text: str) -> str:
        """The canonical text of a position; raises InvalidQuestionError where it is none."""

    def mover_won(self, position: str) -> bool | None:
        """None while there are moves; then whether whoever would be to move has won."""

    def count(self, position: str) -> int:
        """Number of moves."""

    def move(self, position: str, number: int) -> str:
        """A move by its number, from 0, in the order of the game's rules; a pass is the last."""

    def small_move(self, position: str) -> str:
        """The move that takes the least, which leaves the opponent the most room to err."""

    def greedy_move(self, position: str) -> str:
        """The move that takes the most without losing at once, where there is one."""

    def after(self, position: str, move: str) -> str:
        """The position after a move; raises IllegalMoveError where it is none."""


class BoardRules:
    """The rules of Chomp on finite boards: `chomp3` with its passes, and `chomp`."""

    def canonical(self, text: str) -> str:
        """The canonical text of a board."""
        return read_board(text).text

    def mover_won(self, position: str) -> bool | None:
        """On the empty board the player to move has won: the opponent has eaten the poison."""
        return None if read_board(position).cookies else True

    def count(self, position: str) -> int:
        """One a cookie, and the pass."""
        board = read_board(position)
        return board.cookies + board.can_pass

    def move(self, position: str, number: int) -> str:
        """Bites along the rows, the poison first; then the pass."""
        board = read_board(position)
        return PASS if number == board.cookies else board.bite_number(number).text

    def small_move(self, position: str) -> str:
        """The bite of the last cookie of the last row."""
        board = read_board(position)
        return board.bite_number(board.cookies - 1).text

    def greedy_move(self, position: str) -> str:
        """The rest of the poison row or all other rows.

        Every bite that spares the poison takes a part of what one of these two takes.
        """
        return min(_largest_bites(read_board(position)), key=lambda child: child.cookies).text

    def after(self, position: str, move: str) -> str:
        """The board after a bite or the pass."""
        return read_board(position).after(move).text


def _largest_bites(board: Board) -> list[Board]:
    bites = []
    if board.rows[0] > 1:
        bites.append(board.bite(0, 1))
    if len(board.rows) > 1:
        bites.append(board.bite(1, 0))
    return bites or [board.bite(0, 0)]


BOARDS: Final = BoardRules()
