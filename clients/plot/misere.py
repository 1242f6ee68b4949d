"""Misere quotients of heap games: the class of every heap."""

import numpy as np
import numpy.typing as npt
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from position_oracle.clients.plot import raster
from position_oracle.clients.plot.palette import FAINT, LINE_COLOURS, MUTED, SEQUENTIAL
from position_oracle.clients.plot.style import COLUMN, axes_for, legend_below, styled, title_of
from position_oracle.schema.errors import NotationError

__all__ = ["misere_quotient_figure"]


@styled
def misere_quotient_figure(
    phi: npt.ArrayLike,
    is_p: npt.ArrayLike,
    *,
    period: int = 0,
    preperiod: int = 0,
    source: str = "",
    width: float = COLUMN,
    title: str = "Classes of heaps in misere play",
    axes: Axes | None = None,
) -> Figure:
    """Draw the class of each heap.

    Classes are sorted and coloured by their first heaps. Heaps that alone are P-positions are
    marked. A line marks the beginning of the period.

    Args:
        phi: int (n + 1,), the class of each heap 0 .. n.
        is_p: bool (order,), whether each class is P.
        period: period of `phi` from `preperiod` on; 0 if unknown.
        preperiod: see `period`.
        source: second line of the title.
        width: width of the figure in inches.
        title: first line of the title.
        axes: the axes to draw in; by default those of a new figure.

    Raises:
        NotationError: the arrays do not match.
    """
    classes, wins = np.asarray(phi, np.int64), np.asarray(is_p, np.bool_)
    if classes.ndim != 1 or wins.ndim != 1 or len(classes) < 2 or classes.max() >= len(wins):
        raise NotationError(f"classes {classes.shape} and outcomes {wins.shape} do not match")
    figure, axes = axes_for(axes, width, 0.8 * width)
    _, first, inverse = np.unique(classes, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))[inverse]
    heaps, are_p = np.arange(len(classes)), wins[classes]
    colours = colormaps[SEQUENTIAL](0.05 + 0.85 * rank / max(1, rank.max()))
    if period and preperiod < len(classes):
        axes.axvspan(preperiod, len(classes) - 0.5, color=FAINT, alpha=0.35, linewidth=0)
        axes.axvline(preperiod, color=MUTED, linewidth=0.7, linestyle=(0, (4, 2)))
    axes.scatter(heaps, rank, c=colours, s=_size(len(heaps)), linewidths=0, zorder=2)
    axes.scatter(
        heaps[are_p],
        rank[are_p],
        s=4 * _size(len(heaps)),
        facecolors="none",
        edgecolors=LINE_COLOURS["lower"],
        linewidths=0.8,
        zorder=3,
    )
    axes.set(
        xlabel="heap (tokens)",
        ylabel="class, in order of appearance",
        xlim=(-1, len(heaps)),
    )
    axes.locator_params(axis="y", integer=True, nbins=8, min_n_ticks=1)
    axes.grid(axis="y")
    axes.set_axisbelow(True)
    marks = [raster.mark("class of a heap", "#7c7b78"), _ring()]
    if period and preperiod < len(classes):
        marks.append(axes.lines[-1])
        marks[-1].set_label(f"period {period} from heap {preperiod} on")
    legend_below(axes, marks)
    title_of(axes, title, source)
    return figure


def _ring() -> Line2D:
    mark = raster.mark("P-position alone", LINE_COLOURS["lower"])
    mark.set(markerfacecolor="none", markeredgecolor=LINE_COLOURS["lower"], markersize=5)
    return mark


def _size(count: int) -> float:
    return float(np.clip(1_500 / count, 3.0, 18.0))
