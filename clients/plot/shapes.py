"""Pictures of the measured shape of loser sheets: scatter around lines, and convergence."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from position_oracle.clients.plot import raster
from position_oracle.clients.plot.lines import ALPHA, LINE_END
from position_oracle.clients.plot.palette import LINE_COLOURS, MUTED, SERIES
from position_oracle.clients.plot.sheets import lines_of_points
from position_oracle.clients.plot.style import (
    COLUMN,
    axes_for,
    legend_below,
    new_figure,
    plain_logarithms,
    styled,
    title_of,
)
from position_oracle.clients.plot.windows import Sheet
from position_oracle.schema.errors import NotationError

__all__ = ["MeasuredShape", "convergence_figure", "residual_figure", "scatter_figure"]

_SLOPES: Final = {"upper": ALPHA - 1, "lower": -1 - ALPHA}
_MARKERS: Final = "osD^vP"


class _Measure(Protocol):
    @property
    def quantity(self) -> str: ...
    @property
    def value(self) -> float: ...
    @property
    def standard_error(self) -> float | None: ...
    @property
    def expected(self) -> float | None: ...


class MeasuredShape(Protocol):
    """Interface of measurements of a range of sheets; see `schema.shapes.Shape`."""

    @property
    def first_x(self) -> int:
        """First sheet of the range."""

    @property
    def last_x(self) -> int:
        """Last sheet of the range."""

    @property
    def measures(self) -> Sequence[_Measure]:
        """Quantities with value, standard error and the value of equation (5)."""


@styled
def residual_figure(
    sheet: Sheet, *, width: float = COLUMN, title: str | None = None, axes: Axes | None = None
) -> Figure:
    """Draw the distances of the P-positions of a sheet from the lines of equation (5).

    Args:
        sheet: a sheet of three-row Chomp, with P-positions and their diagonal.
        width: width of the figure in inches.
        title: a title in place of sheet and game.
        axes: the axes to draw in; by default those of a new figure.
    """
    if not sheet.is_chomp:
        raise NotationError(f"{sheet.game}: only sheets of three-row Chomp have these lines")
    figure, axes = axes_for(axes, width)
    y, z = sheet.points
    lines = lines_of_points(sheet)
    if not np.isin(lines, ("upper", "lower")).any():
        raise NotationError(f"sheet {sheet.x} of {sheet.game} has no P-positions on its lines")
    handles = []
    for name, marker in (("upper", "o"), ("lower", "v")):
        on = lines == name
        distance = z[on] - (ALPHA * sheet.x + _SLOPES[name] * y[on])
        size = 3.0 if on.sum() < 400 else 1.8
        raster.dots(axes, y[on] / max(sheet.x, 1), distance, LINE_COLOURS[name], size, marker)
        spread = f", deviation {np.std(distance):.2f}" if on.any() else ""
        handles.append(raster.mark(f"{name} line{spread}", LINE_COLOURS[name], marker))
    axes.axhline(0, color=MUTED, linewidth=0.7)
    axes.set(xlabel="y / x", ylabel="distance from the line (cells, in z)", xlim=(0, LINE_END))
    legend_below(axes, handles)
    title_of(axes, title or f"$L_{{{sheet.x}}}$ of {sheet.game} around its lines", sheet.source)
    return figure


@styled
def scatter_figure(
    distances: Mapping[str, tuple[npt.ArrayLike, npt.ArrayLike]],
    *,
    source: str = "",
    logarithmic: bool = True,
    width: float = COLUMN,
    title: str = "P-positions around their lines",
    axes: Axes | None = None,
) -> Figure:
    """Draw the distribution of the distance from lines, one curve for each line.

    Args:
        distances: for each line (`upper`, `lower`, or any name) the lower ends of bins of the
            distance in z, float (n,), at multiples of one width, and the numbers of P-positions in
            them, (n,). Missing bins are empty, and drawn as gaps.
        source: second line of the title.
        logarithmic: whether the axis is logarithmic, so that exponential tails are straight.
        width: width of the figure in inches.
        title: first line of the title.
        axes: the axes to draw in; by default those of a new figure.
    """
    figure, axes = axes_for(axes, width)
    drawn = []
    for k, (name, (distance, count)) in enumerate(distances.items()):
        edges, many = _bins(np.asarray(distance, np.float64), np.asarray(count, np.float64))
        total = many.sum()
        if not total > 0:
            raise NotationError(f"no P-positions are counted on the line {name}")
        middle = (edges[:-1] + edges[1:]) / 2
        mean = float((middle * many).sum() / total)
        spread = float(np.sqrt((((middle - mean) ** 2) * many).sum() / total))
        drawn.append(
            axes.stairs(
                np.where(many > 0, many / total, np.nan),
                edges,
                baseline=None,
                color=LINE_COLOURS.get(name, SERIES[k % len(SERIES)]),
                linewidth=1.0,
                linestyle=("-", (0, (3, 1)))[k % 2],
                label=f"{name}: mean {mean:+.2f}, deviation {spread:.2f}".replace("-", "−"),
            )
        )
    if logarithmic:
        axes.set_yscale("log")
    axes.axvline(0, color=MUTED, linewidth=0.7)
    axes.set(xlabel="distance from the line (cells, in z)", ylabel="share of P-positions")
    legend_below(axes, drawn, 1)
    title_of(axes, title, source)
    return figure


def _bins(
    least: npt.NDArray[np.float64], counts: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return edges and counts of all bins from the first nonempty one to the last."""
    width = float(np.diff(np.sort(least)).min()) if len(least) > 1 else 1.0
    some = counts > 0
    first = float(least[some].min()) if some.any() else 0.0
    place = np.rint((least[some] - first) / width).astype(np.int64)
    many = np.zeros(int(place.max(initial=0)) + 1)
    many[place] = counts[some]
    return np.linspace(first, first + width * len(many), len(many) + 1), many


