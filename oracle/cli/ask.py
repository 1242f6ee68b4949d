"""`oracle ask`: the outcome and the winning moves of positions."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from oracle.cli.options import DEFAULT_DB, Db, ExitCode, Json, Server
from schema.errors import (
    InvalidPositionError,
    NotationError,
    UnknownAnswerError,
    UnknownGameError,
)

if TYPE_CHECKING:
    from engine.theory.random_play import Model
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
    texts = (line.rstrip("\r\n") for line in sys.stdin) if from_input else iter(positions)
    with _oracle(db, server) as oracle:

        def ask(text: str) -> "Reply":
            answer = oracle.winning_moves(text)
            return answer, None if chance is None else _win_probability(oracle, answer, chance)

        if from_input or as_json:
            return _print_objects(texts, ask)
        return _print_texts(texts, ask)


Reply = tuple["Answer", "WinProbability | None"]
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
    from oracle.probers.chance_answers import unknown

    try:
        return oracle.win_probability(answer.position, model)
    except UnknownAnswerError as error:
        return unknown(answer.position, model, str(error))


def _code(answer: "Answer", probability: "WinProbability | None") -> ExitCode:
    known = answer.outcome and (probability is None or probability.value is not None)
    return ExitCode.ANSWERED if known else ExitCode.UNKNOWN


def _print_objects(texts: Iterable[str], ask: "Callable[[str], Reply]") -> int:
    code = ExitCode.ANSWERED
    for text in texts:
        try:
            answer, probability = ask(text)
        except (NotationError, InvalidPositionError, UnknownGameError) as error:
            _print_line({"position": text, "error": str(error)})
            code = ExitCode.BAD_INPUT
            continue
        value = answer.as_json()
        if probability is not None:
            value["win_probability"] = probability.as_json()
        _print_line(value)
        if code is ExitCode.ANSWERED:
            code = _code(answer, probability)
    return code


def _print_line(value: dict[str, object]) -> None:
    # Flushed line by line, so that a program may hold a conversation over pipes.
    typer.echo(json.dumps(value))
    sys.stdout.flush()


def _print_texts(texts: Iterable[str], ask: "Callable[[str], Reply]") -> int:
    from oracle.cli.render import answer_text

    code = ExitCode.ANSWERED
    for text in texts:
        answer, probability = ask(text)
        typer.echo(answer_text(answer, probability))
        if code is ExitCode.ANSWERED:
            code = _code(answer, probability)
    return code
