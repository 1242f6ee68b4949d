"""`oracle ask`: the outcome and the winning moves of positions."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from oracle.cli.options import DEFAULT_DB, Db, ExitCode, Json, Server
from schema.errors import InvalidPositionError, NotationError, UnknownGameError

if TYPE_CHECKING:
    from oracle.answers import Answer


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
    db: Db = DEFAULT_DB,
    server: Server = None,
    as_json: Json = False,
) -> int:
    """Say who wins a position, how that is known, and which moves win.

    Exit code: 0 if every position was answered, 2 if one was bad, 3 if one is unknown.
    """
    from_input = positions == ["-"]
    texts = (line.rstrip("\r\n") for line in sys.stdin) if from_input else iter(positions)
    with _asker(db, server) as ask:
        if from_input or as_json:
            return _print_objects(texts, ask)
        return _print_texts(texts, ask)


@contextmanager
def _asker(db: Path, server: str | None) -> "Iterator[Callable[[str], Answer]]":
    if server is not None:
        from oracle.cli.remote import remote_asker

        with remote_asker(server) as ask:
            yield ask
    else:
        from oracle.cli.local import open_oracle

        yield open_oracle(db).winning_moves


def _print_objects(texts: Iterable[str], ask: "Callable[[str], Answer]") -> int:
    code = ExitCode.ANSWERED
    for text in texts:
        try:
            answer = ask(text)
        except (NotationError, InvalidPositionError, UnknownGameError) as error:
            _print_line({"position": text, "error": str(error)})
            code = ExitCode.BAD_INPUT
            continue
        _print_line(answer.as_json())
        if not answer.outcome and code is ExitCode.ANSWERED:
            code = ExitCode.UNKNOWN
    return code


def _print_line(value: dict[str, object]) -> None:
    # Flushed line by line, so that a program may hold a conversation over pipes.
    typer.echo(json.dumps(value))
    sys.stdout.flush()


def _print_texts(texts: Iterable[str], ask: "Callable[[str], Answer]") -> int:
    from oracle.cli.render import answer_text

    code = ExitCode.ANSWERED
    for text in texts:
        answer = ask(text)
        typer.echo(answer_text(answer))
        if not answer.outcome:
            code = ExitCode.UNKNOWN
    return code
