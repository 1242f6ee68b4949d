"""Options that all pictures share, and how they are read and written."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from oracle.cli.options import ExitCode, whole_number
from schema.errors import NotationError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from clients import OracleClient
    from oracle.core import Oracle

_WIDTHS: Final = {"column": 3.4, "page": 7.0}
_ENDINGS: Final = (".png", ".svg", ".pdf")


def read_width(text: str) -> float:
    """The width of a figure in inches, or by name."""
    try:
        width = _WIDTHS[text] if text in _WIDTHS else float(text)
    except ValueError:
        width = 0.0
    if not 1 <= width <= 40:
        raise typer.BadParameter(
            f"{str(text)[:40]!r}: write column (3.4 inches), page (7 inches) or 1 to 40 inches"
        )
    return width


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


@contextmanager
def source(db: Path, server: str | None) -> "Iterator[OracleClient | Oracle]":
    """A client of the server, or an oracle in this process."""
    if server is not None:
        from oracle.cli.remote import remote_client

        with remote_client(server) as client:
            yield client
        return
    from oracle.cli.local import open_oracle

    yield open_oracle(db)


def pair(text: str | None, option: str, digits: int = 6) -> tuple[int, int] | None:
    """Two whole numbers written as 800x640."""
    if text is None:
        return None
    match = re.fullmatch(rf"([0-9]{{1,{digits}}})x([0-9]{{1,{digits}}})", text, re.ASCII)
    if match is None:
        raise NotationError(f"{option} {text[:40]!r}: write two numbers, e.g. 800x640")
    return int(match[1]), int(match[2])


def write(figure: "Figure", out: Path | None, name: str, dpi: int) -> int:
    """Write a picture and say where it is."""
    from clients.plot import save

    path = save(figure, out or Path(re.sub(r"[^\w.,=-]+", "_", name) + ".png"), dpi)
    typer.echo(f"{path}: {path.stat().st_size:,} bytes")
    return ExitCode.ANSWERED
