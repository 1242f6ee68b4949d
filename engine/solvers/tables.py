"""Tables of one number for each position of a shape: outcome, Grundy value or remoteness."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from position_oracle.engine.solvers import folds
from position_oracle.engine.solvers.ranked import Ranked
from position_oracle.engine.solvers.shape import Board, Bounds
from position_oracle.engine.solvers.steps import StepCallback


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """One number for each position of a shape.

    Attributes:
        shape: the positions and their ranks.
        values: (count, passes + 1), by rank and passes left: whether the player to move wins; or
            Grundy values of normal play without moves that lose by rule; or remoteness, the number
            of moves to the end if the winner hurries and the loser delays. The empty board of Chomp
            has no Grundy value and no remoteness; its entries are 0.
    """

    shape: Bounds
    values: NDArray[Any] = field(repr=False)

    def at(self, position: Board, passes: int = 0) -> int:
        """Return the number of a position inside the shape."""
        return int(self.values[self.shape.rank(position), passes])

    def of_board(self, board: Board) -> int:
        """Return the number of a board, which may fit transposed.

        Raises:
            UnknownAnswerError: the board fits neither as it stands nor transposed.
        """
        return self.at(self.shape.orient(board)[0])


def solve(game: Ranked, kind: str, *, progress: StepCallback | None = None) -> Table:
    """Compute a number for every position of a game.

    Args:
        game: the game.
        kind: the kind of number: `wins`, `grundy` or `remoteness`.
        progress: called with (positions done, positions) after some of them.
    """
    fold: Callable[..., NDArray[Any]] = getattr(folds, kind)
    values = fold(game, progress=progress)
    values.flags.writeable = False
    return Table(game.shape, values.reshape(game.shape.count, game.passes + 1))
