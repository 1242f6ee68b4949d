"""`oracle plot` of sheets: whole, side by side, in parts, and the difference of two."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from position_oracle.oracle.cli.options import Game, whole_number
from position_oracle.oracle.cli.plotting.options import Drawn, Wanted, of_oracle, pair
from position_oracle.schema.errors import NotationError

if TYPE_CHECKING:
    from position_oracle.clients.plot import Sheet
    from position_oracle.schema.answerer import Answerer


class SheetKind(StrEnum):
    """The kind of sheet to draw for an x."""

    W = "W"
    L = "L"
    BOTH = "both"


class By(StrEnum):
    """The property by which cells are coloured."""

    OUTCOME = "outcome"
    ORIGIN = "origin"
    AGE = "age"
    LINE = "line"


KindOption = Annotated[
    SheetKind,
    typer.Option(help="W: the instant winners; L: the P-positions; or one over the other."),
]
ByOption = Annotated[By, typer.Option(help="Colour cells by this.")]
Lines = Annotated[
    bool, typer.Option("--lines", help="Draw the lines of equation (5), too (three-row Chomp).")
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


@of_oracle
def sheet(
    wanted: Wanted,
    game: Game,
    x: Annotated[int, typer.Argument(parser=whole_number(0), metavar="X", help="Which sheet.")],
    kind: KindOption = SheetKind.W,
    by: ByOption = By.OUTCOME,
    lines: Lines = False,
    regions: Annotated[
        bool, typer.Option("--regions", help="Name the regions I to IV of W (three-row Chomp).")
    ] = False,
    scaled: Scaled = False,
    size: Size = None,
    first: First = None,
) -> Drawn:
    """Draw W_x or L_x, or one over the other: whole, or a window of it far out."""
    options = {"lines": lines, "regions": regions, "scaled": scaled, "width": wanted.width}
    with wanted.oracle() as oracle:
        found = _read(
            oracle, game, x, kind, by, pair(size, "--size"), pair(first, "--first", 10), lines=lines
        )
    from position_oracle.clients.plot import sheet_figure

    figure = sheet_figure(found, kind=kind.value, by=by.value, **options)  # type: ignore[arg-type]
    return Drawn(figure, f"{kind}-{found.game}-{x}")


@of_oracle
def compare(
    wanted: Wanted,
    sheets: Sheets,
    kind: KindOption = SheetKind.W,
    by: ByOption = By.OUTCOME,
    lines: Lines = False,
    unscaled: Annotated[
        bool, typer.Option("--unscaled", help="Each in its own cells, not in units of x.")
    ] = False,
) -> Drawn:
    """Draw sheets side by side to one scale: x and 2x, or a game and its variant."""
    named = [_named_sheet(text) for text in sheets]
    with wanted.oracle() as oracle:
        found = [_read(oracle, game, x, kind, by, lines=lines) for game, x in named]
    from position_oracle.clients.plot import comparison_figure

    figure = comparison_figure(
        found, kind=kind.value, by=by.value, lines=lines, scaled=not unscaled, width=wanted.width
    )
    return Drawn(figure, "compare")


@of_oracle
def parts(
    wanted: Wanted,
    game: Game,
    x: Annotated[int, typer.Argument(parser=whole_number(1), metavar="X", help="Which sheet.")],
    scaled: Scaled = False,
) -> Drawn:
    """Draw what W_x of three-row Chomp is made of: lower, upper and flat lines, diagonals."""
    with wanted.oracle() as oracle:
        found = _read(oracle, game, x, SheetKind.W, By.ORIGIN)
    from position_oracle.clients.plot import decomposition_figure

    figure = decomposition_figure(found, scaled=scaled, width=wanted.width)
    return Drawn(figure, f"parts-{found.game}-{x}")


@of_oracle
def difference(
    wanted: Wanted,
    first: Annotated[str, typer.Argument(metavar="A", help="A game.")],
    second: Annotated[str, typer.Argument(metavar="B", help="The other game.")],
    x: Annotated[int, typer.Argument(parser=whole_number(0), metavar="X", help="Which sheet.")],
    kind: KindOption = SheetKind.W,
    size: Size = None,
) -> Drawn:
    """Draw where the sheets of two games differ, cell by cell."""
    if kind is SheetKind.BOTH:
        raise NotationError("--kind both: two games are compared by W or by L")
    with wanted.oracle() as oracle:
        found = [
            _read(oracle, game, x, kind, By.OUTCOME, pair(size, "--size"))
            for game in (first, second)
        ]
    from position_oracle.clients.plot import difference_figure

    figure = difference_figure(*found, kind=kind.value, width=wanted.width)
    return Drawn(figure, f"difference-{x}")


def _read(
    oracle: "Answerer",
    game: str,
    x: int,
    kind: SheetKind,
    by: By,
    size: tuple[int, int] | None = None,
    first: tuple[int, int] | None = None,
    *,
    lines: bool = False,
) -> "Sheet":
    from position_oracle.clients.plot import read_sheet
    from position_oracle.engine.games.game_text import parse_game

    return read_sheet(
        oracle,
        parse_game(game).text,
        x,
        size=size,
        first=first,
        winners=kind is not SheetKind.L,
        losers=kind is not SheetKind.W,
        lines=lines or by in {By.LINE, By.ORIGIN},
        ages=by is By.AGE,
    )


@of_oracle
def residuals(
    wanted: Wanted,
    game: Game,
    x: Annotated[int, typer.Argument(parser=whole_number(1), metavar="X", help="Which sheet.")],
) -> Drawn:
    """Draw how far the P-positions of a sheet of three-row Chomp lie from its lines."""
    with wanted.oracle() as oracle:
        found = _read(oracle, game, x, SheetKind.L, By.LINE, (x // 2 + 8, x + 8), (0, 0))
    from position_oracle.clients.plot import residual_figure

    figure = residual_figure(found, width=wanted.width)
    return Drawn(figure, f"residuals-{found.game}-{x}")


def _named_sheet(text: str) -> tuple[str, int]:
    game, at, x = text.rpartition("@")
    if not at or not (x.isascii() and x.isdigit()) or len(x) > 10:
        raise NotationError(f"{text[:40]!r}: write game and sheet, e.g. chomp3@400")
    return game, int(x)
