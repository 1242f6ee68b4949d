"""Actions of moves in answers, besides the positions after the moves."""

from dataclasses import replace

from position_oracle.engine.budget import watched
from position_oracle.engine.games.moves import with_action
from position_oracle.engine.games.position import Move, Position
from position_oracle.oracle.answers import Answer, Tables, WinProbability


def with_actions(answer: Answer, tables: Tables | None = None) -> Answer:
    """Add the actions of the winning moves, and the tables that were available, to an answer."""
    moves = answer.winning_moves
    return answer.with_moves(moves and _acted(answer.position, moves), tables)


def chances_with_actions(chances: WinProbability) -> WinProbability:
    """Add the actions of the best moves to a win probability."""
    moves = chances.best_moves
    return replace(chances, best_moves=_acted(chances.position, moves)) if moves else chances


def _acted(position: Position, moves: tuple[Move, ...]) -> tuple[Move, ...]:
    return tuple(with_action(position, move) for move in watched(moves))
