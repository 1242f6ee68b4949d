"""Actions of the moves in answers, beside the positions that they lead to."""

from dataclasses import replace

from position_oracle.engine.games.moves import with_action
from position_oracle.engine.games.position import Move, Position
from position_oracle.oracle.answers import Answer, WinProbability


def with_actions(answer: Answer) -> Answer:
    """An answer whose winning moves say how they are made."""
    moves = answer.winning_moves
    return answer.with_moves(_acted(answer.position, moves)) if moves else answer


def chances_with_actions(chances: WinProbability) -> WinProbability:
    """A win probability whose best moves say how they are made."""
    moves = chances.best_moves
    return replace(chances, best_moves=_acted(chances.position, moves)) if moves else chances


def _acted(position: Position, moves: tuple[Move, ...]) -> tuple[Move, ...]:
    return tuple(with_action(position, move) for move in moves)
