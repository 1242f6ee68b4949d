"""Pictures of instant-winner sheets and loser sheets: single, combined and side by side."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize, to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from position_oracle.clients.plot import raster
from position_oracle.clients.plot.lines import LINE_END, REGIONS, chomp_lines
from position_oracle.clients.plot.palette import (
    INK,
    LINE_COLOURS,
    ORIGIN_COLOURS,
    ORIGIN_LABELS,
    PAPER,
    SEQUENTIAL,
    WINNER,
)
from position_oracle.clients.plot.style import (
    COLUMN,
    axes_for,
    bar_beside,
    fit_height,
    legend_below,
    new_figure,
    over_all,
    square_cells,
    styled,
    title_of,
)
from position_oracle.clients.plot.windows import Sheet, family_of
from position_oracle.schema.answers import Origin
from position_oracle.schema.errors import NotationError

__all__ = [
    "By",
    "SheetKind",
    "comparison_figure",
    "decomposition_figure",
    "difference_figure",
    "lines_of_points",
    "sheet_figure",
]


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


_LINES_ONLY: Final = Origin.FLAT | Origin.UPPER | Origin.LINE | Origin.LOWER
_LINE_LABELS: Final = {
    "upper": "upper line",
    "lower": "lower line",
    "tail": "tail",
    "start": "deadly diagonal",
}
_LINE_MARKERS: Final = {"upper": "o", "lower": "v", "tail": "s", "start": "D"}
_UNDER: Final = {"linewidth": 0.7, "linestyle": "-", "color": "#9aa2aa"}
_NEAR_END: Final = 48
"""Maximum number of columns between the end of the lines and its predicted place."""
_AXES_LABELS: Final = {
    "chomp3": ("y (columns of height 2)", "z (columns of height 1)"),
    "": ("y (tokens, second heap)", "z (tokens, third heap)"),
}


@styled
def sheet_figure(
    sheet: Sheet,
    *,
    kind: SheetKind | str = SheetKind.W,
    by: By | str = By.OUTCOME,
    lines: bool = False,
    regions: bool = False,
    scaled: bool = False,
    legend: bool = True,
    width: float = COLUMN,
    title: str | None = None,
    axes: Axes | None = None,
) -> Figure:
    """Draw the sheets W_x or L_x, or L_x over W_x, y to the right and z upwards.

    Args:
        sheet: the window to draw; see `read_sheet` and `Sheet.of`.
        kind: W, L or both.
        by: what the colours show. `outcome`: whether a cell is in the sheet. `origin`: what W_x
            comes from, or the lines of L_x. `age`: from which smaller sheet a cell of W_x came
            first. `line`: in W_x the loser lines without the deadly diagonals, in L_x the lines.
        lines: whether to draw the lines of equation (5) of Friedman and Landsberg (three-row
            Chomp).
        regions: whether to label the regions I to IV of their Fig. 2 (three-row Chomp).
        scaled: whether axes are in units of x.
        legend: whether to explain the colours.
        width: width of the figure in inches.
        title: a title in place of sheet, game and source.
        axes: the axes to draw in; by default those of a new figure.

    Raises:
        NotationError: geometry or lines are requested for a game other than three-row Chomp, or
            ages of L_x.
        UnknownAnswerError: the requested data are not in the window.
    """
    kind, by = SheetKind(kind), By(by)
    _check(sheet, kind, by, needs_chomp=lines or regions)
    is_alone = axes is None
    figure, axes = axes_for(axes, width, fixed_aspect=True)
    _draw(axes, sheet, kind, by, lines=lines, regions=regions, scaled=scaled, legend=legend)
    title_of(axes, title or _title(sheet, kind), sheet.source)
    if is_alone:
        fit_height(figure)
    return figure


@styled
def comparison_figure(
    sheets: Sequence[Sheet],
    *,
    kind: SheetKind | str = SheetKind.W,
    by: By | str = By.OUTCOME,
    lines: bool = False,
    scaled: bool = True,
    columns: int | None = None,
    legend: bool = False,
    width: float = COLUMN,
    title: str | None = None,
) -> Figure:
    """Draw several sheets side by side, to the same scale in units of their x.

    In these units the sheets of x and 2 x look alike (Friedman and Landsberg 2007, Fig. 2;
    Morrison, Friedman and Landsberg, Figs. 4, 5 and 7). The sheets of a game and its variants look
    alike, too (Figs. 1, 9, 10).

    Args:
        sheets: one to sixteen of them.
        kind: W, L or both.
        by: the property by which cells are coloured, as in `sheet_figure`.
        lines: whether to draw the lines of equation (5).
        scaled: whether axes are in units of x; if not, in cells.
        columns: number of sheets in a row; by default two, or all of three.
        legend: whether to explain the colours below each sheet.
        width: width of the figure in inches.
        title: the title of the figure.
    """
    if not 1 <= len(sheets) <= 16:
        raise NotationError(f"{len(sheets)} sheets to compare; 1 to 16 are drawn")
    kind, by = SheetKind(kind), By(by)
    side_by_side = columns or min(len(sheets), 3 if len(sheets) == 3 else 2)
    rows = -(-len(sheets) // side_by_side)
    one_game = len({sheet.game for sheet in sheets}) == 1
    figure = new_figure(width, fixed_aspect=True)
    grid = figure.subplots(rows, side_by_side, squeeze=False, sharex=scaled, sharey=scaled)
    for place, axes in enumerate(grid.flat):
        if place >= len(sheets):
            axes.set_axis_off()
            continue
        sheet = sheets[place]
        _check(sheet, kind, by, needs_chomp=lines)
        _draw(axes, sheet, kind, by, lines=lines, scaled=scaled, legend=legend)
        # The game is written above its sheets, or above all sheets if there is only one game.
        title_of(axes, f"${_symbol(sheet, kind)}$", "" if one_game else sheet.game)
        if scaled:
            axes.label_outer()
    if scaled:
        sides = zip(*(_extent(sheet, max(sheet.x, 1)) for sheet in sheets), strict=True)
        left, right, bottom, top = sides
        grid.flat[0].set(xlim=(min(left), max(right)), ylim=(min(bottom), max(top)))
        for axes in grid.flat[: len(sheets)]:
            square_cells(axes)
    sources = " / ".join(dict.fromkeys(sheet.source for sheet in sheets))
    over_all(figure, title or (sheets[0].game if one_game else "Sheets of several games"), sources)
    fit_height(figure)
    return figure


@styled
def decomposition_figure(
    sheet: Sheet, *, scaled: bool = False, width: float = COLUMN, title: str | None = None
) -> Figure:
    """Draw the four parts of W_x: lower lines, upper lines, flat lines, deadly diagonals.

    Friedman and Landsberg (2007), Fig. 5.

    Args:
        sheet: a sheet with `winners` that are `Origin` flags.
        scaled: whether axes are in units of x.
        width: width of the figure in inches.
        title: a title in place of sheet, game and source.
    """
    _check(sheet, SheetKind.W, By.ORIGIN, needs_chomp=True)
    figure = new_figure(width, fixed_aspect=True)
    grid = figure.subplots(2, 2, sharex=True, sharey=True)
    unit = max(sheet.x, 1) if scaled else 1
    parts = (
        (Origin.LOWER, "LL"),
        (Origin.UPPER, "U"),
        (Origin.FLAT, "F"),
        (Origin.DIAGONAL, "DD"),
    )
    assert sheet.winners is not None  # noqa: S101
    for axes, (origin, letters) in zip(grid.flat, parts, strict=True):
        colour = ORIGIN_COLOURS[origin] if origin is not Origin.DIAGONAL else "#8a929a"
        there = (sheet.winners & origin) > 0
        _draw_cells(axes, sheet, there.astype(np.uint8), [PAPER, colour], unit)
        _frame(axes, sheet, unit)
        axes.set_title(f"{letters}: {ORIGIN_LABELS[origin]}", fontsize=7.5, pad=3)
        axes.label_outer()
    over_all(figure, title or f"Parts of $W_{{{sheet.x}}}$ of {sheet.game}", sheet.source)
    fit_height(figure)
    return figure


@styled
def difference_figure(
    one: Sheet,
    other: Sheet,
    *,
    kind: SheetKind | str = SheetKind.W,
    names: tuple[str, str] | None = None,
    width: float = COLUMN,
    title: str | None = None,
    axes: Axes | None = None,
) -> Figure:
    """Draw the differences of two sheets, cell by cell: both, only the first, only the second.

    Args:
        one: a window.
        other: a window of the same size and corner.
        kind: W or L.
        names: names of the two sheets for the legend; by default their games.
        width: width of the figure in inches.
        title: a title in place of the two games.
        axes: the axes to draw in; by default those of a new figure.

    Raises:
        NotationError: the windows differ in size or corner.
    """
    kind = SheetKind(kind)
    if (one.size, one.first_y, one.first_z) != (other.size, other.first_y, other.first_z):
        raise NotationError("the two windows differ in size or corner")
    is_alone = axes is None
    figure, axes = axes_for(axes, width, fixed_aspect=True)
    first, second = (_cells(sheet, kind) for sheet in (one, other))
    index = (first * 1 + second * 2).astype(np.uint8)
    colours = [PAPER, LINE_COLOURS["lower"], ORIGIN_COLOURS[Origin.FLAT], "#b9c0c7"]
    _draw_cells(axes, one, index, colours, 1)
    _frame(axes, one, 1)
    names = names or (one.game, other.game)
    shared = f"{(first & second).sum() / max(1, first.sum()):.1%}".replace("%", " %")
    common = f"{shared} of the first in common" if first.any() else "the first has no cells here"
    legend_below(
        axes,
        [
            _square(colours[3], "both"),
            _square(colours[1], f"only {names[0]}"),
            _square(colours[2], f"only {names[1]}"),
        ],
    )
    title_of(
        axes,
        title or f"${_symbol(one, kind)}$ of {names[0]} and {names[1]}",
        f"{common}; {one.source}",
    )
    if is_alone:
        fit_height(figure)
    return figure


def lines_of_points(sheet: Sheet) -> npt.NDArray[np.str_]:
    """Return the line of each P-position of `sheet.points`, as docs/geometry.md defines it.

    Returns:
        Strings: `upper`, `lower`, `tail` or `start` (on the deadly diagonal, y = 0).
    """
    y, z = sheet.points
    diagonal = sheet.diagonal
    if diagonal is None:
        raise NotationError(f"sheet {sheet.x} of {sheet.game}: its diagonal is not known")
    lower = (y + z < diagonal) & (y > 0)
    last = int(y[lower].max(initial=-1))
    tail = ~lower & (y > last) & (y > LINE_END * sheet.x - _NEAR_END)
    return np.select([y == 0, lower, tail], ["start", "lower", "tail"], "upper")


def _draw(
    axes: Axes,
    sheet: Sheet,
    kind: SheetKind,
    by: By,
    *,
    lines: bool,
    scaled: bool,
    legend: bool,
    regions: bool = False,
) -> None:
    unit = max(sheet.x, 1) if scaled else 1
    labels: list[Line2D] = []
    if lines and kind is SheetKind.L:
        labels += _draw_lines(axes, sheet, unit, over=False)
    if kind is not SheetKind.L:
        ground = kind is SheetKind.BOTH and by in {By.OUTCOME, By.LINE}
        labels += _draw_winners(axes, sheet, By.OUTCOME if ground else by, unit, faint=ground)
    if kind is not SheetKind.W:
        coloured = by is By.LINE or (by is By.ORIGIN and kind is SheetKind.L)
        labels += _draw_losers(axes, sheet, unit, coloured=coloured and sheet.is_chomp)
    if lines and kind is not SheetKind.L:
        labels += _draw_lines(axes, sheet, unit, over=True)
    if regions:
        _name_regions(axes, sheet, unit)
    _frame(axes, sheet, unit)
    if legend and len(labels) > 1:
        legend_below(axes, labels)


def _check(sheet: Sheet, kind: SheetKind, by: By, *, needs_chomp: bool) -> None:
    if not sheet.is_chomp and (needs_chomp or by is By.LINE):
        raise NotationError(f"{sheet.game}: only sheets of three-row Chomp have these lines")
    if by is By.AGE and kind is SheetKind.L:
        raise NotationError("a loser sheet has no ages; draw W or both")
    if by is By.AGE and sheet.ages is None:
        raise NotationError(f"W_{sheet.x} of {sheet.game} came without ages")
    if kind is not SheetKind.L and sheet.winners is None and by is not By.AGE:
        raise NotationError(f"W_{sheet.x} of {sheet.game} came without instant winners")


def _symbol(sheet: Sheet, kind: SheetKind) -> str:
    hat = r"\hat{%s}" if "passes=" in sheet.game else "%s"
    names = {"W": ["W"], "L": ["L"], "both": ["L", "W"]}[kind.value]
    return r"\ \mathrm{over}\ ".join(f"{hat % name}_{{{sheet.x}}}" for name in names)


def _title(sheet: Sheet, kind: SheetKind) -> str:
    return f"${_symbol(sheet, kind)}$ of {sheet.game}"


def _draw_winners(axes: Axes, sheet: Sheet, by: By, unit: float, *, faint: bool) -> list[Line2D]:
    if by is By.AGE:
        _draw_ages(axes, sheet, unit)
        return []
    assert sheet.winners is not None  # noqa: S101
    if by is By.OUTCOME:
        colour = "#c3cbd3" if faint else WINNER
        _draw_cells(axes, sheet, (sheet.winners != 0).astype(np.uint8), [PAPER, colour], unit)
        return [_square(colour, "instant winner")]
    shown = [o for o in ORIGIN_COLOURS if by is By.ORIGIN or o & _LINES_ONLY]
    layers = np.zeros(256, np.uint8)
    flags = np.arange(256)
    for place, origin in enumerate(shown, 1):
        layers[(flags & origin) > 0] = place
    index = layers[sheet.winners.astype(np.uint8)]
    _draw_cells(axes, sheet, index, [PAPER, *(ORIGIN_COLOURS[o] for o in shown)], unit)
    present = np.bincount(index.ravel(), minlength=len(shown) + 1)[1:]
    return [
        _square(ORIGIN_COLOURS[origin], ORIGIN_LABELS[origin])
        for origin, count in zip(shown, present, strict=True)
        if count
    ][::-1]


def _draw_ages(axes: Axes, sheet: Sheet, unit: float) -> None:
    assert sheet.ages is not None  # noqa: S101
    steps = 255
    share = 1 - sheet.ages / max(sheet.x, 1)
    index = np.where(sheet.ages > 0, 1 + np.rint(share * (steps - 1)), 0).astype(np.uint8)
    colours = [PAPER, *map(to_hex, colormaps[SEQUENTIAL](np.linspace(0, 1, steps)))]
    _draw_cells(axes, sheet, index, colours, unit)
    bar = ScalarMappable(Normalize(0, 1), SEQUENTIAL)
    bar_beside(axes, bar, "sheet it first came from, x' / x")


def _draw_cells(
    axes: Axes,
    sheet: Sheet,
    index: npt.NDArray[np.uint8],
    colours: Sequence[str | tuple[float, ...]],
    unit: float,
) -> None:
    """Draw cells as an image into axes, averaged if there are more cells than pixels."""
    picture = raster.averaged(index, np.array([to_rgb(colour) for colour in colours]))  # type: ignore[arg-type]
    raster.lay(axes, picture, _extent(sheet, unit))


def _extent(sheet: Sheet, unit: float) -> tuple[float, float, float, float]:
    left, bottom = sheet.first_y - 0.5, sheet.first_z - 0.5
    columns, cells = sheet.size
    return left / unit, (left + columns) / unit, bottom / unit, (bottom + cells) / unit


def _draw_losers(axes: Axes, sheet: Sheet, unit: float, *, coloured: bool) -> list[Line2D]:
    y, z = sheet.points
    size = _marker_size(axes, sheet)
    if not coloured:
        raster.dots(axes, y / unit, z / unit, INK, size)
        return [raster.mark("P-position", INK, size=3)]
    line = lines_of_points(sheet)
    found = []
    for name, label in _LINE_LABELS.items():
        on = line == name
        if on.any():
            marker = _LINE_MARKERS[name]
            more = 1.8 if name == "start" else 1.0
            raster.dots(axes, y[on] / unit, z[on] / unit, LINE_COLOURS[name], more * size, marker)
            found.append(raster.mark(label, LINE_COLOURS[name], marker))
    return found


def _marker_size(axes: Axes, sheet: Sheet) -> float:
    """Return the marker size of a P-position in points: about a cell, and always visible."""
    figure = axes.figure.figure
    assert figure is not None  # noqa: S101
    points = 72 * 0.85 * figure.get_figwidth() * min(1.0, axes.get_position().width * 1.25)
    return float(np.clip(0.9 * points / max(sheet.size), 1.1, 5.0))


def _draw_lines(axes: Axes, sheet: Sheet, unit: float, *, over: bool) -> list[Line2D]:
    """Draw the lines of equation (5): dashed over cells, with a halo, or thin below points."""
    end_y = sheet.first_y + sheet.size[0] - 0.5
    look: dict[str, Any] = (
        {"linewidth": 0.8, "linestyle": (0, (4, 2)), "color": INK} if over else _UNDER
    )
    shown = chomp_lines(sheet.x, end_y, diagonal=over)
    if not over and "tail" not in lines_of_points(sheet):
        shown = [line for line in shown if line.name != "tail"]
    for line in shown:
        ends = np.array([line.begin, line.end]).T / unit
        (drawn,) = axes.plot(*ends, scalex=False, scaley=False, **look)
        if over:
            drawn.set_path_effects([withStroke(linewidth=2.0, foreground=PAPER)])
        if line.name == "diagonal":
            drawn.set_linestyle((0, (1, 1.5)))
    return [Line2D([], [], label="equation (5)", **look)]


def _name_regions(axes: Axes, sheet: Sheet, unit: float) -> None:
    for name, (y, z) in REGIONS.items():
        axes.annotate(
            name,
            (y * sheet.x / unit, z * sheet.x / unit),
            ha="center",
            va="center",
            fontsize=9,
            fontweight="bold",
            color=INK,
            path_effects=[withStroke(linewidth=2.5, foreground=PAPER)],
            annotation_clip=True,
        )


def _frame(axes: Axes, sheet: Sheet, unit: float) -> None:
    left, right, bottom, top = _extent(sheet, unit)
    axes.set(xlim=(left, right), ylim=(bottom, top))
    square_cells(axes)
    labels = _AXES_LABELS.get(family_of(sheet.game), _AXES_LABELS[""])
    if unit != 1:
        labels = ("y / x", "z / x")
    axes.set(xlabel=labels[0], ylabel=labels[1])
    for axis in (axes.xaxis, axes.yaxis):
        ticks = MaxNLocator(6, integer=unit == 1, steps=[1, 2, 2.5, 5, 10], min_n_ticks=1)
        axis.set_major_locator(ticks)
        if unit == 1:
            axis.set_major_formatter(_thousands)


def _thousands(value: float, _place: Any = None) -> str:
    return f"{value:,.0f}".replace("-", "−")


def _square(colour: str, label: str) -> Line2D:
    return Line2D(
        [],
        [],
        linestyle="",
        marker="s",
        color=colour,
        markersize=4.5,
        label=label,
        markeredgecolor="#7a8086",
        markeredgewidth=0.3,
    )


def _cells(sheet: Sheet, kind: SheetKind) -> npt.NDArray[np.bool_]:
    if kind is SheetKind.W:
        if sheet.winners is None:
            raise NotationError(f"W_{sheet.x} of {sheet.game} came without instant winners")
        return np.asarray(sheet.winners != 0)
    y, z = sheet.points
    found = np.zeros(sheet.size, np.bool_)
    found[y - sheet.first_y, z - sheet.first_z] = True
    return found
