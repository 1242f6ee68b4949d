"""The rules of every family for play at the terminal: those of the engine, position by position."""

from itertools import islice
from typing import Final

from clients.errors import IllegalMoveError, InvalidQuestionError
from clients.rules import BOARDS, PlayedRules
from engine.games.notation import parse
from engine.games.position import Move, Position
from engine.games.registry import rules_of
from schema.errors import InvalidPositionError

MAX_MOVES: Final = 2_000
"""Most moves of a position that bots play with by going through a list of them."""

MAX_LISTED: Final = 100_000
"""Most moves that a person chooses from."""


def rules_for(start: str) -> PlayedRules:
    """The rules to play a position by: on boards of Chomp those that need no list of moves."""
    try:
        BOARDS.canonical(start)
    except InvalidQuestionError:
        return EngineRules()
    return BOARDS


class EngineRules:
    """The rules of any position that the engine reads; see `clients.rules.PlayedRules`."""

    def canonical(self, text: str) -> str:
        """The canonical text of a position."""
        position = parse(text)
        list_of_moves(position)
        return str(position)

    def mover_won(self, position: str) -> bool | None:
        """At the end the theory of the end says who has won."""
        held = parse(position)
        if list_of_moves(held):
            return None
        return won_at_end(held)

    def count(self, position: str) -> int:
        """Number of moves."""
        return len(list_of_moves(parse(position)))

    def move(self, position: str, number: int) -> str:
        """A move by its number."""
        return str(list_of_moves(parse(position))[number])

    def small_move(self, position: str) -> str:
        """The last move that is no pass: rules list what takes more first."""
        moves = list_of_moves(parse(position))
        return str(next((move for move in reversed(moves) if not move.is_pass), moves[-1]))

    def greedy_move(self, position: str) -> str:
        """The move after which the fewest are left, except those that lose at once."""
        moves = list_of_moves(parse(position))
        left = [(len(list_of_moves(move.child)), move) for move in moves if not move.is_pass]
        kept = [each for each in left if each[0] or not won_at_end(each[1].child)]
        return str(min(kept or left, key=lambda each: each[0])[1] if left else moves[0])

    def after(self, position: str, move: str) -> str:
        """The position after a move."""
        for each in list_of_moves(parse(position)):
            if str(each) == move:
                return str(each.child)
        raise IllegalMoveError(f"{move} is no move from {position}", "move")


def list_of_moves(position: Position, most: int = MAX_MOVES) -> list[Move]:
    """All moves, in the order of the rules.

    Args:
        position: whose moves.
        most: how many there may be.

    Raises:
        InvalidPositionError: there are more than can be played with.
    """
    moves = list(islice(rules_of(position.game.family).moves(position), most + 1))
    if len(moves) > most:
        raise InvalidPositionError(f"{position} has more than {most:,} moves; play a smaller one")
    return moves


def won_at_end(position: Position) -> bool:
    """Whether the player to move has won a position without a move."""
    from oracle.cli.local import without_tables

    return without_tables().outcome(position).outcome == "N"
