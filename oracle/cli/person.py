"""A person at the terminal: asks for moves, gives hints."""

from enum import Enum

import typer

import clients
from clients.play import Game


class Wish(Enum):
    """What somebody wants instead of a move."""

    UNDO = "undo"
    QUIT = "quit"


class Person:
    """Asks at the terminal for each move."""

    name = "you"

    def __init__(self, oracle: clients.OracleClient) -> None:
        self._oracle = oracle

    def ask(self, game: Game) -> str | Wish:
        """The next move, or what is wanted instead.

        Raises:
            typer.Abort: the input has ended.
        """
        from engine.games.notation import parse
        from oracle.cli.render import board_text

        position = game.position
        typer.echo(f"\n{position}\n{board_text(parse(position))}\n")
        while True:
            words = typer.prompt("your bite (row column), pass, hint, undo or quit").split()
            if words in (["undo"], ["quit"]):
                return Wish(words[0])
            if words == ["hint"]:
                typer.echo(self._hint(position))
            elif move := _move_of(position, words):
                return move

    def _hint(self, position: str) -> str:
        from oracle.cli.render_moves import plies_text

        analysis = self._oracle.analyze(position)
        answer = analysis.answer
        if answer.winning_moves:
            return "wins: " + ", ".join(
                "pass" if move.is_pass else move.position for move in answer.winning_moves
            )
        text = f"no winning move ({answer.outcome.name}: {answer.reason})"
        if not analysis.moves or analysis.values.remoteness is None:
            return text
        longest = analysis.moves[0].move
        move = "pass" if longest.is_pass else longest.position
        plies = plies_text(analysis.values.remoteness)
        return f"{text}; {move} lasts longest, {plies} to the end"


def _move_of(position: str, words: list[str]) -> str | None:
    """The move that somebody typed, or None after saying what is wrong with it."""
    from engine.games.notation import format_move, parse
    from engine.games.registry import rules_of
    from oracle.cli.render import bite_of

    board = parse(position)
    moves = rules_of(board.game.family).moves(board)
    if words == ["pass"]:
        found = next((move for move in moves if move.is_pass), None)
    elif len(words) == 2 and all(word.isascii() and word.isdigit() for word in words):
        wanted = int(words[0]), int(words[1])
        found = next((move for move in moves if bite_of(board, move) == wanted), None)
    else:
        found = None
    if found is None:
        typer.echo("there is no such move; type two numbers, e.g. 2 3")
        return None
    return format_move(found)
