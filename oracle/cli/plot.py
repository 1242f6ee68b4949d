"""`oracle plot`: pictures, as PNG, SVG or PDF, of what `clients.plot` draws."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from oracle.cli.options import DEFAULT_DB, Db, ExitCode, Game, Server, whole_number
from schema.errors import NotationError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from clients.plot import Sheet, SheetSource

app = typer.Typer(
    name="plot",
    help="Draw sheets, shapes, openings, boards and chances: PNG, SVG or PDF.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_SIZE: Final = re.compile(r"([0-9]{1,6})x([0-9]{1,6})")
_CORNER: Final = re.compile(r"([0-9]{1,10})x([0-9]{1,10})")
_WIDTHS: Final = {"column": 3.4, "page": 7.0}


class Kind(StrEnum):
    """Which sheet of an x."""

    W = "W"
    L = "L"
    BOTH = "both"


class By(StrEnum):
    """By what cells are coloured."""

    OUTCOME = "outcome"
    ORIGIN = "origin"
    AGE = "age"
    LINE = "line"


def _read_width(text: str) -> float:
    try:
        width = _WIDTHS[text] if text in _WIDTHS else float(text)
    except ValueError:
        width = 0.0
    if not 1 <= width <= 40:
        raise typer.BadParameter(
            f"{str(text)[:40]!r}: write column (3.4 inches), page (7 inches) or 1 to 40 inches"
        )
    return width


Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="File to write: .png, .svg or .pdf.", show_default=False),
]
Width = Annotated[
    float,
    typer.Option(
        "--width", parser=_read_width, metavar="WIDTH", help="column, page, or a number of inches."
    ),
]
Dpi = Annotated[
    int,
    typer.Option("--dpi", parser=whole_number(20, 1200), metavar="INTEGER", help="Pixels an inch."),
]
KindOption = Annotated[
    Kind, typer.Option(help="W: the instant winners; L: the P-positions; or one over the other.")
]
ByOption = Annotated[By, typer.Option(help="By what cells are coloured.")]
Lines = Annotated[
    bool, typer.Option("--lines", help="Lay the lines of equation (5) over it (three-row Chomp).")
]
Size = Annotated[
    str | None,
    typer.Option("--size", help="Columns by cells, e.g. 800x640; by default the whole sheet."),
]
First = Annotated[
    str | None, typer.Option("--first", help="The first y and z of the window, e.g. 300000x120.")
]
Scaled = Annotated[bool, typer.Option("--scaled", help="Axes in units of x.")]
Sheets = Annotated[
    list[str], typer.Argument(metavar="GAME@X ...", help="Sheets, e.g. chomp3@400 chomp3@800.")
]


@app.command()
def sheet(
    game: Game,
    x: Annotated[int, typer.Argument(parser=whole_number(0), metavar="X", help="Which sheet.")],
    kind: KindOption = Kind.W,
    by: ByOption = By.OUTCOME,
    lines: Lines = False,
    regions: Annotated[
        bool, typer.Option("--regions", help="Name the regions I to IV of W (three-row Chomp).")
    ] = False,
    scaled: Scaled = False,
    size: Size = None,
    first: First = None,
    width: Width = "column",  # type: ignore[assignment]
    dpi: Dpi = 300,
    out: Out = None,
    db: Db = DEFAULT_DB,
    server: Server = None,
) -> int:
    """Draw W_x or L_x, or one over the other: whole, or a window of it far out."""
    options = {"lines": lines, "regions": regions, "scaled": scaled, "width": width}
    with _source(db, server) as oracle:
        found = _read(oracle, game, x, kind, by, _size(size), _corner(first))
    from clients.plot import sheet_figure

    figure = sheet_figure(found, kind=kind.value, by=by.value, **options)  # type: ignore[arg-type]
    return _write(figure, out, f"{kind}-{found.game}-{x}", dpi)


@app.command()
def compare(
    sheets: Sheets,
    kind: KindOption = Kind.W,
    by: ByOption = By.OUTCOME,
    lines: Lines = False,
    unscaled: Annotated[
        bool, typer.Option("--unscaled", help="Each in its own cells, not in units of x.")
    ] = False,
    width: Width = "column",  # type: ignore[assignment]
    dpi: Dpi = 300,
    out: Out = None,
    db: Db = DEFAULT_DB,
    server: Server = None,
) -> int:
    """Draw sheets side by side to one scale: x and 2x, or a game and its variant."""
    wanted = [_named_sheet(text) for text in sheets]
    with _source(db, server) as oracle:
        found = [_read(oracle, game, x, kind, by) for game, x in wanted]
    from clients.plot import comparison_figure

    figure = comparison_figure(
        found, kind=kind.value, by=by.value, lines=lines, scaled=not unscaled, width=width
    )
    return _write(figure, out, "compare", dpi)


@app.command()
def parts(
    game: Game,
    x: Annotated[int, typer.Argument(parser=whole_number(1), metavar="X", help="Which sheet.")],
    scaled: Scaled = False,
    width: Width = "column",  # type: ignore[assignment]
    dpi: Dpi = 300,
    out: Out = None,
    db: Db = DEFAULT_DB,
    server: Server = None,
) -> int:
    """Draw what W_x of three-row Chomp is made of: lower, upper and flat lines, diagonals."""
    with _source(db, server) as oracle:
        found = _read(oracle, game, x, Kind.W, By.ORIGIN)
    from clients.plot import decomposition_figure

    return _write(
        decomposition_figure(found, scaled=scaled, width=width), out, f"parts-{found.game}-{x}", dpi
    )


@app.command()
def difference(
    first: Annotated[str, typer.Argument(metavar="A", help="A game.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Another one.")],
    x: Annotated[int, typer.Argument(parser=whole_number(0), metavar="X", help="Which sheet.")],
    kind: KindOption = Kind.W,
    size: Size = None,
    width: Width = "column",  # type: ignore[assignment]
    dpi: Dpi = 300,
    out: Out = None,
    db: Db = DEFAULT_DB,
    server: Server = None,
) -> int:
    """Draw where the sheets of two games differ, cell by cell."""
    if kind is Kind.BOTH:
        raise NotationError("--kind both: two games are compared by W or by L")
    with _source(db, server) as oracle:
        found = [_read(oracle, game, x, kind, By.OUTCOME, _size(size)) for game in (first, second)]
    from clients.plot import difference_figure

    figure = difference_figure(*found, kind=kind.value, width=width)
    return _write(figure, out, f"difference-{x}", dpi)


@contextmanager
def _source(db: Path, server: str | None) -> "Iterator[SheetSource]":
    """A client of the server, or an oracle in this process."""
    if server is not None:
        from oracle.cli.remote import remote_client

        with remote_client(server) as client:
            yield client
        return
    from oracle.cli.local import open_oracle

    yield open_oracle(db)


def _read(
    oracle: "SheetSource",
    game: str,
    x: int,
    kind: Kind,
    by: By,
    size: tuple[int, int] | None = None,
    first: tuple[int, int] | None = None,
) -> "Sheet":
    from clients.plot import read_sheet
    from engine.games.game_text import parse_game

    return read_sheet(
        oracle,
        parse_game(game).text,
        x,
        size=size,
        first=first,
        winners=kind is not Kind.L,
        losers=kind is not Kind.W,
        ages=by is By.AGE,
    )


def _named_sheet(text: str) -> tuple[str, int]:
    game, at, x = text.rpartition("@")
    if not at or not (x.isascii() and x.isdigit()) or len(x) > 10:
        raise NotationError(f"{text[:40]!r}: write game and sheet, e.g. chomp3@400")
    return game, int(x)


def _size(text: str | None) -> tuple[int, int] | None:
    return _pair(text, _SIZE, "--size {}: write columns by cells, e.g. 800x640")


def _corner(text: str | None) -> tuple[int, int] | None:
    return _pair(text, _CORNER, "--first {}: write the first y and z, e.g. 300000x120")


def _pair(text: str | None, form: re.Pattern[str], complaint: str) -> tuple[int, int] | None:
    if text is None:
        return None
    match = form.fullmatch(text)
    if match is None:
        raise NotationError(complaint.format(repr(text[:40])))
    return int(match[1]), int(match[2])


def _write(figure: "Figure", out: Path | None, name: str, dpi: int) -> int:
    from clients.plot import save

    path = save(figure, out or Path(re.sub(r"[^\w.,=-]+", "_", name) + ".png"), dpi)
    typer.echo(f"{path}: {path.stat().st_size:,} bytes")
    return ExitCode.ANSWERED
