"""How the moves of answers are made, beside the positions that they lead to."""

from dataclasses import replace

from position_oracle.engine.games.position import Move, Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.oracle.answers import Answer, WinProbability


def with_actions(answer: Answer) -> Answer:
    """An answer whose winning moves say how they are made."""
    moves = answer.winning_moves
    return answer.with_moves(_acted(answer.position, moves)) if moves else answer


def chances_with_actions(chances: WinProbability) -> WinProbability:
    """A win probability whose best moves say how they are made."""
    moves = chances.best_moves
    return replace(chances, best_moves=_acted(chances.position, moves)) if moves else chances


def acted(position: Position, move: Move) -> Move:
    """A legal move with its action."""
    if move.action is not None:
        return move
    return Move(move.child, move.is_pass, rules_of(position.game.family).action(position, move))


def _acted(position: Position, moves: tuple[Move, ...]) -> tuple[Move, ...]:
    return tuple(acted(position, move) for move in moves)
