"""A person at the terminal: asks for moves, gives hints, tells what the opponent did."""

from enum import Enum
from typing import Final

import typer

from clients.bots import Asked
from clients.play import Game
from engine.games.notation import parse
from engine.games.position import Position
from oracle.cli.moves import HELP, move_words, read_move
from oracle.cli.referee import MAX_LISTED, list_of_moves
from oracle.cli.render import drawing, held_move
from schema.answers import Move

SHOWN_MOVES: Final = 12
"""Moves that are listed without being asked for, of a position that cannot be drawn."""


class Wish(Enum):
    """What somebody wants instead of a move."""

    UNDO = "undo"
    QUIT = "quit"


class Person:
    """Asks at the terminal for each move."""

    name = "you"

    def __init__(self, oracle: Asked) -> None:
        self._oracle = oracle

    def ask(self, game: Game) -> str | Wish:
        """The next move, or what is wanted instead.

        Raises:
            typer.Abort: the input has ended.
        """
        position = parse(game.position)
        drawn = drawing(position)
        typer.echo(f"\n{position}\n{drawn}\n" if drawn else f"\n{position}")
        moves = list_of_moves(position, MAX_LISTED)
        if not drawn and len(moves) <= SHOWN_MOVES:
            _list(position, moves)
        while True:
            typed = typer.prompt("your move (row column, or heap tokens), hint, undo, quit or help")
            match typed.strip():
                case "undo" | "quit" as wish:
                    return Wish(wish)
                case "hint":
                    typer.echo(self._hint(position))
                case "moves":
                    _list(position, moves)
                case "help" | "?":
                    typer.echo(HELP)
                case text:
                    move = read_move(position, moves, text)
                    if move is not None:
                        return str(move)
                    typer.echo("there is no such move; type two numbers, e.g. 2 3, or help")

    def _hint(self, position: Position) -> str:
        from oracle.cli.render_moves import plies_text

        analysis = self._oracle.analyze(str(position))
        answer = analysis.answer
        if answer.winning_moves:
            return "wins: " + "; ".join(told(position, move) for move in answer.winning_moves)
        text = f"no winning move ({answer.outcome}: {answer.reason})"
        if not analysis.moves or analysis.values.remoteness is None:
            return text
        longest = told(position, analysis.moves[0].move)
        plies = plies_text(analysis.values.remoteness)
        return f"{text}; {longest} lasts longest, {plies} to the end"


def told(position: Position, move: Move[Position] | Move[str]) -> str:
    """A move in words, and the position that it leads to."""
    words, text = move_words(position, held_move(move)), str(move)
    return words if words == text else f"{words} ({text})"


def tell(name: str, before: str, move: str) -> None:
    """Say what an opponent has done."""
    position = parse(before)
    child = position.passed() if move == "pass" else parse(move)
    typer.echo(f"{name}: {told(position, Move(child, move == 'pass'))}")


def _list(position: Position, moves: list[Move[Position]]) -> None:
    for number, move in enumerate(moves, start=1):
        typer.echo(f"  #{number:<4} {told(position, move)}")
