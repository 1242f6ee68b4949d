"""Pictures of random play: the difference between 1/2 and the first player's chance."""

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from position_oracle.clients.plot import raster
from position_oracle.clients.plot.palette import FAINT, MUTED, SERIES
from position_oracle.clients.plot.style import (
    COLUMN,
    axes_for,
    legend_below,
    plain_logarithms,
    styled,
    title_of,
)
from position_oracle.schema.errors import NotationError

__all__ = ["chances_figure"]


@styled
def chances_figure(
    cookies: npt.ArrayLike,
    chance: npt.ArrayLike,
    *,
    bounds: bool = True,
    complete_to: int | None = None,
    source: str = "",
    width: float = COLUMN,
    title: str = "Random play: first player's chance below 1/2",
    axes: Axes | None = None,
) -> Figure:
    """Draw 1/2 - P of many boards against their number of cookies, with its envelope.

    Conjecture 1.5 of Devlin and Trifonova says that 1/2 - P is positive for every board with more
    than one row and more than one column. Conjecture 1.6 says that it lies between two functions of
    the number of cookies that tend to 0.

    Args:
        cookies: int (m,), cookies of each board.
        chance: float (m,), the chance of the player to move if both play at random.
        bounds: whether to draw the minimum and the maximum for each number of cookies as curves.
        complete_to: the largest n for which all boards of n cookies, of the drawn kind, are
            included.
        source: second line of the title.
        width: width of the figure in inches.
        title: first line of the title.
        axes: the axes to draw in; by default those of a new figure.

    Raises:
        NotationError: the arrays do not match, or have no known chance.
    """
    n, p = np.asarray(cookies, np.int64), np.asarray(chance, np.float64)
    if n.shape != p.shape or n.ndim != 1:
        raise NotationError(f"cookies {n.shape} and chances {p.shape} do not match")
    known = np.isfinite(p)
    n, below = n[known], 0.5 - p[known]
    if not len(n):
        raise NotationError("none of the chances is known")
    figure, axes = axes_for(axes, width)
    above_half = below <= 0
    raster.dots(axes, n[~above_half], below[~above_half], "#a9b7c4", 1.2)
    shown = [raster.mark("boards", "#a9b7c4")]
    if bounds:
        sizes = np.unique(n)
        least, most = np.full(sizes.shape, np.inf), np.full(sizes.shape, -np.inf)
        place = np.searchsorted(sizes, n)
        np.minimum.at(least, place, below)
        np.maximum.at(most, place, below)
        for values, colour, dash, name in (
            (most, SERIES[3], "-", "greatest of them, at most h(n)"),
            (least, SERIES[1], (0, (4, 1.5)), "least of them, at least g(n)"),
        ):
            shown += axes.plot(
                sizes[values > 0], values[values > 0], color=colour, linestyle=dash, label=name
            )
    if complete_to is not None:
        axes.axvline(complete_to, color=MUTED, linewidth=0.7, linestyle=(0, (1, 1.5)))
        shown.append(axes.lines[-1])
        shown[-1].set_label(f"all such boards are drawn to n = {complete_to:,}")
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="n (cookies of the board)",
        ylabel="1/2 − P (chance below one half)",
    )
    plain_logarithms(axes.xaxis)
    axes.grid(visible=True, color=FAINT)
    axes.set_axisbelow(True)
    legend_below(axes, shown)
    words = f"{len(n):,} boards, {int(above_half.sum()):,} of them at 1/2 or above"
    title_of(axes, title, f"{words}; {source}" if source else words)
    return figure
