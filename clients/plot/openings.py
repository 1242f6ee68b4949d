"""Pictures of the winning openings of three-row Chomp: places, residuals and kinds."""

from typing import Final

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from position_oracle.clients.plot import raster
from position_oracle.clients.plot.lines import ALPHA, LINE_END, TAIL_HEIGHT
from position_oracle.clients.plot.palette import FAINT, LINE_COLOURS, MUTED
from position_oracle.clients.plot.style import (
    COLUMN,
    axes_for,
    legend_below,
    new_figure,
    over_all,
    plain_logarithms,
    styled,
    title_of,
)
from position_oracle.schema.errors import NotationError

__all__ = ["BY_ROWS_2_AND_3", "BY_ROW_3", "opening_places_figure", "openings_figure"]

BY_ROWS_2_AND_3: Final = 2
BY_ROW_3: Final = 3
"""Kinds of openings by the rows left: (n, j, j) or (n, n, j)."""

_KINDS: Final = {
    BY_ROW_3: ("row 3", "upper", ALPHA, "o"),
    BY_ROWS_2_AND_3: ("rows 2 and 3", "lower", TAIL_HEIGHT, "v"),
}
_MOST_DOTS: Final = 6_000


@styled
def openings_figure(
    first: int,
    kind: npt.ArrayLike,
    place: npt.ArrayLike,
    *,
    source: str = "",
    width: float = COLUMN,
    title: str = "Winning openings of the 3 x n rectangle",
) -> Figure:
    """Draw residuals of the openings, and how evenly their kinds are mixed.

    The upper plot has the place j of the bite minus n / sqrt 2 (row 3) or (2 - sqrt 2) n (rows 2
    and 3). The lower plot has the number of openings by row 3 up to n, minus (sqrt 2 - 1) n.

    Args:
        first: the least n.
        kind: int (m,), for n = first, first + 1, ...: `BY_ROW_3` or `BY_ROWS_2_AND_3`; 0: unknown.
        place: int (m,), the j of the rows (n, n, j) or (n, j, j) that the bite leaves.
        source: second line of the title.
        width: width of the figure in inches.
        title: first line of the title.
    """
    kinds, j, n = _checked(first, kind, place)
    figure = new_figure(width, 1.05 * width)
    (above, beside), (below, empty) = figure.subplots(
        2, 2, sharex="col", sharey="row", height_ratios=(1.5, 1), width_ratios=(4, 1)
    )
    empty.set_axis_off()
    handles = []
    step = -(-len(n) // _MOST_DOTS)
    for which, (words, line, slope, marker) in _KINDS.items():
        on = np.flatnonzero(kinds == which)
        off = j[on] - slope * n[on]
        raster.dots(above, n[on][::step], off[::step], LINE_COLOURS[line], _size(len(n)), marker)
        beside.hist(
            off,
            bins=np.linspace(-2, 1, 61).tolist(),
            orientation="horizontal",
            histtype="step",
            color=LINE_COLOURS[line],
            linewidth=0.9,
        )
        share = f"{words}: {100 * len(on) / len(n):.2f} %"
        handles.append(raster.mark(share, LINE_COLOURS[line], marker))
    above.axhline(0, color=MUTED, linewidth=0.6)
    above.set_ylabel("j − predicted (columns)")
    beside.tick_params(labelleft=False, labelbottom=False, bottom=False)
    beside.set_xlabel("how often", fontsize=6.5)
    _dense_line(below, n, np.cumsum(kinds == BY_ROW_3) - LINE_END * n)
    below.axhline(0, color=MUTED, linewidth=0.6)
    below.set(xlabel="n (columns of the rectangle)", ylabel="row 3 so far\n− (√2 − 1) n")
    below.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    below.locator_params(axis="x", nbins=4)
    below.set_xlim(n[0], n[-1])
    spread = (len(n) * LINE_END * (1 - LINE_END)) ** 0.5
    every = f"\n\ndots: every\n{step:,}th\nband: all" if step > 1 else ""
    empty.annotate(
        f"independent\nkinds: ±{spread:,.0f}{every}",
        (0, 0.5),
        xycoords="axes fraction",
        va="center",
        fontsize=6,
        color=MUTED,
    )
    legend_below(below, handles)
    over_all(figure, title, source)
    return figure


@styled
def opening_places_figure(
    first: int,
    kind: npt.ArrayLike,
    place: npt.ArrayLike,
    *,
    source: str = "",
    width: float = COLUMN,
    title: str = "Where the winning opening bites",
    axes: Axes | None = None,
) -> Figure:
    """Draw the positions [x, y, z] after winning openings, in units of n.

    All lie near [n / sqrt 2, (1 - 1 / sqrt 2) n, 0] or [(2 - sqrt 2) n, 0, (sqrt 2 - 1) n]
    (Friedman and Landsberg 2007, Fig. 7).

    Args:
        first: the least n.
        kind: as in `openings_figure`.
        place: as in `openings_figure`.
        source: second line of the title.
        width: width of the figure in inches.
        title: first line of the title.
        axes: the axes to draw in; by default those of a new figure.
    """
    kinds, j, n = _checked(first, kind, place)
    figure, axes = axes_for(axes, width)
    handles = []
    for which, (words, line, slope, marker) in _KINDS.items():
        on = kinds == which
        raster.dots(axes, n[on], j[on] / n[on], LINE_COLOURS[line], _size(len(n)), marker)
        axes.axhline(slope, color=MUTED, linewidth=0.7, linestyle=(0, (4, 2)))
        value = "1 / √2" if which == BY_ROW_3 else "2 − √2"
        text = f"{words}: near {value}, in {100 * on.mean():.1f} %"
        handles.append(raster.mark(text, LINE_COLOURS[line], marker))
    axes.set(
        xlabel="n (columns of the rectangle)",
        ylabel="j / n",
        xscale="log",
        ylim=(0.4, 0.9),
        xlim=(max(2, n[0]), n[-1]),
    )
    plain_logarithms(axes.xaxis)
    legend_below(axes, handles, 1)
    title_of(axes, title, source)
    return figure


def _checked(
    first: int, kind: npt.ArrayLike, place: npt.ArrayLike
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    kinds, j = np.asarray(kind, np.int64), np.asarray(place, np.int64)
    if kinds.ndim != 1 or kinds.shape != j.shape or not len(kinds):
        raise NotationError(f"kinds {kinds.shape} and places {j.shape} of openings do not match")
    return kinds, j, np.arange(first, first + len(kinds))


def _size(count: int) -> float:
    return float(np.clip(90 / count**0.5, 1.0, 3.5))


def _dense_line(axes: Axes, x: npt.NDArray[np.int64], y: npt.NDArray[np.float64]) -> None:
    """Draw a curve of many points as a band between its extremes, and some points."""
    parts = 1_500
    if len(x) <= 2 * parts:
        axes.plot(x, y, color=LINE_COLOURS["start"], linewidth=0.6)
        return
    starts = np.linspace(0, len(x), parts, endpoint=False).astype(np.int64)
    least, most = np.minimum.reduceat(y, starts), np.maximum.reduceat(y, starts)
    axes.fill_between(x[starts], least, most, color=FAINT, linewidth=0.2)
    every = slice(0, None, -(-len(x) // _MOST_DOTS))
    raster.dots(axes, x[every], y[every], MUTED, 0.8)
