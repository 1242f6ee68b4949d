"""Diagrams that explain sheets, drawn from real ones: their growth, and the values they bar."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, Polygon

from position_oracle.clients.plot import raster
from position_oracle.clients.plot.lines import ALPHA, LINE_END, chomp_lines
from position_oracle.clients.plot.palette import INK, LINE_COLOURS, MUTED, PAPER
from position_oracle.clients.plot.sheets import lines_of_points
from position_oracle.clients.plot.style import (
    COLUMN,
    fit_height,
    legend_below,
    new_figure,
    styled,
    title_of,
)
from position_oracle.clients.plot.windows import Sheet
from position_oracle.schema.errors import NotationError

__all__ = [
    "added_lines_figure",
    "foliation_figure",
    "implied_diagonals_figure",
    "opening_moves_figure",
    "recursion_figure",
]

_SHEAR: Final = (0.45, 0.42)
"""Shift of y and z to the right and up, in the view of stacked sheets."""


@styled
def added_lines_figure(sheet: Sheet, *, width: float = COLUMN, title: str | None = None) -> Figure:
    """Draw what sheet x adds to W_(x+1): its P-positions by line, and the deadly diagonal.

    Friedman and Landsberg (2007), Fig. 3.

    Args:
        sheet: a sheet of three-row Chomp, with P-positions and their diagonal.
        width: width of the figure in inches.
        title: a title in place of sheet and game.
    """
    _check_chomp(sheet)
    figure = new_figure(width, fixed_aspect=True)
    axes = figure.subplots()
    y, z = sheet.points
    lines = lines_of_points(sheet)
    handles = []
    for name, marker, label in (
        ("upper", "o", "upper line"),
        ("lower", "v", "lower line"),
        ("tail", "s", "flat line"),
    ):
        on = lines == name
        if not on.any():
            continue
        raster.dots(axes, y[on], z[on], LINE_COLOURS[name], 2.0, marker)
        handles.append(raster.mark(label, LINE_COLOURS[name], marker))
    assert sheet.diagonal is not None  # noqa: S101
    handles += axes.plot(
        [0, sheet.diagonal],
        [sheet.diagonal, 0],
        color=MUTED,
        linewidth=1.2,
        label="deadly diagonal",
    )
    axes.set(
        xlim=(-1, sheet.size[0]),
        ylim=(0, max(1.1 * sheet.diagonal, 8)),
        aspect="equal",
        xlabel="y (columns of height 2)",
        ylabel="z (columns of height 1)",
    )
    legend_below(axes, handles, 2)
    title_of(axes, title or f"What sheet {sheet.x} of {sheet.game} adds", sheet.source)
    fit_height(figure)
    return figure


@styled
def implied_diagonals_figure(
    sheet: Sheet, *, columns: int = 12, width: float = COLUMN, title: str | None = None
) -> Figure:
    """Draw the diagonals that P-positions of the upper line bar to later columns.

    Their vertical distances are the differences of y + z. All values are barred in the end, so the
    density of the line is 1 + its slope: constraint 2 (Friedman and Landsberg 2007, Fig. 6).

    Args:
        sheet: a sheet of three-row Chomp, with P-positions and their diagonal.
        columns: number of columns shown, from y = 1 on.
        width: width of the figure in inches.
        title: a title in place of sheet and game.
    """
    _check_chomp(sheet)
    y, z = sheet.points
    on = (lines_of_points(sheet) == "upper") & (y <= columns)
    y, z = y[on], z[on]
    if not len(y):
        raise NotationError(f"sheet {sheet.x} has no upper line in {columns} columns")
    figure = new_figure(width, fixed_aspect=True)
    axes = figure.subplots()
    end = columns + 3
    for column, cell in zip(y.tolist(), z.tolist(), strict=True):
        axes.plot([column, end], [cell, cell + column - end], color=MUTED, linewidth=0.8)
    reach = np.array([0.5, end])
    axes.plot(
        reach, ALPHA * sheet.x + 1 + (ALPHA - 1) * reach, color=INK, linewidth=0.8, dashes=(4, 2)
    )
    raster.dots(axes, y, z, LINE_COLOURS["upper"], 5)
    axes.set(
        xlim=(0, end),
        ylim=(float(z.min()) - 6, float(z.max()) + 2),
        aspect="equal",
        xlabel="y (columns of height 2)",
        ylabel="z (columns of height 1)",
    )
    handles = [
        raster.mark("P-position", LINE_COLOURS["upper"]),
        Line2D([], [], color=MUTED, label="diagonal it bars"),
        Line2D([], [], color=INK, linewidth=0.8, dashes=(4, 2), label="upper line"),
    ]
    legend_below(axes, handles)
    title_of(axes, title or f"$L_{{{sheet.x}}}$ of {sheet.game}: barred diagonals", sheet.source)
    fit_height(figure)
    return figure


@styled
def opening_moves_figure(
    *, width: float = COLUMN, title: str = "Where the two candidates lie", source: str = ""
) -> Figure:
    """Draw the two positions that a winning opening of [n, 0, 0] may lead to, on their sheets.

    In units of n, one is [1 / sqrt 2, 1 - 1 / sqrt 2, 0], where the lower line of sheet n / sqrt 2
    ends. The other is [2 - sqrt 2, 0, sqrt 2 - 1], where the lines of sheet (2 - sqrt 2) n begin
    (Friedman and Landsberg 2007, section IV B and Fig. 7).

    Args:
        width: width of the figure in inches.
        title: first line of the title.
        source: second line of the title.
    """
    figure = new_figure(width, fixed_aspect=True)
    axes = figure.subplots()
    handles = []
    for x, name, line, marker, place in (
        (ALPHA, "bite in row 3: x = n / √2", "upper", "o", (LINE_END * ALPHA, 0.0)),
        (2 - 2**0.5, "rows 2 and 3: x = (2 − √2) n", "lower", "v", (0.0, LINE_END)),
    ):
        for part in chomp_lines(x, 0.62):
            axes.plot(*np.array([part.begin, part.end]).T, color=LINE_COLOURS[line], linewidth=1.0)
        raster.dots(axes, [place[0]], [place[1]], LINE_COLOURS[line], 6, marker)
        axes.lines[-1].set(zorder=4, clip_on=False)
        handles.append(raster.mark(name, LINE_COLOURS[line], marker))
    axes.set(xlim=(0, 0.62), ylim=(0, 0.55), aspect="equal", xlabel="y / n", ylabel="z / n")
    legend_below(axes, handles, 1)
    title_of(axes, title, source or "from equation (5)")
    fit_height(figure)
    return figure


@styled
def foliation_figure(
    sheets: Sequence[Sheet], *, width: float = COLUMN, title: str | None = None
) -> Figure:
    """Draw sheets of one game above each other, in the space of all positions.

    Morrison, Friedman and Landsberg, Fig. 2.

    Args:
        sheets: two to eight, with instant winners, by ascending x.
        width: width of the figure in inches.
        title: a title in place of the game.
    """
    if not 2 <= len(sheets) <= 8 or any(sheet.winners is None for sheet in sheets):
        raise NotationError("two to eight sheets with instant winners are stacked")
    figure = new_figure(width, fixed_aspect=True)
    axes = figure.subplots()
    side = max(max(sheet.size) for sheet in sheets)
    step = 0.62 * side
    for k, sheet in enumerate(sheets):
        corners = np.array([(0, 0), (side, 0), (side, side), (0, side)], np.float64)
        axes.add_patch(
            Polygon(_leant(corners, k * step), facecolor=PAPER, edgecolor=INK, lw=0.7, alpha=0.9)
        )
        assert sheet.winners is not None  # noqa: S101
        cells = np.argwhere(sheet.winners != 0)
        place = _leant(cells.astype(np.float64), k * step)
        raster.dots(axes, place[:, 0], place[:, 1], LINE_COLOURS["upper"], max(0.6, 60 / side))
        right = _leant(np.array([[side, side / 2]]), k * step)[0]
        axes.annotate(f"$x={sheet.x}$", (right[0] + 0.03 * side, right[1]), fontsize=7, va="center")
    end = _leant(np.array([[side, 0.0], [0.0, side]]), 0.0)
    axes.annotate("y →", (end[0][0] * 0.6, -0.03 * side), fontsize=7, va="top")
    axes.annotate("z ↗", end[1] / 2 + (-0.04 * side, 0), fontsize=7, ha="right")
    axes.set(
        xlim=(-0.12 * side, (1.25 + _SHEAR[0]) * side),
        ylim=(-0.12 * side, (len(sheets) - 1) * step + (_SHEAR[1] + 0.05) * side),
        aspect="equal",
    )
    axes.set_axis_off()
    title_of(axes, title or f"Sheets of {sheets[0].game}", sheets[0].source)
    fit_height(figure)
    return figure


@styled
def recursion_figure(
    *, with_pass: bool = False, width: float = COLUMN, title: str | None = None
) -> Figure:
    """Draw how sheets are made from each other: R from W_x to W_(x+1), M from W_x to L_x.

    Morrison, Friedman and Landsberg, Figs. 3 and 6.

    Args:
        with_pass: whether to include the sheets of the game with the pass unused, which L_x also
            affects.
        width: width of the figure in inches.
        title: first line of the title.
    """
    figure = new_figure(width, 0.55 * width if not with_pass else 0.85 * width)
    axes = figure.subplots()
    rows = [("W", 2.0), ("L", 1.0)]
    if with_pass:
        rows = [(r"\hat{W}", 3.0), (r"\hat{L}", 2.0), ("L", 1.0), ("W", 0.0)]
    for name, height in rows:
        for k, index in enumerate(("x", "x+1", "x+2")):
            axes.annotate(
                f"${name}_{{{index}}}$", (k, height), ha="center", va="center", fontsize=10
            )
    links: list[tuple[tuple[float, float], tuple[float, float], str]] = []
    for name, height in rows:
        if "W" not in name:
            continue
        below = height - 1 if not with_pass or height > 2 else height + 1
        for k in range(3):
            links.append(((k, height), (k, below), "M"))
            if k < 2:
                links.append(((k, height), (k + 1, height), "R"))
    if with_pass:
        links += [((k, 1.0), (k, 2.0), "pass") for k in range(3)]
    for begin, end, letter in links:
        _arrow(axes, begin, end, letter)
    heights = [height for _, height in rows]
    axes.set(xlim=(-0.4, 2.5), ylim=(min(heights) - 0.4, max(heights) + 0.4))
    axes.set_axis_off()
    usual = "Sheets of a game with a pass" if with_pass else "Sheets made of one another"
    title_of(axes, title or usual, "R: next sheet; M: supermex, the P-positions")
    return figure


def _arrow(axes: object, begin: tuple[float, float], end: tuple[float, float], text: str) -> None:
    from matplotlib.axes import Axes

    assert isinstance(axes, Axes)  # noqa: S101
    axes.add_patch(
        FancyArrowPatch(
            begin,
            end,
            arrowstyle="-|>",
            mutation_scale=7,
            shrinkA=17,
            shrinkB=17,
            lw=0.8,
            color=MUTED if text == "pass" else INK,
            linestyle=(0, (3, 2)) if text == "pass" else "-",
        )
    )
    middle = (begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2
    beside = (0, 4) if begin[1] == end[1] else (4, 0)
    axes.annotate(
        text,
        middle,
        beside,
        textcoords="offset points",
        fontsize=6.5,
        color=MUTED,
        ha="center" if beside[1] else "left",
        va="bottom" if beside[1] else "center",
    )


def _leant(points: np.ndarray, up: float) -> np.ndarray:
    """Return points of a sheet in the view from the side, at a height."""
    y, z = points.T
    leant: np.ndarray = np.stack([y + _SHEAR[0] * z, _SHEAR[1] * z + up], axis=1)
    return leant


def _check_chomp(sheet: Sheet) -> None:
    if not sheet.is_chomp:
        raise NotationError(f"{sheet.game}: only sheets of three-row Chomp have these lines")