@styled
def convergence_figure(
    shapes: Iterable[MeasuredShape],
    *,
    quantities: Sequence[str] = ("alpha", "slope_upper", "slope_lower", "density_upper", "gamma"),
    source: str = "",
    width: float = COLUMN,
    title: str = "Constants against equation (5)",
) -> Figure:
    """Draw |measured - expected| of constants with errors, as x grows (equation (5)).

    Args:
        shapes: measurements of one game over ranges of x; see `schema.shapes.read_shapes`.
        quantities: names of constants, as in docs/geometry.md.
        source: second line of the title.
        width: width of the figure in inches.
        title: first line of the title.

    Raises:
        NotationError: there are no measurements of these constants.
    """
    figure = new_figure(width, 0.95 * width)
    axes = figure.subplots()
    spans = sorted(shapes, key=lambda shape: shape.last_x)
    reach: list[float] = []
    for k, quantity in enumerate(quantities):
        found = [
            (shape.first_x + shape.last_x) / 2 * np.array([1.0, 0.0, 0.0])
            + np.array([0.0, abs(one.value - one.expected), one.standard_error])
            for shape in spans
            for one in shape.measures
            if one.quantity == quantity and one.expected is not None and one.standard_error
        ]
        if not found:
            continue
        x, off, error = np.array(found).T
        reach += [x.min(), x.max()]
        # Markers of several constants at one x are drawn side by side.
        beside = x * 1.05 ** (k - len(quantities) / 2)
        axes.errorbar(
            beside,
            np.maximum(off, 1e-12),
            yerr=np.stack([np.minimum(error, 0.9 * np.maximum(off, 1e-12)), error]),
            fmt=_MARKERS[k % len(_MARKERS)],
            color=SERIES[k % len(SERIES)],
            markersize=3,
            elinewidth=0.6,
            label=quantity.replace("_", " "),
        )
    if not reach:
        raise NotationError("nothing was measured of these constants")
    span = np.array([min(reach), max(reach)])
    guide = axes.plot(
        span,
        0.3 * span**-1.5,
        color=MUTED,
        linewidth=0.8,
        linestyle=(0, (4, 2)),
        label="$x^{-3/2}$",
    )
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="x (middle of the range of sheets)",
        ylabel="|measured − equation (5)|",
    )
    plain_logarithms(axes.xaxis)
    handles: list[Any] = [*axes.containers, *guide]
    legend_below(axes, handles)
    title_of(axes, title, source)
    return figure
