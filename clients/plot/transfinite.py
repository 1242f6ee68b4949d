"""Pictures of transfinite Chomp in the plane, with infinite sides drawn to a finite length.

Ordinals have places on a line, in order. Each multiple of the largest power of w gets a block.
Within a block, ever closer together, are the multiples of the next smaller power, and so on down to
single cookies.
"""

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from position_oracle.clients.plot import raster
from position_oracle.clients.plot.palette import INK, LINE_COLOURS, PAPER
from position_oracle.clients.plot.style import (
    COLUMN,
    axes_for,
    fit_height,
    legend_below,
    styled,
    title_of,
)
from position_oracle.schema.errors import NotationError

__all__ = ["ordinal_places", "spelled", "transfinite_figure"]

_TERM: Final = re.compile(
    r"(?:[wω](?:\^(?P<exponent>.+?))?(?:[*·](?P<count>[0-9]+))?|(?P<n>[0-9]+))$"
)
_SHRINK: Final = 0.78
_MAX_BOXES: Final = 16
_TICKS: Final = 7
_COOKIES: Final = "#dccfb4"
_BITTEN: Final = "#9fb9cf"

Terms = tuple[tuple[str, int], ...]


@styled
def transfinite_figure(
    boxes: Sequence[tuple[str, str]],
    *,
    bites: Sequence[tuple[str, str]] = (),
    source: str = "",
    width: float = COLUMN,
    title: str = "",
    axes: Axes | None = None,
) -> Figure:
    """Draw a position of transfinite Chomp in the plane, and the cookies that bites remove.

    Args:
        boxes: boxes at the origin, width and height, with ordinals as text: `("2", "w*2+1")`.
        bites: cookies (column, height) from 0, as text; the cookies that each bite removes are
            shaded.
        source: second line of the title.
        width: width of the figure in inches.
        title: first line of the title.
        axes: the axes to draw in; by default those of a new figure.

    Raises:
        NotationError: there is no box or too many, or a text is not an ordinal in Cantor normal
            form.
    """
    if not 1 <= len(boxes) <= _MAX_BOXES:
        raise NotationError(f"{len(boxes)} boxes; positions of 1 to {_MAX_BOXES} are drawn")
    across = ordinal_places([text for text, _ in (*boxes, *bites)])
    upward = ordinal_places([text for _, text in (*boxes, *bites)])
    is_alone = axes is None
    figure, axes = axes_for(axes, width, fixed_aspect=True)
    right, top = (max(places[: len(boxes)]) for places in (across, upward))
    # Both sides are scaled separately, because a narrow column would be invisible.
    shape = float(np.clip(top / right, 0.4, 0.75))
    units = 1.0 / right, shape / top
    corners = sorted(
        (w * units[0], h * units[1])
        for w, h in zip(across[: len(boxes)], upward[: len(boxes)], strict=True)
    )
    _fill(axes, corners, (0.0, 0.0), _COOKIES)
    for k, (u, v) in enumerate(zip(across[len(boxes) :], upward[len(boxes) :], strict=True)):
        place = u * units[0], v * units[1]
        _fill(axes, corners, place, _BITTEN)
        axes.plot(*place, "*", color=LINE_COLOURS["lower"], markersize=7, clip_on=False, zorder=4)
        axes.annotate(
            f"({_shown(bites[k][0])}, {_shown(bites[k][1])})",
            place,
            (5, 4),
            textcoords="offset points",
            fontsize=7,
            zorder=4,
        )
    edge = _fill(axes, corners, (0.0, 0.0), "none")
    edge.set(edgecolor=INK, linewidth=0.9, zorder=3)
    _divide(axes, [text for text, _ in boxes], max(across), 0, units, edge)
    _divide(axes, [text for _, text in boxes], max(upward), 1, units, edge)
    axes.plot(0, 0, "s", color=INK, markersize=4, clip_on=False)
    shown: list[Artist] = [raster.mark("poison", INK, "s")]
    if bites:
        shown = [
            raster.mark("stays", _COOKIES, "s"),
            raster.mark("eaten", _BITTEN, "s"),
            raster.mark("bite", LINE_COLOURS["lower"], "*"),
            *shown,
        ]
    axes.set(xlim=(-0.015, 1.02), ylim=(-0.015, shape + 0.02), aspect="equal")
    _name_places(axes, boxes, bites, (across, upward), units)
    axes.set(xlabel="column (ordinal)", ylabel="height (ordinal)")
    legend_below(axes, shown)
    title_of(axes, title, source)
    if is_alone:
        fit_height(figure)
    return figure


