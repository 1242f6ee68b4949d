"""`oracle play`: a game in the terminal, against a bot or between bots."""

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from position_oracle.oracle.cli.answerer import answerer
from position_oracle.oracle.cli.options import (
    DEFAULT_DB,
    Db,
    ExitCode,
    Json,
    Seed,
    Server,
    decimal_number,
    whole_number,
)
from position_oracle.schema.files import read_text

if TYPE_CHECKING:
    from position_oracle.clients.play import GameRecord
    from position_oracle.schema.answerer import Answerer


class Player(StrEnum):
    """The kinds of players."""

    YOU = "you"
    PERFECT = "perfect"
    STUBBORN = "stubborn"
    HARD = "hard"
    MEDIUM = "medium"
    EASY = "easy"
    SLOPPY = "sloppy"
    GREEDY = "greedy"
    RANDOM = "random"


def run(
    start: Annotated[
        str, typer.Argument(metavar="[POSITION]", help="The position to begin with.")
    ] = "chomp:7/7/7/7/7",
    first: Annotated[Player, typer.Option(help="Who moves first.")] = Player.YOU,
    second: Annotated[Player, typer.Option(help="Who moves second.")] = Player.PERFECT,
    games: Annotated[
        int,
        typer.Option(
            "--games",
            parser=whole_number(1, 10**6),
            metavar="INTEGER",
            help="Number of games between bots.",
        ),
    ] = 1,
    seed: Seed = 0,
    epsilon: Annotated[
        float,
        typer.Option(
            parser=decimal_number(0, 1),
            metavar="FLOAT",
            help="Probability that a sloppy player makes a random move.",
        ),
    ] = 0.1,
    record: Annotated[
        Path | None, typer.Option("--record", help="Save the game in this file.")
    ] = None,
    replay: Annotated[
        Path | None, typer.Option("--replay", help="Show a saved game instead of playing.")
    ] = None,
    annotate: Annotated[
        bool,
        typer.Option("--annotate", help="Mark each move of the game as winning or losing."),
    ] = False,
    db: Db = DEFAULT_DB,
    server: Server = None,
    as_json: Json = False,
) -> int:
    """Play a game against a bot or a person, or let two bots play. Without a position it is Chomp.

    The program first shows the rules and the level of the opponent. Type help for a list of what
    you can type.

    perfect never errs, and gives you the longest game when it cannot win. stubborn never errs, and
    leaves you the fewest good replies when it cannot win. hard makes one move in twenty at random,
    medium one in five, and easy one in two. For sloppy, --epsilon is the share of random
    moves. greedy takes as much as it can without losing at once. random makes any move.
    """
    from position_oracle.clients.play import Game
    from position_oracle.clients.record import MAX_CHARACTERS, parse_record
    from position_oracle.oracle.cli.match import Match

    with_person = Player.YOU in {first, second}
    for clashes, reason in (
        (with_person, "with a person one game is played"),
        (record is not None, "--record saves one game"),
        (annotate and not as_json, "--annotate shows one game, or with --json all"),
    ):
        if games > 1 and clashes:
            raise typer.BadParameter(f"--games {games}: {reason}")
    if replay is not None and record is not None:
        raise typer.BadParameter("--record: with --replay no game is played")
    with answerer(db, server) as oracle:
        if replay is not None:
            played = parse_record(read_text(replay, MAX_CHARACTERS))
            _show(played, oracle, annotate=annotate, as_json=as_json)
            return ExitCode.ANSWERED
        match = Match(oracle, epsilon, record)
        if with_person and not as_json:
            Game(start, (first, second))  # refuses a bad position before anything is printed
            _introduce(start, (first, second))
        won = [0, 0]
        for number in range(games):
            played = match.play(start, (first, second), seed + 2 * number)
            if played.winner is not None:
                won[played.winner] += 1
            if as_json or with_person or games == 1:
                _show(played, oracle, annotate=annotate, as_json=as_json)
        if not as_json and games > 1:
            typer.echo(f"{first} (first) won {won[0]}, {second} (second) won {won[1]}")
    return ExitCode.ANSWERED


def _introduce(start: str, players: tuple[Player, Player]) -> None:
    """Print the rules of the game, and the level of an opponent."""
    from position_oracle.clients import rules
    from position_oracle.clients.bots import LEVELS
    from position_oracle.oracle.cli.terminal import broken

    game = rules.introduction(start)
    typer.echo(broken(f"{game.title}. {game.rules} You lose when {game.loses}."))
    for player in dict.fromkeys(players):
        if player in LEVELS:
            typer.echo(broken(f"{player}: {LEVELS[player]}"))


def _show(played: "GameRecord", oracle: "Answerer", *, annotate: bool, as_json: bool) -> None:
    """Print a game as text in the form of records, or as JSON."""
    from position_oracle.clients.annotate import annotate as comments_on
    from position_oracle.clients.record import format_record

    said = comments_on(played, oracle) if annotate else []
    if as_json:
        typer.echo(json.dumps({**played.as_json(), **({"comments": said} if annotate else {})}))
        return
    typer.echo(format_record(played, said))
    if played.winner is not None:
        winner = played.players[played.winner]
        typer.echo(f"{winner} {'win' if winner == Player.YOU.value else 'wins'}")
