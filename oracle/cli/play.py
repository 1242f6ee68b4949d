"""`oracle play`: a game of Chomp in the terminal, against a bot or between bots."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

import clients
from clients.annotate import annotate as comments_on
from clients.bots import Bot, GreedyBot, HurriedBot, PerfectBot, RandomBot, SloppyBot
from clients.play import Game, GameRecord
from clients.record import format_record, parse_record
from oracle.cli.options import DEFAULT_DB, Db, ExitCode, Json, Server
from oracle.cli.person import Person, Wish
from schema.errors import InvalidPositionError, NotationError


class Player(StrEnum):
    """Who may play."""

    YOU = "you"
    PERFECT = "perfect"
    HURRIED = "hurried"
    SLOPPY = "sloppy"
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
    seed: Annotated[int, typer.Option(help="Fixes the moves that are made at random.")] = 0,
    epsilon: Annotated[
        float,
        typer.Option(
            min=0, max=1, help="How often a sloppy player makes a random move; else it hurries."
        ),
    ] = 0.1,
    record: Annotated[
        Path | None, typer.Option("--record", help="Save the game (the last one) in this file.")
    ] = None,
    replay: Annotated[
        Path | None, typer.Option("--replay", help="Show a saved game instead of playing.")
    ] = None,
    annotate: Annotated[
        bool,
        typer.Option("--annotate", help="Say of each move of the game whether it wins."),
    ] = False,
    db: Db = DEFAULT_DB,
    server: Server = None,
    as_json: Json = False,
) -> int:
    """Play Chomp: bite a cookie by its row and column; whoever eats the poison loses."""
    with _oracle(db, server) as oracle, _refusals():
        if replay is not None:
            _show(parse_record(_text_of(replay)), oracle, annotate=annotate, as_json=as_json)
            return ExitCode.ANSWERED
        table = Table(oracle, epsilon, record)
        with_person = Player.YOU in {first, second}
        won = [0, 0]
        for number in range(1 if with_person else games):
            played = table.play(start, (first, second), seed + 2 * number)
            if played.winner is not None:
                won[played.winner] += 1
            if as_json or with_person or games == 1:
                _show(played, oracle, annotate=annotate, as_json=as_json)
        if not as_json and not with_person and games > 1:
            typer.echo(f"{first} (first) won {won[0]}, {second} (second) won {won[1]}")
    return ExitCode.ANSWERED


class Table:
    """Where games are played, and saved however they end."""

    def __init__(self, oracle: clients.OracleClient, epsilon: float, record: Path | None) -> None:
        self._oracle = oracle
        self._epsilon = epsilon
        self._record = record

    def play(self, start: str, players: tuple[Player, Player], seed: int) -> GameRecord:
        """One game.

        Raises:
            typer.Abort: a person has left; the game is saved as broken off.
        """
        seats = [self._seat(player, seed + index) for index, player in enumerate(players)]
        game = Game(start, (seats[0].name, seats[1].name))
        persons = sum(isinstance(seat, Person) for seat in seats)
        try:
            while not game.is_over:
                seat = seats[game.to_move]
                if isinstance(seat, Person):
                    _take_turn(seat, game, plies_back=3 - persons)
                else:
                    game.play(seat.choose(game.position))
        finally:
            if self._record is not None:
                self._record.write_text(format_record(game.record()), encoding="utf-8")
        return game.record()

    def _seat(self, player: Player, seed: int) -> Person | Bot:
        match player:
            case Player.YOU:
                return Person(self._oracle)
            case Player.PERFECT:
                return PerfectBot(self._oracle)
            case Player.HURRIED:
                return HurriedBot(self._oracle)
            case Player.SLOPPY:
                return SloppyBot(HurriedBot(self._oracle), self._epsilon, seed)
            case Player.GREEDY:
                return GreedyBot()
            case Player.RANDOM:
                return RandomBot(seed)


def _take_turn(person: Person, game: Game, plies_back: int) -> None:
    """One move of a person, who may also take back the last one, with the answer to it."""
    wish = person.ask(game)
    if wish is Wish.QUIT:
        raise typer.Abort
    if isinstance(wish, str):
        game.play(wish)
    elif not game.undo(plies_back):
        typer.echo("there is nothing to take back")


def _show(
    played: GameRecord, oracle: clients.OracleClient, *, annotate: bool, as_json: bool
) -> None:
    """A game as text in the form of records, or as JSON."""
    said = comments_on(played, oracle) if annotate else []
    if as_json:
        typer.echo(json.dumps({**asdict(played), **({"comments": said} if annotate else {})}))
        return
    typer.echo(format_record(played, said))
    if played.winner is not None:
        typer.echo(f"{played.players[played.winner]} wins")


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise NotationError(f"{path} is no text: {error}") from None


@contextmanager
def _refusals() -> Iterator[None]:
    """Bad boards and records are bad input."""
    try:
        yield
    except clients.InvalidQuestionError as error:
        raise InvalidPositionError(str(error)) from None


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
