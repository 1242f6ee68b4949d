"""`oracle ask`: the outcome and the winning moves of positions."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from oracle.cli.options import DEFAULT_DB, Db, ExitCode, Json, Server
from schema.errors import PositionOracleError

Ask = Callable[[str], dict[str, object]]


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

    Exit code: 0 answered, 2 if a position was bad, 3 if an answer is unknown.
    """
    if positions == ["-"]:
        lines = (line.rstrip("\r\n") for line in sys.stdin)
        return _print_objects(lines, _asker(db, server))
    if as_json:
        return _print_objects(positions, _asker(db, server))
    return _print_text(positions, db, server)


def _asker(db: Path, server: str | None) -> Ask:
    if server is not None:
        from oracle.cli.remote import remote_asker

        return remote_asker(server)
    from oracle.cli.local import open_oracle

    oracle = open_oracle(db)
    return lambda text: oracle.winning_moves(text).as_json()


def _print_objects(texts: Iterable[str], ask: Ask) -> int:
    code = ExitCode.ANSWERED
    for answer in _answers(texts, ask):
        print(json.dumps(answer), flush=True)  # noqa: T201
        if "error" in answer:
            code = ExitCode.BAD_INPUT
        elif answer["certainty"] == "UNKNOWN" and code is ExitCode.ANSWERED:
            code = ExitCode.UNKNOWN
    return code


def _answers(texts: Iterable[str], ask: Ask) -> Iterator[dict[str, object]]:
    for text in texts:
        try:
            yield ask(text)
        except (PositionOracleError, ValueError, LookupError) as error:
            yield {"position": text, "error": str(error)}


def _print_text(positions: list[str], db: Path, server: str | None) -> int:
    from oracle.cli.local import open_oracle
    from oracle.cli.render import answer_text

    if server is not None:
        from oracle.cli.remote import remote_text

        return remote_text(positions, server)
    oracle = open_oracle(db)
    code = ExitCode.ANSWERED
    for text in positions:
        answer = oracle.winning_moves(text)
        typer.echo(answer_text(answer))
        if not answer.outcome:
            code = ExitCode.UNKNOWN
    return code
