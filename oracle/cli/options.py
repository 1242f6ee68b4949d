"""Options shared by several commands, and the exit codes."""

from collections.abc import Callable
from enum import IntEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from position_oracle.schema.errors import NotationError
from position_oracle.schema.numbers import read_decimal

MAX_DIGITS: Final = 19
"""Number of digits of the largest number, 2^63 - 1."""


def whole_number(least: int, most: int = 2**63 - 1) -> Callable[[int | str], int]:
    """Return a reader of whole numbers in ASCII digits, as in the notation.

    Args:
        least: the minimum.
        most: the maximum.
    """

    def read(value: int | str) -> int:
        text = str(value)
        digits = text.removeprefix("-") if least < 0 else text
        known = digits.isascii() and digits.isdigit() and len(digits) <= MAX_DIGITS
        if not known or not least <= int(text) <= most:
            allowed = f"{least} to {'2^63 - 1' if most == 2**63 - 1 else most}"
            raise typer.BadParameter(f"{text[:40]!r}; allowed are whole numbers from {allowed}")
        return int(text)

    return read


def decimal_number(least: float, most: float) -> Callable[[float | str], float]:
    """Return a reader of decimal numbers in ASCII digits.

    Args:
        least: the minimum.
        most: the maximum.
    """

    def read(value: float | str) -> float:
        try:
            return read_decimal(str(value), least, most, "the number")
        except NotationError as error:
            raise typer.BadParameter(str(error)) from None

    return read


class ExitCode(IntEnum):
    """The exit codes of all commands."""

    ANSWERED = 0
    FAILED = 1
    BAD_INPUT = 2
    UNKNOWN = 3
    INTERRUPTED = 130


DEFAULT_DB = Path("data")

Seed = Annotated[
    int,
    typer.Option(
        "--seed",
        parser=whole_number(0),
        metavar="INTEGER",
        help="Seed of random choices: the same seed gives the same result.",
    ),
]

Db = Annotated[
    Path,
    typer.Option(
        "--db",
        envvar="ORACLE_DB",
        help="The store: a folder of table files, or one table file.",
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
