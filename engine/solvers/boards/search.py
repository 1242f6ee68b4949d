"""One board solved when asked: a table over the boards inside it, not inside its box."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from engine.games.position import Outcome
from engine.solvers.boards.outcomes import Bite, OutcomeTable, solve_shape
from engine.solvers.boards.shape import Board, check_board, transpose, under
from engine.solvers.boards.values import (
    GrundyTable,
    RemotenessTable,
    solve_grundy,
    solve_remoteness,
)

MAX_SEARCH: Final = 2**22
"""Default limit on the boards inside the one asked about."""
MAX_SEARCH_WORK: Final = 2**29
"""Default limit on boards times cookies where Grundy values or remoteness are asked for."""


@dataclass(frozen=True, slots=True)
class BoardSearch:
    """What is known of one board and of all boards that it can become.

    The tables answer for the board, each of its descendants and their transposes.

    Attributes:
        board: the board asked about, not empty.
        outcomes: outcomes of the boards inside it.
        max_work: limit for `grundy` and `remoteness`.
    """

    board: Board
    outcomes: OutcomeTable
    max_work: int

    @property
    def outcome(self) -> Outcome:
        """P or N."""
        return self.outcomes.outcome(self.board)

    def winning_bites(self) -> list[Bite]:
        """All bites that leave a P-position, row by row from the poison row, left to right."""
        return self.outcomes.winning_bites(self.board)

    def grundy(self) -> GrundyTable:
        """Grundy values of the board and of all its descendants, computed at each call.

        Raises:
            ResourceLimitError: boards times cookies exceed `max_work`.
        """
        return solve_grundy(self.outcomes.shape, max_work=self.max_work)

    def remoteness(self) -> RemotenessTable:
        """Remoteness of the board and of all its descendants, computed at each call.

        Raises:
            ResourceLimitError: boards times cookies exceed `max_work`.
        """
        return solve_remoteness(self.outcomes.shape, max_work=self.max_work)


def search_board(
    lengths: Iterable[int], *, limit: int = MAX_SEARCH, max_work: int = MAX_SEARCH_WORK
) -> BoardSearch:
    """Solve one board by its row lengths, poison row first.

    Raises:
        InvalidPositionError: the lengths are no board, or the board is empty (N by definition).
        ResourceLimitError: more than `limit` boards are inside; refused before the work starts.
    """
    board = check_board(lengths)
    flat = transpose(board) if board and len(board) > board[0] else board
    return BoardSearch(board, solve_shape(under(flat, limit)), max_work)