def ordinal_places(texts: Sequence[str]) -> list[float]:
    """Return the places of ordinals on a line: larger ones farther out, 0 at 0.

    Raises:
        NotationError: a text is not an ordinal in Cantor normal form.
    """
    terms = [_terms(text) for text in texts]
    exponents = sorted({exponent for one in terms for exponent, _ in one}, key=_exponent_key)
    places = []
    for one in terms:
        counts = dict(one)
        place = 0.0
        for exponent in exponents:
            place = (
                counts.get(exponent, 0) + 0.97 * (1 - _SHRINK**place)
                if place
                else float(counts.get(exponent, 0))
            )
        places.append(place)
    return places


def _terms(text: str) -> Terms:
    """Return exponents and coefficients of an ordinal in Cantor normal form."""
    found = []
    for part in _split(text.strip()):
        match = _TERM.fullmatch(part)
        if match is None:
            raise NotationError(
                f"{text[:40]!r} is not an ordinal in Cantor normal form, as w^2*3+w+5"
            )
        if match["n"] is not None:
            if int(match["n"]):
                found.append(("0", int(match["n"])))
        else:
            exponent = (match["exponent"] or "1").removeprefix("(").removesuffix(")")
            found.append((exponent, int(match["count"] or 1)))
    return tuple(found)


def _split(text: str) -> list[str]:
    parts, depth, begin = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "+" and depth == 0:
            parts.append(text[begin:place])
            begin = place + 1
    return [*parts, text[begin:]]


def _exponent_key(exponent: str) -> tuple[float, ...]:
    """Return a sort key of exponents: by their terms, the largest first."""
    if exponent.isdigit():
        return (0.0, float(exponent))
    return (1.0, *(float(count) + 100 * len(power) for power, count in _terms(exponent)))


def _fill(
    axes: Axes, corners: Sequence[tuple[float, float]], begin: tuple[float, float], colour: str
) -> Polygon:
    """Fill the part of boxes at the origin at or beyond a cookie; corners ascend in width."""
    left, bottom = begin
    x, y = [left], [bottom]
    for place, (w, _) in enumerate(corners):
        height = max(h for _, h in corners[place:])
        if w > left and height > bottom:
            x += [x[-1], w]
            y += [height, height]
    polygon = Polygon(
        list(zip([*x, x[-1]], [*y, bottom], strict=True)), closed=True, facecolor=colour
    )
    axes.add_patch(polygon)
    return polygon


def _divide(
    axes: Axes,
    texts: Sequence[str],
    most: float,
    side: int,
    units: tuple[float, float],
    edge: Polygon,
) -> None:
    """Draw lines between cookies, or between multiples of the largest power of w."""
    last = min(int(most), 16 * _TICKS)
    lines = [float(k) for k in range(1, last + 1)]
    if any("w" in text or "ω" in text for text in texts):
        blocks = range(last + 1)
        lines += [b + 0.97 * (1 - _SHRINK**k) for b in blocks for k in range(1, 2 * _TICKS)]
    for place in lines[: 16 * _TICKS]:
        draw = axes.axvline if side == 0 else axes.axhline
        whole = place == int(place)
        line = draw(place * units[side], color=PAPER, linewidth=0.9 if whole else 0.4, zorder=2)
        line.set_clip_path(edge)


def _name_places(
    axes: Axes,
    boxes: Sequence[tuple[str, str]],
    bites: Sequence[tuple[str, str]],
    places: tuple[list[float], list[float]],
    units: tuple[float, float],
) -> None:
    """Draw ticks at the sides of boxes and bites."""
    for axis, side in ((axes.xaxis, 0), (axes.yaxis, 1)):
        texts = [pair[side] for pair in (*boxes, *bites)]
        named = dict(zip(texts, places[side], strict=True))
        named.setdefault("0", 0.0)
        chosen: dict[str, float] = {}
        for text, place in sorted(named.items(), key=lambda item: item[1]):
            # If labels would overlap, only that of the smaller ordinal is drawn.
            if all(abs(place - other) * units[side] > 0.055 for other in chosen.values()):
                chosen[text] = place
        axis.set_ticks([place * units[side] for place in chosen.values()])
        axis.set_ticklabels([_shown(text) for text in chosen])


def spelled(text: str) -> str:
    """Format a position for print: ω for w, × between the sides of a box."""
    body = text.removeprefix("transfinite:")
    return " + ".join(
        " × ".join(_shown(side) for side in re.split(r"(?<=[0-9)w])x", box))
        for box in body.split(" + ")
    )


def _shown(text: str) -> str:
    """Format an ordinal for print."""
    raised = text.replace("w", "ω").replace("*", "·")
    return re.sub(r"\^(\([^)]*\)|ω|[0-9]+)", lambda m: f"$^{{{m[1].strip('()')}}}$", raised)
