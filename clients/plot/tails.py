"""Pictures of the census of tails: the numbers of sheets that stop, or have a period."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from position_oracle.clients.plot import raster
from position_oracle.clients.plot.lines import LINE_END
from position_oracle.clients.plot.palette import LINE_COLOURS, SERIES
from position_oracle.clients.plot.style import (
    COLUMN,
    axes_for,
    new_figure,
    over_all,
    styled,
    title_of,
)
from position_oracle.schema.errors import NotationError

__all__ = ["tail_census_figure", "tail_periods_figure"]


@styled
def tail_census_figure(
    counts: Mapping[int, int],
    *,
    source: str = "",
    width: float = COLUMN,
    title: str = "Tails of loser sheets by period",
    axes: Axes | None = None,
) -> Figure:
    """Draw the number of sheets with a tail of each period.

    Args:
        counts: numbers of sheets by period; 0 if the sheet stops, -1 if not computed.
        source: second line of the title.
        width: width of the figure in inches.
        title: first line of the title.
        axes: the axes to draw in; by default those of a new figure.
    """
    known = {period: count for period, count in sorted(counts.items()) if period >= 0 and count}
    if not known:
        raise NotationError("no sheet is counted")
    figure, axes = axes_for(axes, width)
    place = np.arange(len(known))
    many = np.array(list(known.values()), np.float64)
    colours = [SERIES[4] if period == 0 else SERIES[1] for period in known]
    bars = axes.barh(place, many, color=colours, height=0.72)
    if len(known) <= 16:
        axes.bar_label(bars, [f"{count:,.0f}" for count in many], padding=2, fontsize=6.5)
    axes.set_xscale("log")
    axes.set_xlim(0.5, many.max() * 12)
    axes.invert_yaxis()
    step = -(-len(known) // 16)
    names = ["stops" if period == 0 else str(period) for period in known]
    axes.set_yticks(place[::step], names[::step])
    gamma = 1 - known.get(0, 0) / many.sum()
    axes.set_ylabel("period of the tail (columns)")
    more = f"{100 * gamma:.3f} % have a tail (√2 − 1: {100 * LINE_END:.3f} %)"
    axes.set_xlabel(f"sheets\n{more}")
    title_of(axes, title, source)
    return figure


@styled
def tail_periods_figure(
    x: npt.ArrayLike,
    period: npt.ArrayLike,
    *,
    source: str = "",
    width: float = COLUMN,
    title: str = "Where tails of each period are",
) -> Figure:
    """Draw the periods of tails against x and against the phase frac(sqrt 2 x).

    Args:
        x: sheets, (n,).
        period: periods of their tails, (n,); 0 if the sheet stops.
        source: second line of the title.
        width: width of the figure in inches.
        title: first line of the title.
    """
    sheet, periods = np.asarray(x, np.int64), np.asarray(period, np.int64)
    if sheet.shape != periods.shape or sheet.ndim != 1 or not (periods > 0).any():
        raise NotationError("no tails, or sheets and periods that do not match")
    figure = new_figure(width, 0.8 * width)
    left, right = figure.subplots(1, 2, sharey=True)
    present = np.unique(periods[periods > 0])
    rank = np.searchsorted(present, periods)
    unit = 10**6 if sheet.max() >= 10**6 else 1
    for axes, place, name in (
        (left, sheet / unit, "x (sheet)" if unit == 1 else "x (millions)"),
        (right, 2**0.5 * sheet % 1, "phase frac(√2 x)"),
    ):
        on = periods > 0
        raster.dots(axes, place[on], rank[on], LINE_COLOURS["upper"], 1.4)
        axes.set_xlabel(name)
        axes.grid(axis="y")
        axes.set_axisbelow(True)
    left.set_xlim(0, sheet.max() / unit)
    left.locator_params(axis="x", nbins=3)
    left.xaxis.set_major_formatter(lambda value, _: f"{value:,g}")
    right.set_xlim(0, 1)
    right.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    left.set_yticks(range(len(present)), [str(value) for value in present.tolist()])
    left.set_ylabel("period (columns)")
    over_all(figure, title, source)
    return figure
