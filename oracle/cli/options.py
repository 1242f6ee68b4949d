"""Options that several commands share, and the exit codes."""

from enum import IntEnum
from pathlib import Path
from typing import Annotated

import typer


class ExitCode(IntEnum):
    """What the exit code of every command means."""

    ANSWERED = 0
    FAILED = 1
    BAD_INPUT = 2
    UNKNOWN = 3
    INTERRUPTED = 130


DEFAULT_DB = Path("data")

Db = Annotated[
    Path,
    typer.Option(
        "--db",
        envvar="ORACLE_DB",
        help="Tables: a folder, whose current file is found by its pointer, or one file.",
        show_default=True,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs, one object a line.")]
Server = Annotated[
    str | None,
    typer.Option(
        "--server",
        envvar="ORACLE_SERVER",
        metavar="HOST:PORT",
        help="Ask this server instead of reading the tables here.",
    ),
]
Game = Annotated[
    str,
    typer.Argument(metavar="GAME", help="Text of a game, e.g. chomp3 or 'chomp3{passes=1}'."),
]
