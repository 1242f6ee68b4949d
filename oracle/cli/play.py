"""`oracle play`: a game of Chomp in the terminal, against a bot or between bots."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

import clients
from clients.bots import Bot, GreedyBot, PerfectBot, RandomBot
from clients.play import GameRecord, play_game
from oracle.cli.options import DEFAULT_DB, Db, ExitCode, Json, Server
from schema.errors import InvalidPositionError


class Player(StrEnum):
    """Who may play."""

    YOU = "you"
    PERFECT = "perfect"
    GREEDY = "greedy"
    RANDOM = "random"


def run(
    start: Annotated[
        str, typer.Argument(metavar="[POSITION]", help="The board to begin with.")
    ] = "chomp:7/7/7/7/7",
    first: Annotated[Player, typer.Option(help="Who moves first.")] = Player.YOU,
    second: Annotated[Player, typer.Option(help="Who moves second.")] = Player.PERFECT,
    games: Annotated[
        int, typer.Option("--games", min=1, help="How many games bots play, to see who wins.")
    ] = 1,
    seed: Annotated[int, typer.Option(help="Fixes the moves of a random player.")] = 0,
    db: Db = DEFAULT_DB,
    server: Server = None,
    as_json: Json = False,
) -> int:
    """Play Chomp: bite a cookie by its row and column; whoever eats the poison loses."""
    with _oracle(db, server) as oracle:
        make: dict[Player, Callable[[int], Bot]] = {
            Player.YOU: lambda _: _Person(oracle),
            Player.PERFECT: lambda _: PerfectBot(oracle),
            Player.GREEDY: lambda _: GreedyBot(),
            Player.RANDOM: RandomBot,
        }
        with_person = Player.YOU in {first, second}
        won = [0, 0]
        for number in range(1 if with_person else games):
            bots = make[first](seed + 2 * number), make[second](seed + 2 * number + 1)
            record = _play(*bots, start)
            won[record.winner] += 1
            if as_json:
                typer.echo(json.dumps(asdict(record)))
            elif with_person or games == 1:
                typer.echo(_record_text(record))
        if not as_json and not with_person and games > 1:
            typer.echo(f"{first} (first) won {won[0]}, {second} (second) won {won[1]}")
    return ExitCode.ANSWERED


def _play(first: Bot, second: Bot, start: str) -> GameRecord:
    try:
        return play_game(first, second, start)
    except clients.InvalidQuestionError as error:
        raise InvalidPositionError(str(error)) from None


class _Person:
    """Asks at the terminal for each move."""

    name = "you"

    def __init__(self, oracle: clients.OracleClient) -> None:
        self._oracle = oracle

    def choose(self, position: str) -> str:
        from engine.games.notation import parse
        from oracle.cli.render import board_text

        typer.echo(f"\n{position}\n{board_text(parse(position))}\n")
        while True:
            words = typer.prompt("your bite (row column), pass, hint or quit").split()
            if words == ["quit"]:
                raise typer.Abort
            if words == ["hint"]:
                typer.echo(self._hint(position))
            elif move := _move_of(position, words):
                return move

    def _hint(self, position: str) -> str:
        answer = self._oracle.winning_moves(position)
        if answer.winning_moves:
            return "wins: " + ", ".join(
                "pass" if move.is_pass else move.position for move in answer.winning_moves
            )
        return f"no winning move ({answer.outcome.name}: {answer.reason})"


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


def _record_text(record: GameRecord) -> str:
    moves = "\n".join(f"  {record.players[i % 2]:8} {move}" for i, move in enumerate(record.moves))
    return f"{record.start}\n{moves}\n{record.players[record.winner]} wins"


@contextmanager
def _oracle(db: Path, server: str | None) -> Iterator[clients.OracleClient]:
    """The oracle that bots ask: a server, or this process through a server on loopback."""
    if server is not None:
        with clients.OracleClient(server) as client:
            yield client
        return
    from oracle.cli.local import open_oracle
    from oracle.server import running_server

    with (
        running_server(open_oracle(db)) as port,
        clients.OracleClient(f"127.0.0.1:{port}") as client,
    ):
        yield client
