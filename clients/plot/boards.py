"""Pictures of Chomp boards, and maps of values of positions."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import BoundaryNorm, Colormap, ListedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch

from position_oracle.clients.plot import raster
from position_oracle.clients.plot.palette import FAINT, INK, MUTED, PAPER, SEQUENTIAL, SERIES
from position_oracle.clients.plot.style import (
    COLUMN,
    axes_for,
    bar_beside,
    fit_height,
    square_cells,
    styled,
    title_of,
)
from position_oracle.schema.errors import NotationError

__all__ = ["MAX_BOARD", "board_figure", "board_values_figure", "value_map_figure"]

MAX_BOARD: Final = 64
"""Maximum number of rows and columns of a board that is drawn."""
_WHAT: Final = {
    "grundy": "Grundy value",
    "remoteness": "remoteness (plies)",
    "chance": "chance to win",
}
_LETTERED: Final = 16


@styled
def board_figure(
    rows: Sequence[int],
    *,
    bitten: Mapping[str, tuple[int, int]] | None = None,
    outer: Sequence[int] | None = None,
    coordinates: bool = False,
    source: str = "",
    width: float = COLUMN,
    title: str | None = None,
    axes: Axes | None = None,
) -> Figure:
    """Draw a board of Chomp, the poison at the lower left.

    Friedman and Landsberg (2007), Fig. 1; Morrison, Friedman and Landsberg, Fig. 8.

    Args:
        rows: row lengths, poison row first.
        bitten: bites to label with letters, (row, column) from 1; the cookies may be gone.
        outer: row lengths of the first board, whose other cookies are drawn faintly.
        coordinates: name the x, y and z of three rows, [x, y, z], above the board.
        source: second line of the title.
        width: width of the figure in inches.
        title: first line of the title.
        axes: the axes to draw in; by default those of a new figure.
    """
    lengths, around = _checked(rows), _checked(outer or rows)
    is_alone = axes is None
    figure, axes = axes_for(axes, width, fixed_aspect=True)
    there = {(r, c) for r, length in enumerate(lengths) for c in range(length)}
    for r, length in enumerate(around):
        for c in range(length):
            is_there = (r, c) in there
            face = (INK if (r, c) == (0, 0) else "#c9b08a") if is_there else PAPER
            edge = INK if is_there else FAINT
            axes.add_patch(Circle((c + 1, r + 1), 0.36, facecolor=face, edgecolor=edge, lw=0.7))
    for letter, (row, column) in (bitten or {}).items():
        axes.annotate(letter, (column, row), ha="center", va="center", fontsize=7, color=SERIES[3])
    top = len(around)
    axes.set(xlim=(0.4, around[0] + 0.6), ylim=(0.4, top + 0.6))
    if coordinates:
        _name_columns(axes, lengths)
    square_cells(axes)
    axes.set(xlabel="column (cookies)", ylabel="row (cookies)")
    axes.set_yticks(range(1, top + 1))
    axes.locator_params(axis="x", integer=True, nbins=8)
    axes.tick_params(length=0)
    axes.spines[["left", "bottom"]].set_visible(False)
    title_of(axes, title or f"Board {'/'.join(map(str, lengths))}", source)
    if is_alone:
        fit_height(figure)
    return figure


def _name_columns(axes: Axes, lengths: Sequence[int]) -> None:
    a, b, c = (*lengths, 0, 0)[:3]
    top = len(lengths)
    axes.set_ylim(0.4, top + 1.4)
    for begin, end, name in ((0, c, "x"), (c, b, "y"), (b, a, "z")):
        if end > begin:
            axes.annotate(
                "",
                (begin + 0.55, top + 0.75),
                (end + 0.45, top + 0.75),
                arrowprops={"arrowstyle": "|-|,widthA=0.25,widthB=0.25", "lw": 0.7, "shrinkA": 0},
            )
            axes.annotate(
                f"${name}={end - begin}$",
                ((begin + end + 1) / 2, top + 0.85),
                ha="center",
                va="bottom",
                fontsize=7,
            )


@styled
def board_values_figure(
    rows: Sequence[int],
    values: Mapping[tuple[int, int], float | None],
    *,
    what: str = "grundy",
    winning: Sequence[tuple[int, int]] = (),
    source: str = "",
    width: float = COLUMN,
    title: str | None = None,
    axes: Axes | None = None,
) -> Figure:
    """Draw a board of Chomp, each cookie coloured by the value of the board after its bite.

    Args:
        rows: row lengths, poison row first.
        values: by (row, column) from 1; None or missing: not known.
        what: `grundy`, `remoteness`, `chance`, or a label of its own.
        winning: winning bites, which get a frame.
        source: second line of the title.
        width: width of the figure in inches.
        title: first line of the title.
        axes: the axes to draw in; by default those of a new figure.
    """
    lengths = _checked(rows)
    is_alone = axes is None
    figure, axes = axes_for(axes, width, fixed_aspect=True)
    known = [value for value in values.values() if value is not None]
    shades, norm = _shades(known)
    lettered = max(lengths[0], len(lengths)) <= _LETTERED
    for r, length in enumerate(lengths, 1):
        for c in range(1, length + 1):
            value = values.get((r, c))
            colour: Any = PAPER if value is None else shades(norm(value))
            wins = (r, c) in winning
            axes.add_patch(
                FancyBboxPatch(
                    (c - 0.42, r - 0.42),
                    0.84,
                    0.84,
                    boxstyle="round,pad=0,rounding_size=0.12",
                    facecolor=colour,
                    edgecolor=INK if wins else MUTED,
                    linewidth=1.6 if wins else 0.3,
                )
            )
            if lettered:
                _letter(axes, (c, r), value, colour)
    axes.set(xlim=(0.4, lengths[0] + 0.6), ylim=(0.4, len(lengths) + 0.6))
    square_cells(axes)
    axes.set(xlabel="column of the bite", ylabel="row of the bite")
    axes.locator_params(integer=True, nbins=8, min_n_ticks=1)
    axes.tick_params(length=0)
    axes.spines[["left", "bottom"]].set_visible(False)
    if not lettered and len(set(known)) > 1:
        bar_beside(axes, ScalarMappable(norm, shades), _WHAT.get(what, what) + " after the bite")
    title_of(axes, title or f"Bites of {'/'.join(map(str, lengths))}", source)
    if is_alone:
        fit_height(figure)
    return figure


@styled
def value_map_figure(
    values: npt.ArrayLike,
    *,
    what: str = "grundy",
    labels: tuple[str, str] = ("y", "z"),
    first: tuple[int, int] = (0, 0),
    marked: bool = True,
    source: str = "",
    width: float = COLUMN,
    title: str = "",
    axes: Axes | None = None,
) -> Figure:
    """Draw a map of values of positions with two coordinates.

    Args:
        values: (columns, cells), the value of each position; NaN or negative: not known.
        what: `grundy`, `remoteness`, `chance`, or a label of its own.
        labels: labels of the axes.
        first: coordinates of the first value.
        marked: whether to mark values of 0 (for Grundy values, the P-positions).
        source: second line of the title.
        width: width of the figure in inches.
        title: first line of the title.
        axes: the axes to draw in; by default those of a new figure.
    """
    found = np.asarray(values, np.float64)
    if found.ndim != 2 or not found.size:
        raise NotationError(f"a map of values has two coordinates, not the shape {found.shape}")
    is_alone = axes is None
    figure, axes = axes_for(axes, width, fixed_aspect=True)
    known = np.isfinite(found) & (found >= 0)
    shades, norm = _shades(found[known].tolist())
    steps = np.unique(np.append(found[known], 0.0))
    if len(steps) <= 200:
        index = np.searchsorted(steps, np.where(known, found, 0)) + 1
        palette = np.array([shades(norm(step))[:3] for step in steps])
    else:
        span = max(float(steps[-1] - steps[0]), 1e-300)
        index = 1 + np.rint((np.where(known, found, 0) - steps[0]) / span * 199).astype(np.int64)
        palette = np.array([shades(norm(steps[0] + span * k / 199))[:3] for k in range(200)])
    index[~known] = 0
    colours = np.vstack([[1.0, 1.0, 1.0], palette])
    left, bottom = first[0] - 0.5, first[1] - 0.5
    extent = (left, left + found.shape[0], bottom, bottom + found.shape[1])
    raster.lay(axes, raster.averaged(index.astype(np.uint8), colours), extent)
    if marked and known.any() and what == "grundy":
        y, z = np.nonzero(known & (found == 0))
        size = float(np.clip(90 / max(found.shape), 0.8, 3.5))
        raster.dots(axes, y + first[0], z + first[1], "#ffffff", size * 1.7)
        raster.dots(axes, y + first[0], z + first[1], INK, size)
    axes.set(xlim=extent[:2], ylim=extent[2:], xlabel=labels[0], ylabel=labels[1])
    square_cells(axes)
    axes.locator_params(integer=True, min_n_ticks=1)
    bar_beside(axes, ScalarMappable(norm, shades), _WHAT.get(what, what))
    title_of(axes, title, source)
    if is_alone:
        fit_height(figure)
    return figure


def _shades(values: Sequence[float]) -> tuple[Colormap, Normalize]:
    """Return colours for values: separate ones for few integers, else a continuous scale."""
    found = sorted(set(values)) or [0.0]
    whole = all(float(value).is_integer() for value in found)
    least, most = found[0], found[-1]
    # Doubles represent halves exactly up to 2^52.
    if whole and most - least <= 12 and most < 2**52:
        steps = int(most - least) + 1
        map_ = ListedColormap(colormaps[SEQUENTIAL](np.linspace(0, 1, max(2, steps))))
        return map_, BoundaryNorm(np.arange(least - 0.5, least + max(2, steps) + 0.5), map_.N)
    return colormaps[SEQUENTIAL], Normalize(least, most if most > least else least + 1)


def _letter(axes: Axes, place: tuple[int, int], value: float | None, colour: Any) -> None:
    if value is None:
        text = "–"
    elif float(value).is_integer():
        text = f"{value:.0f}"
    else:
        text = f"{value:.2f}".lstrip("0")
    bright = isinstance(colour, str) or float(np.dot(colour[:3], (0.299, 0.587, 0.114))) > 0.5
    axes.annotate(text, place, ha="center", va="center", fontsize=6, color=INK if bright else PAPER)


def _checked(rows: Sequence[int]) -> list[int]:
    lengths = [int(length) for length in rows if length]
    if not lengths or sorted(lengths, reverse=True) != lengths or min(lengths) < 1:
        raise NotationError(f"rows {list(rows)[:8]} are not a board with cookies")
    if max(lengths[0], len(lengths)) > MAX_BOARD:
        raise NotationError(f"boards are drawn up to {MAX_BOARD} rows and columns")
    return lengths
