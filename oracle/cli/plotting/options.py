"""Options shared by all pictures, with their readers and writers."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from position_oracle.oracle.cli.answerer import answerer
from position_oracle.oracle.cli.options import DEFAULT_DB, Db, ExitCode, Server, whole_number
from position_oracle.schema.errors import NotationError
from position_oracle.schema.numbers import read_decimal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from position_oracle.schema.answerer import Answerer

_WIDTHS: Final = {"column": 3.4, "page": 7.0}
_ENDINGS: Final = (".png", ".svg", ".pdf")


def read_width(text: str) -> float:
    """Read the width of a figure in inches, or a name of a width."""
    if text in _WIDTHS:
        return _WIDTHS[text]
    try:
        return read_decimal(str(text), 1, 40, "width")
    except NotationError as error:
        raise typer.BadParameter(f"{error} inches, column (3.4) and page (7)") from None


def _read_out(text: str) -> Path:
    path = Path(text)
    if path.suffix.lower() not in _ENDINGS:
        raise typer.BadParameter(f"{path.name[:40]!r}: pictures are written as .png, .svg or .pdf")
    if not path.absolute().parent.is_dir():
        raise typer.BadParameter(f"there is no folder {str(path.parent)[:80]!r}")
    return path


Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        parser=_read_out,
        metavar="FILE",
        help="File to write: .png, .svg or .pdf; by default a .png here.",
        show_default=False,
    ),
]
Width = Annotated[
    float,
    typer.Option(
        "--width", parser=read_width, metavar="WIDTH", help="column, page, or a number of inches."
    ),
]
Dpi = Annotated[
    int,
    typer.Option("--dpi", parser=whole_number(20, 1200), metavar="INTEGER", help="Pixels an inch."),
]


class Drawn(NamedTuple):
    """A picture, and the default name of its file without the ending."""

    figure: "Figure"
    name: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """The options of every picture: its width, and its tables or server."""

    width: float
    db: Path
    server: str | None = None

    def oracle(self) -> "AbstractContextManager[Answerer]":
        """Return a client of the server, or an oracle in this process."""
        return answerer(self.db, self.server)


def of_oracle(draw: Callable[..., Drawn]) -> Callable[..., int]:
    """Make a command that writes the picture of a function, from local tables or a server.

    The command takes the parameters of the function except the first, which is a `Wanted`, and the
    options of all pictures.
    """
    return _command(draw, _shared())


def of_tables(draw: Callable[..., Drawn]) -> Callable[..., int]:
    """Make a command as `of_oracle` does, but only for local tables: without `--server`."""
    return _command(draw, _shared()[:-1])


def _shared() -> list[Parameter]:
    def options(
        width: Width = "column",  # type: ignore[assignment]
        dpi: Dpi = 300,
        out: Out = None,
        db: Db = DEFAULT_DB,
        server: Server = None,
    ) -> None: ...

    return list(signature(options).parameters.values())


def _command(draw: Callable[..., Drawn], shared: list[Parameter]) -> Callable[..., int]:
    parameters = [*list(signature(draw).parameters.values())[1:], *shared]

    @wraps(draw)
    def command(
        width: float, dpi: int, out: Path | None, db: Path, server: str | None = None, **own: Any
    ) -> int:
        figure, name = draw(Wanted(width, db, server), **own)
        return _write(figure, out, name, dpi)

    # What Typer reads instead of those of `command`.
    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    return command


def pair(text: str | None, option: str, digits: int = 6) -> tuple[int, int] | None:
    """Read two whole numbers written as 800x640."""
    if text is None:
        return None
    match = re.fullmatch(rf"([0-9]{{1,{digits}}})x([0-9]{{1,{digits}}})", text, re.ASCII)
    if match is None:
        raise NotationError(f"{option} {text[:40]!r}: write two numbers, e.g. 800x640")
    return int(match[1]), int(match[2])


def _write(figure: "Figure", out: Path | None, name: str, dpi: int) -> int:
    """Write a picture and print the name of its file."""
    from position_oracle.clients.plot import save

    path = save(figure, out or Path(re.sub(r"[^\w.,=-]+", "_", name) + ".png"), dpi)
    typer.echo(f"{path}: {path.stat().st_size:,} bytes")
    return ExitCode.ANSWERED
