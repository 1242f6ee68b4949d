"""Moves as people type them and are told them: as their family has it, by number, by position."""

from collections.abc import Sequence
from typing import Final

from engine.games.position import Move, Position
from engine.games.registry import rules_of
from schema.answers import PASS

HELP: Final = """\
  2 3        bite the cookie in row 2, column 3; in heap games, take 3 tokens from heap 2
  1+2 3      take 3 tokens from heap 1 and 3 from heap 2, where the game allows it
  2 3 1+4    take 3 tokens from heap 2 and leave heaps of 1 and 4 of it (0 to split it only)
  2 pass     use the pass that heap 2 has of its own
  6          name the divisor 6; move the animal in cell 6 of a strip
  2: 3 1     in a sum, the move 3 1 in the second component
  #5         the fifth move of the list that `moves` shows
  nim:[3,5]  the position to move to
  pass, hint, moves, undo, quit"""


def read_move(position: Position, moves: Sequence[Move], typed: str) -> Move | None:
    """The move that somebody typed; None where there is no such move."""
    if typed == PASS:
        return next((move for move in moves if move.is_pass), None)
    if typed.startswith("#"):
        number = _number(typed[1:].strip())
        return moves[number - 1] if number and number <= len(moves) else None
    words = " ".join(typed.replace(",", " ").split())
    rules = rules_of(position.game.family)
    for move in moves:
        if not move.is_pass and words in rules.typed(position, move):
            return move
    compact = "".join(typed.split())
    return next((move for move in moves if "".join(str(move).split()) == compact), None)


def move_words(position: Position, move: Move) -> str:
    """A move as somebody would say it, e.g. `take 3 from heap 2`."""
    if move.is_pass:
        return PASS
    return rules_of(position.game.family).tell(position, move) or str(move)


def _number(text: str) -> int | None:
    """A whole number from 1 in ASCII digits."""
    known = text.isascii() and text.isdigit() and len(text) <= 19
    return (int(text) or None) if known else None
