"""The common style of all pictures: sizes, type, titles, files."""

import math
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import wraps
from io import BytesIO
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

import matplotlib as mpl
from cycler import cycler
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.cm import ScalarMappable
from matplotlib.colorbar import Colorbar
from matplotlib.colors import BoundaryNorm
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from matplotlib.ticker import LogLocator, NullFormatter
from matplotlib.transforms import ScaledTranslation, Transform

from position_oracle.clients.plot.palette import FAINT, INK, MUTED, PAPER, SERIES
from position_oracle.clients.plot.raster import sharpen
from position_oracle.schema.errors import NotationError

__all__ = [
    "COLUMN",
    "DPI",
    "MAX_DPI",
    "MAX_PIXELS",
    "MAX_WIDTH",
    "PAGE",
    "axes_for",
    "bar_beside",
    "fit_height",
    "legend_below",
    "new_figure",
    "over_all",
    "plain_logarithms",
    "save",
    "square_cells",
    "style",
    "styled",
    "title_of",
]

COLUMN: Final = 3.4
"""Width of one column of a journal, in inches."""
PAGE: Final = 7.0
"""Width of two columns, in inches."""
MAX_WIDTH: Final = 40.0
DPI: Final = 300
MAX_DPI: Final = 1200
MAX_PIXELS: Final = 60_000_000
"""Maximum number of pixels of a PNG picture."""

FORMATS: Final = ("png", "svg", "pdf")
_TITLE: Final = 8.5
_SMALL: Final = 6.5
_INCH_CHARACTERS: Final = 17
"""Number of characters of a title that fit into an inch."""
_INCH_LEGEND: Final = 18
"""Number of characters of a legend that fit into an inch; a marker counts as four."""
_PAD: Final = 0.03
"""Padding around the picture in inches."""

_LONGEST: Final = 6.0
"""Maximum ratio of the sides of axes whose cells are squares."""

_LEAST_WITH_BAR: Final = 2.0
"""Minimum height in inches of a figure with a colour bar, whose label stands upright beside it."""

_SETTINGS: Final[dict[str, Any]] = {
    "font.family": "DejaVu Sans",
    "mathtext.fontset": "dejavusans",
    "font.size": 7.5,
    "axes.labelsize": 7.5,
    "axes.titlesize": _TITLE,
    "axes.titlelocation": "left",
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 6.5,
    "legend.frameon": True,
    "legend.framealpha": 0.9,
    "legend.edgecolor": FAINT,
    "legend.fancybox": False,
    "legend.borderpad": 0.35,
    "legend.labelspacing": 0.3,
    "legend.handletextpad": 0.5,
    "legend.handlelength": 1.4,
    "axes.linewidth": 0.6,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": cycler(color=SERIES),
    "axes.unicode_minus": True,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.minor.size": 1.5,
    "ytick.minor.size": 1.5,
    "grid.color": FAINT,
    "grid.linewidth": 0.4,
    "lines.linewidth": 1.0,
    "lines.markersize": 3,
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "figure.constrained_layout.h_pad": _PAD,
    "figure.constrained_layout.w_pad": _PAD,
    "svg.hashsalt": "position-oracle",
    "pdf.fonttype": 42,
    "image.composite_image": True,
}

P = ParamSpec("P")
R = TypeVar("R")


def style() -> AbstractContextManager[None]:
    """Apply the settings of matplotlib for pictures inside the block."""
    settings: dict[Any, Any] = {**mpl.rcParamsDefault, **_SETTINGS}
    return mpl.rc_context({**settings, "backend": mpl.rcParams["backend"]})


def styled(draw: Callable[P, R]) -> Callable[P, R]:
    """Make a function draw under `style`."""

    @wraps(draw)
    def drawn(*arguments: P.args, **named: P.kwargs) -> R:
        with style():
            return draw(*arguments, **named)

    return drawn


def new_figure(
    width: float = COLUMN, height: float | None = None, *, fixed_aspect: bool = False
) -> Figure:
    """Return an empty figure; sizes in inches, with a default height of 0.78 of the width.

    With a fixed aspect the axes are close together, and `fit_height` sets the height.

    Raises:
        NotationError: a width or height is outside 1 to `MAX_WIDTH` inches.
    """
    size = (width, 0.78 * width if height is None else height)
    if not all(1 <= side <= MAX_WIDTH for side in size):
        raise NotationError(
            f"a picture of {size[0]:g} x {size[1]:g} inches; allowed are 1 to {MAX_WIDTH:g} a side"
        )
    return Figure(figsize=size, layout="compressed" if fixed_aspect else "constrained")


def axes_for(
    axes: Axes | None, width: float, height: float | None = None, *, fixed_aspect: bool = False
) -> tuple[Figure, Axes]:
    """Return the given axes with their figure, or new axes in a new figure."""
    if axes is None:
        figure = new_figure(width, height, fixed_aspect=fixed_aspect)
        return figure, figure.subplots()
    figure = axes.figure.figure if not isinstance(axes.figure, Figure) else axes.figure
    return figure, axes


def title_of(axes: Axes, title: str, source: str = "") -> None:
    """Write a title above axes, and the origin of the numbers below it in small type."""
    figure = axes.figure.figure
    assert figure is not None  # noqa: S101
    width = 1.1 * figure.get_figwidth() * axes.get_position().width
    fits = max(12, int(width * _INCH_CHARACTERS))
    title = _cut(title, fits)
    source = _cut(source, int(fits * _TITLE / _SMALL))
    axes.set_title(title, fontsize=_TITLE, pad=12 if source else 4)
    if source:
        axes.annotate(
            source,
            (0, 1),
            (0, 3),
            xycoords="axes fraction",
            textcoords="offset points",
            fontsize=_SMALL,
            color=MUTED,
            annotation_clip=False,
        )


