"""Finite positions of transfinite Chomp in two dimensions, asked of ordinary Chomp."""

from typing import Final

from engine.games import chomp, transfinite
from engine.games.position import Move, Position
from engine.games.spec import Coordinates, GameSpec
from engine.theory.transfinite.finite import from_rows, to_rows
from engine.theory.transfinite.position import Position as Shape
from oracle.answers import Answer
from oracle.probers.boards import BoardProber

MAX_ROWS: Final = 10_000
"""Boards of more rows than this are not asked."""

_BOARD: Final = GameSpec("chomp")


def ask_board(boards: BoardProber, shape: Shape) -> Answer | None:
    """What Chomp says of a finite board: outcome and all winning moves, or None if it cannot say.

    The moves in the answer are named by boards; see `moves_of` and `bite_of`.
    """
    if shape.dimension != 2 or not shape.is_finite or shape.extent[1] > MAX_ROWS:
        return None
    answer = boards.winning_moves(Position(_BOARD, to_rows(shape)))
    return answer if answer.outcome and answer.winning_moves is not None else None


def moves_of(answer: Answer) -> tuple[Move, ...]:
    """The winning moves of Chomp, named by positions of transfinite Chomp."""
    moves = answer.winning_moves or ()
    return tuple(Move(transfinite.position_of(from_rows(move.child.coordinates))) for move in moves)


def bite_of(answer: Answer) -> Coordinates | None:
    """Column and row, from 0, of the cookie that the first winning move bites."""
    for move in answer.winning_moves or ():
        bite = chomp.bite_between(answer.position.coordinates, move.child.coordinates)
        return None if bite is None else (bite[1] - 1, bite[0] - 1)
    return None
