"""A person at the terminal: reads moves, gives hints, reports the opponent's moves."""

from collections.abc import Iterator
from enum import Enum
from itertools import islice
from typing import Any, Final

import typer

from position_oracle.clients import rules
from position_oracle.clients.errors import (
    ClientIllegalMoveError,
    InvalidQuestionError,
    ServerLimitError,
)
from position_oracle.clients.play import Game
from position_oracle.clients.rules import MoveLike
from position_oracle.oracle.cli.terminal import broken, fits, standard_input
from position_oracle.schema.answerer import Answerer
from position_oracle.schema.answers import Outcome
from position_oracle.schema.errors import ResourceLimitError, UnknownAnswerError
from position_oracle.schema.moves import PASS, Move

SHOWN_MOVES: Final = 12
"""Number of moves that are listed without request, if the position cannot be drawn."""

LISTED_MOVES: Final = 1_000
"""Maximum number of moves that are listed on request."""

HINTED_MOVES: Final = 6
"""Maximum number of winning moves in a hint."""

COMMANDS: Final = (
    ("pass", "pass, where the game has passes left"),
    ("#5", "the fifth move of the list that `moves` shows"),
    ("nim:[3,5]", "the position to move to"),
    ("hint", "the moves that win, or the one that lasts longest"),
    ("moves", "the list of all moves"),
    ("undo", "take back your last move, and the answer to it"),
    ("quit", "leave; a record is saved as broken off"),
)


class Wish(Enum):
    """A request of a player other than a move."""

    UNDO = "undo"
    QUIT = "quit"


class Person:
    """Asks at the terminal for each move."""

    name = "you"

    def __init__(self, oracle: Answerer) -> None:
        standard_input()
        self._oracle = oracle
        self._is_new = True

    def ask(self, game: Game) -> str | Wish:
        """Return the next move, or another wish; the end of the input means quit."""
        position = game.position
        self._show(position)
        while True:
            try:
                typed = input("your move: ").strip()
            except EOFError:
                typer.echo()
                return Wish.QUIT
            match typed.lower():
                case "":
                    continue
                case "undo" | "quit" as wish:
                    return Wish(wish)
                case "exit" | "q":
                    return Wish.QUIT
                case "hint":
                    try:
                        _say(self._hint(position))
                    except (UnknownAnswerError, ResourceLimitError, ServerLimitError) as error:
                        _say(f"there is no hint: {error}")
                case "moves":
                    _list(position)
                case "help" | "?" | "h":
                    _help(position)
                case _:
                    try:
                        return str(read_typed(position, typed))
                    except InvalidQuestionError as error:
                        _say(f"{error}; type help for what can be typed")

    def _show(self, position: str) -> None:
        drawn = drawing(position)
        _say(f"\n{position}")
        if drawn:
            typer.echo(f"{drawn}\n")
        if self._is_new:
            forms = ", ".join(form for form, _ in rules.how_to_move(position))
            move = f"a move ({forms})" if forms else "a move as it is listed"
            _say(f"type {move}, hint, moves, undo, quit or help")
            self._is_new = False
        if not drawn and len(_some(position, SHOWN_MOVES + 1)) <= SHOWN_MOVES:
            _list(position)

    def _hint(self, position: str) -> str:
        from position_oracle.oracle.cli.render_moves import plies_text

        analysis = self._oracle.analyze(position)
        answer = analysis.answer
        if wins := answer.winning_moves:
            named = "; ".join(told(position, str(move)) for move in wins[:HINTED_MOVES])
            more = len(wins) - HINTED_MOVES
            return f"wins: {named}" + (f"; and {more} more" if more > 0 else "")
        none = "no winning move" if answer.outcome is Outcome.P else "no winning move is known"
        text = f"{none} ({answer.outcome}: {answer.reason})"
        if not analysis.moves or analysis.values.remoteness is None:
            return text
        longest = told(position, str(analysis.moves[0].move))
        plies = plies_text(analysis.values.remoteness)
        return f"{text}; {longest} lasts longest, {plies} to the end"


def told(position: str, move: MoveLike) -> str:
    """Describe a move in words, with the position after it."""
    return _words(rules.move_of(position, move))


def tell(name: str, before: str, move: MoveLike) -> None:
    """Print the move of an opponent."""
    _say(f"{name}: {told(before, move)}")


def drawing(position: str) -> str:
    """Return the drawing of a position, if it is no wider than the terminal."""
    drawn = rules.draw(position)
    return drawn if fits(drawn.split("\n")) else ""


def _words(move: Move[Any]) -> str:
    words = str(move.action or move)
    return words if words in {str(move), PASS} else f"{words} ({move})"


def read_typed(position: str, typed: str) -> Move:
    """Return the move that a player typed, or chose from the list."""
    if not typed.startswith("#"):
        return rules.move_of(position, typed)
    number = typed[1:].strip()
    if number.isascii() and number.isdigit() and len(number) < 9:
        chosen = list(islice(_moves(position), max(int(number) - 1, 0), int(number)))
        if chosen:
            return chosen[0]
    raise ClientIllegalMoveError(f"there is no move {typed[:20]!r} in the list", "move")


def _moves(position: str) -> Iterator[Move]:
    """Return the legal moves; those of an infinite position are not listed."""
    try:
        yield from rules.legal_moves(position)
    except InvalidQuestionError:
        return


def _some(position: str, most: int) -> list[Move]:
    return list(islice(_moves(position), most))


def _list(position: str) -> None:
    moves = _some(position, LISTED_MOVES + 1)
    for number, move in enumerate(moves[:LISTED_MOVES], start=1):
        _say(f"  #{number:<4} {_words(move)}", indent="        ")
    if not moves:
        _say("  infinitely many")
    if len(moves) > LISTED_MOVES:
        _say("  and more")


def _help(position: str) -> None:
    lines = (*rules.how_to_move(position), *COMMANDS)
    width = max(len(form) for form, _ in lines)
    for form, meaning in lines:
        _say(f"  {form:<{width}}  {meaning}", indent=" " * (width + 4))


def _say(text: str, indent: str = "") -> None:
    """Print text in lines that fit the terminal."""
    typer.echo(broken(text, indent))
