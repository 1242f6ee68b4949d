"""`oracle ask`: the outcome and the winning moves of positions."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from oracle.cli.options import DEFAULT_DB, Db, ExitCode, Json, Server
from schema.errors import (
    InvalidPositionError,
    NotationError,
    UnknownAnswerError,
    UnknownGameError,
)

SHOWN_MOVES: Final = 10
"""Moves listed in text unless told otherwise."""

if TYPE_CHECKING:
    from engine.theory.random_play import Model
    from oracle.analysis import Analysis
    from oracle.answers import Answer, WinProbability
    from oracle.cli.remote import RemoteOracle
    from oracle.core import Oracle


def run(
    positions: Annotated[
        list[str],
        typer.Argument(
            metavar="POSITION...",
            help="Positions such as 'chomp3:[4,3,2]', 'chomp3:[4,3,2;1]' (one pass left) or"
            " 'chomp:9/7/4' (row lengths); - reads them from standard input, one a line, and"
            " prints one JSON object a line in the same order.",
        ),
    ],
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            help="Also say how likely the player to move is to win: random, perfect-vs-random,"
            " random-vs-perfect, 'perfect-vs-sloppy(0.1)' or 'sloppy(0.1)-vs-perfect', the player"
            " to move first.",
        ),
    ] = None,
    moves: Annotated[
        int | None,
        typer.Option(
            "--moves",
            min=0,
            help="How many moves to list, best first: 10 in text; in JSON none, unless given.",
        ),
    ] = None,
    db: Db = DEFAULT_DB,
    server: Server = None,
    as_json: Json = False,
) -> int:
    """Say who wins a position, how that is known, and which moves win.

    Exit code: 0 if every position was answered, 2 if one was bad, 3 if one is unknown.
    """
    from engine.theory.random_play import Model

    chance = None if model is None else Model.parse(model)
    from_input = positions == ["-"]
    for_programs = from_input or as_json
    # Listing all moves takes longer than all the rest, so programs get them where they ask.
    listed = (0 if for_programs else SHOWN_MOVES) if moves is None else moves
    texts = (line.rstrip("\r\n") for line in sys.stdin) if from_input else iter(positions)
    with _oracle(db, server) as oracle:

        def ask(text: str) -> "Reply":
            analysis = oracle.analyze(text, moves=listed > 0)
            if chance is None:
                return analysis, None
            return analysis, _win_probability(oracle, analysis.answer, chance)

        if for_programs:
            return _print_objects(texts, ask, moves)
        return _print_texts(texts, ask, listed)


Reply = tuple["Analysis", "WinProbability | None"]
"""The answer to a question, and the win probability where a model was given."""


@contextmanager
def _oracle(db: Path, server: str | None) -> "Iterator[Oracle | RemoteOracle]":
    if server is not None:
        from oracle.cli.remote import remote_oracle

        with remote_oracle(server) as oracle:
            yield oracle
    else:
        from oracle.cli.local import open_oracle

        yield open_oracle(db)


def _win_probability(
    oracle: "Oracle | RemoteOracle", answer: "Answer", model: "Model"
) -> "WinProbability":
    """The win probability; for a game that has none, an answer that says so."""
    from oracle.families.chance.answers import unknown

    try:
        return oracle.win_probability(answer.position, model)
    except UnknownAnswerError as error:
        return unknown(answer.position, model, str(error))


def _code(answer: "Answer", probability: "WinProbability | None") -> ExitCode:
    known = answer.outcome and (probability is None or probability.value is not None)
    return ExitCode.ANSWERED if known else ExitCode.UNKNOWN


def _print_objects(
    texts: Iterable[str], ask: "Callable[[str], Reply]", most_moves: int | None
) -> int:
    code = ExitCode.ANSWERED
    for text in texts:
        try:
            analysis, probability = ask(text)
        except (NotationError, InvalidPositionError, UnknownGameError) as error:
            _print_line({"position": text, "error": str(error)})
            code = ExitCode.BAD_INPUT
            continue
        value = analysis.as_json(most_moves)
        if probability is not None:
            value["win_probability"] = probability.as_json()
        _print_line(value)
        if code is ExitCode.ANSWERED:
            code = _code(analysis.answer, probability)
    return code


def _print_line(value: dict[str, object]) -> None:
    # Flushed line by line, so that a program may hold a conversation over pipes.
    typer.echo(json.dumps(value))
    sys.stdout.flush()


def _print_texts(texts: Iterable[str], ask: "Callable[[str], Reply]", most_moves: int) -> int:
    from oracle.cli.render import answer_text
    from oracle.cli.render_moves import move_lines, table_shows_wins, value_lines

    code = ExitCode.ANSWERED
    for text in texts:
        analysis, probability = ask(text)
        more = [*value_lines(analysis.values), *move_lines(analysis, most_moves)]
        list_wins = not table_shows_wins(analysis, most_moves)
        typer.echo(answer_text(analysis.answer, probability, more, list_wins=list_wins))
        if code is ExitCode.ANSWERED:
            code = _code(analysis.answer, probability)
    return code
