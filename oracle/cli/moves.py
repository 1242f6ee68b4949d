"""Moves as people type them and are told them: a cookie, tokens of heaps, a number, a position."""

from collections.abc import Sequence
from typing import Final

from engine.games.position import Move, Position
from oracle.cli.render import bite_of
from schema.answers import PASS

HELP: Final = """\
  2 3        bite the cookie in row 2, column 3; in heap games, take 3 tokens from heap 2
  1+2 3      take 3 tokens from heap 1 and 3 from heap 2, where the game allows it
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
    words = typed.replace(",", " ").split()
    if len(words) == 2 and (last := _number(words[1])) is not None:
        chosen = [_number(word) for word in words[0].split("+")]
        if None not in chosen:
            numbers = [number for number in chosen if number is not None]
            return _by_numbers(position, moves, numbers, last)
    compact = "".join(typed.split())
    return next((move for move in moves if "".join(str(move).split()) == compact), None)


def _by_numbers(
    position: Position, moves: Sequence[Move], first: list[int], last: int
) -> Move | None:
    """A bite by row and column, or tokens taken from heaps."""
    for move in moves:
        if move.is_pass:
            continue
        bite = bite_of(position, move)
        said = taken(position, move) if bite is None else ([bite[0]], bite[1])
        if said == (first, last):
            return move
    return None


def taken(position: Position, move: Move) -> tuple[list[int], int] | None:
    """The heaps, from 1, from which a move takes equal numbers of tokens, and the number."""
    before, after = position.coordinates, move.child.coordinates
    if position.typed_form != "heaps" or move.is_pass or len(before) != len(after):
        return None
    differences = [heap - rest for heap, rest in zip(before, after, strict=True)]
    heaps = [number for number, tokens in enumerate(differences, start=1) if tokens]
    numbers = {tokens for tokens in differences if tokens}
    return (heaps, numbers.pop()) if len(numbers) == 1 else None


def move_words(position: Position, move: Move) -> str:
    """A move as somebody would say it, e.g. `row 2, column 3`."""
    if move.is_pass:
        return PASS
    if bite := bite_of(position, move):
        return f"row {bite[0]}, column {bite[1]}"
    if found := taken(position, move):
        heaps, tokens = found
        each = " each" if len(heaps) > 1 else ""
        return f"{tokens}{each} from heap {' and '.join(map(str, heaps))}"
    return str(move)


def _number(text: str) -> int | None:
    """A whole number from 1 in ASCII digits."""
    known = text.isascii() and text.isdigit() and len(text) <= 19
    return (int(text) or None) if known else None
