"""Pictures of rule changes: sensitivity, survival, overlap without the pass."""

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from position_oracle.clients.plot.palette import INK, MUTED, SERIES
from position_oracle.clients.plot.style import (
    COLUMN,
    axes_for,
    legend_below,
    plain_logarithms,
    styled,
    title_of,
)
from position_oracle.schema.errors import NotationError

__all__ = ["INDEPENDENT", "overlap_figure", "sensitivity_figure", "survival_figure"]

INDEPENDENT: Final = 0.716
"""Fraction of P-positions that differ between two independent games of Chomp."""

_MAX_CURVES: Final = 16
_MAX_TICKS: Final = 6
_DASHES: Final = ("-", (0, (4, 1.5)), (0, (1.5, 1)), (0, (5, 1, 1, 1)))


@styled
def sensitivity_figure(
    curves: Mapping[str, tuple[npt.ArrayLike, npt.ArrayLike]],
    *,
    iterations: bool = True,
    independent: float | None = INDEPENDENT,
    source: str = "",
    width: float = COLUMN,
    title: str = "Spread of one declared position",
    axes: Axes | None = None,
) -> Figure:
    """Draw the fraction of P-positions that one declared position has moved, sheet by sheet.

    Friedman and Landsberg (2007), Fig. 8; Morrison, Friedman and Landsberg, Fig. 13.

    Args:
        curves: by name, the sheets after the change, x - x0 or x / x0, and the fraction of their
            P-positions that have moved, 0 to 1.
        iterations: True if sheets are given as x - x0, False if as x / x0.
        independent: the fraction for independent games, drawn as a line.
        source: second line of the title.
        width: width of the figure in inches.
        title: first line of the title.
        axes: the axes to draw in; by default those of a new figure.
    """
    if not 1 <= len(curves) <= _MAX_CURVES:
        raise NotationError(f"{len(curves)} curves; 1 to {_MAX_CURVES} are drawn")
    figure, axes = axes_for(axes, width)
    for k, (name, (steps, shares)) in enumerate(curves.items()):
        x, y = np.asarray(steps, np.float64), np.asarray(shares, np.float64)
        marker = "osD^v"[k % 5] if len(x) <= 80 else ""
        axes.plot(
            x,
            y,
            color=SERIES[k % len(SERIES)],
            linestyle=_DASHES[k % len(_DASHES)],
            linewidth=0.9,
            marker=marker,
            markersize=2.2,
            label=name,
        )
    drawn = list(axes.lines)
    if independent is not None:
        axes.axhline(independent, color=MUTED, linewidth=0.7, linestyle=(0, (1, 1.5)))
        drawn.append(axes.lines[-1])
        drawn[-1].set_label(f"unrelated games: {independent:g}")
    axes.set(
        xlabel="x − x₀ (sheets after the change)" if iterations else "x / x₀",
        ylabel="share of P-positions moved",
        ylim=(0, 1),
    )
    legend_below(axes, drawn)
    title_of(axes, title, source)
    return figure


@styled
def survival_figure(
    x0: npt.ArrayLike,
    share: npt.ArrayLike,
    error: npt.ArrayLike | None = None,
    *,
    source: str = "",
    width: float = COLUMN,
    title: str = "Declared positions that change the game",
    axes: Axes | None = None,
) -> Figure:
    """Draw the fraction of declared positions that change all later sheets, by sheet.

    Args:
        x0: sheets of the declared positions, (n,).
        share: fraction of the trials at each sheet with a lasting change, (n,).
        error: standard errors, (n,).
        source: second line of the title.
        width: width of the figure in inches.
        title: first line of the title.
        axes: the axes to draw in; by default those of a new figure.
    """
    figure, axes = axes_for(axes, width)
    sheets = np.asarray(x0, np.float64)
    axes.errorbar(
        sheets,
        np.asarray(share, np.float64),
        yerr=None if error is None else np.asarray(error, np.float64),
        fmt="o-",
        color=SERIES[1],
        linewidth=0.8,
        markersize=3.5,
        elinewidth=0.8,
        capsize=2,
        label="share of the trials" + ("" if error is None else ", with its standard error"),
    )
    axes.set(
        xscale="log",
        ylim=(0, 1),
        xlabel="x₀ (sheet of the declared position)",
        ylabel="share that changes for good",
    )
    if len(sheets) <= _MAX_TICKS:
        axes.set_xticks(sheets, [f"{value:,g}" for value in sheets])
        axes.xaxis.set_minor_locator(NullLocator())
    else:
        plain_logarithms(axes.xaxis)
    axes.legend(loc="lower right")
    title_of(axes, title, source)
    return figure


@styled
def overlap_figure(
    x: npt.ArrayLike,
    overlap: npt.ArrayLike,
    *,
    average: int = 0,
    source: str = "",
    width: float = COLUMN,
    title: str = "Overlap with and without the pass-winners",
    axes: Axes | None = None,
) -> Figure:
    """Draw the fraction of equal P-positions of each sheet with and without its pass-winners.

    Morrison, Friedman and Landsberg, Fig. 12.

    Args:
        x: sheets, (n,).
        overlap: fraction of common P-positions, 0 to 1, (n,).
        average: number of sheets of a moving average that is drawn over the points; 0 for none.
        source: second line of the title.
        width: width of the figure in inches.
        title: first line of the title.
        axes: the axes to draw in; by default those of a new figure.
    """
    sheets, shares = np.asarray(x, np.float64), np.asarray(overlap, np.float64)
    if sheets.shape != shares.shape or sheets.ndim != 1:
        raise NotationError(f"sheets {sheets.shape} and overlaps {shares.shape} do not match")
    figure, axes = axes_for(axes, width)
    axes.plot(
        sheets, shares, "o", color=SERIES[1], markersize=2.2, markeredgewidth=0, label="one sheet"
    )
    if 1 < average <= len(sheets):
        kernel = np.ones(average) / average
        axes.plot(
            np.convolve(sheets, kernel, "valid"),
            np.convolve(shares, kernel, "valid"),
            color=INK,
            linewidth=1.0,
            label=f"mean of {average} sheets",
        )
    axes.legend(loc="lower right")
    axes.set(xlabel="x (sheet)", ylabel="share of P-positions in common", ylim=(0, 1.02))
    title_of(axes, title, source)
    return figure