def over_all(figure: Figure, title: str, source: str = "") -> None:
    """Write a title above a figure of several axes, and the origin of the numbers below it."""
    width = figure.get_figwidth()
    text = _cut(title, int(width * _INCH_CHARACTERS)) + ("\n" if source else "")
    head = figure.suptitle(text, x=_PAD / width, ha="left", fontsize=_TITLE, linespacing=1.25)
    if source:
        note = Annotation(
            _cut(source, int(width * _INCH_CHARACTERS * _TITLE / _SMALL)),
            (0, 0),
            (0, 1),
            xycoords=head,
            textcoords="offset points",
            fontsize=_SMALL,
            color=MUTED,
            annotation_clip=False,
        )
        note.set_in_layout(False)
        figure.add_artist(note)


def legend_below(axes: Axes, handles: Sequence[Artist], columns: int | None = None) -> None:
    """Draw a legend of colours below axes, so that it covers nothing."""
    figure = axes.figure.figure
    assert figure is not None  # noqa: S101
    longest = max(len(str(handle.get_label())) for handle in handles)
    fits = max(1, int(figure.get_figwidth() * _INCH_LEGEND / (longest + 4)))
    axes.legend(
        handles=list(handles),
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        bbox_transform=_below(axes),
        ncols=columns or min(fits, len(handles)),
        frameon=False,
        borderaxespad=0,
        columnspacing=1.2,
    )


def plain_logarithms(axis: Axis) -> None:
    """Make a logarithmic axis with plain labels: 1, 2, 5, 10, or 10, 100 over many decades."""
    least, most = axis.get_view_interval()
    decades = math.log10(most / least)
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if decades <= 2.5 else (1.0,)))
    axis.set_major_formatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:g}")
    axis.set_minor_formatter(NullFormatter())


def bar_beside(axes: Axes, colours: ScalarMappable, label: str) -> Colorbar:
    """Draw a colour bar to the right of axes, as high as they are."""
    figure = axes.figure.figure
    assert isinstance(figure, Figure)  # noqa: S101
    bar = figure.colorbar(colours, cax=axes.inset_axes((1.03, 0.0, 0.035, 1.0)))
    if isinstance(colours.norm, BoundaryNorm):  # a colour for each whole number
        bar.set_ticks((colours.norm.boundaries[:-1] + colours.norm.boundaries[1:]) / 2)
    bar.set_label(label)
    bar.outline.set_visible(False)
    return bar


def square_cells(axes: Axes) -> None:
    """Give cells equal sides; stretch the cells of flat or narrow axes to make room for labels."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    ratio = (top - bottom) / (right - left)
    shown = min(max(ratio, 1 / _LONGEST), _LONGEST)
    is_equal = shown == ratio
    # A box with a fixed aspect makes axes adjust their limits, which shared axes must not.
    axes.set_aspect("equal" if is_equal else "auto", adjustable="box" if is_equal else None)
    axes.set_box_aspect(None if is_equal else shown)


def fit_height(figure: Figure) -> None:
    """Set the height of a figure whose axes have a fixed aspect."""
    figure.set_figheight(min(MAX_WIDTH, 3 * figure.get_figwidth()))
    figure.draw_without_rendering()
    box = figure.get_tightbbox()
    has_bar = any(axes.child_axes for axes in figure.axes)
    least = _LEAST_WITH_BAR if has_bar else 0.0
    figure.set_figheight(min(MAX_WIDTH, max(least, box.height + 2 * _PAD)))


def _below(axes: Axes) -> Transform:
    """Return the position of the last labels of the y axis, 30 points below the axes."""
    figure = axes.figure.figure
    assert figure is not None  # noqa: S101
    return axes.transAxes + ScaledTranslation(0, -30 / 72, figure.dpi_scale_trans)


def _cut(text: str, fits: int) -> str:
    """Shorten a text in its middle, because beginnings and ends tell most."""
    plain = re.sub(r"\$.*?\$", "W123", text)
    if len(plain) <= fits or "$" in text:
        return text
    return f"{text[: fits - fits // 3]}…{text[len(text) - fits // 3 :]}"


def save(figure: Figure, path: Path | str, dpi: float = DPI) -> Path:
    """Write a picture as PNG, SVG or PDF, by the ending of the file name.

    Equal pictures give equal files, without dates.

    Args:
        figure: the picture.
        path: the file.
        dpi: pixels per inch, of PNG and of images in SVG and PDF.

    Raises:
        NotationError: the ending is another one, or there are more pixels than `MAX_PIXELS`.
    """
    path = Path(path)
    ending = path.suffix.removeprefix(".").lower()
    if ending not in FORMATS:
        raise NotationError(f"{path.name}: pictures are written as .png, .svg or .pdf")
    path.write_bytes(file_of(figure, ending, dpi))
    return path


def file_of(figure: Figure, ending: str, dpi: float = DPI) -> bytes:
    """Return the file that `save` writes, for one of the `FORMATS`.

    Raises:
        NotationError: there are more pixels than `MAX_PIXELS`.
    """
    if not 20 <= dpi <= MAX_DPI:
        raise NotationError(f"{dpi:g} pixels an inch; allowed are 20 to {MAX_DPI}")
    width, height = figure.get_size_inches()
    if width * height * dpi**2 > MAX_PIXELS:
        raise NotationError(
            f"{width:g} x {height:g} inches at {dpi:g} pixels an inch are too many pixels; at most"
            f" {MAX_PIXELS:,} are written"
        )
    without_date = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    sharpen(figure, dpi, vector=ending != "png")
    written = BytesIO()
    with style():
        figure.savefig(written, dpi=dpi, format=ending, metadata=without_date[ending])
    return written.getvalue()
