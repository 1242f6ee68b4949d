"""Positions of transfinite Chomp in the plane, with bites: infinite sides drawn to a finite length.

An ordinal a = w^e1 * c1 + ... has a place on a line such that larger ordinals stand farther out: a
whole block for each multiple of its largest power, within it, ever closer together, the multiples
of the next smaller one, and so on down to single cookies.
"""

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from clients.plot.palette import FAINT, INK, LINE_COLOURS, MUTED, PAPER
from clients.plot.style import COLUMN, axes_for, fit_height, styled, title_of
from schema.errors import NotationError

__all__ = ["ordinal_places", "transfinite_figure"]

_TERM: Final = re.compile(
    r"(?:[wω](?:\^(?P<exponent>.+?))?(?:[*·](?P<count>[0-9]+))?|(?P<n>[0-9]+))$"
)
_SHRINK: Final = 0.78
_MAX_BOXES: Final = 16
_TICKS: Final = 7

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
    """Draw a position of transfinite Chomp in the plane, and what bites remove of it.

    Args:
        boxes: its boxes at the origin, width by height, ordinals as text: `("2", "w*2+1")`.
        bites: cookies (column, height) from 0, as text; what each removes is hatched.
        source: second line of the title.
        width: of the figure, in inches.
        title: first line of the title.
        axes: where to draw; by default in a figure of its own.

    Raises:
        NotationError: no box, too many, or a text that is no ordinal in Cantor normal form.
    """
    if not 1 <= len(boxes) <= _MAX_BOXES:
        raise NotationError(f"{len(boxes)} boxes; positions of 1 to {_MAX_BOXES} are drawn")
    across = ordinal_places([text for text, _ in (*boxes, *bites)])
    upward = ordinal_places([text for _, text in (*boxes, *bites)])
    is_alone = axes is None
    figure, axes = axes_for(axes, width, fixed_aspect=True)
    right, top = (max(places[: len(boxes)]) for places in (across, upward))
    # Both sides are drawn to sizes that fit: a narrow column would not be seen.
    shape = float(np.clip(top / right, 0.45, 1.4))
    x_of, y_of = 1.0 / right, shape / top
    for w, h in zip(across[: len(boxes)], upward[: len(boxes)], strict=True):
        axes.add_patch(Rectangle((0, 0), w * x_of, h * y_of, facecolor="#e6dcc8", edgecolor="none"))
    outline = sorted(zip(across[: len(boxes)], upward[: len(boxes)], strict=True))
    _outline(axes, [(w * x_of, h * y_of) for w, h in outline])
    for k, (u, v) in enumerate(zip(across[len(boxes) :], upward[len(boxes) :], strict=True)):
        for w, h in outline:
            if w > u and h > v:
                axes.add_patch(
                    Rectangle(
                        (u * x_of, v * y_of),
                        (w - u) * x_of,
                        (h - v) * y_of,
                        facecolor=LINE_COLOURS["upper"] if k == 0 else MUTED,
                        alpha=0.35,
                        edgecolor="none",
                    )
                )
        axes.plot(u * x_of, v * y_of, "*", color=LINE_COLOURS["lower"], markersize=7, clip_on=False)
        axes.annotate(
            f"({_shown(bites[k][0])}, {_shown(bites[k][1])})",
            (u * x_of, v * y_of),
            (4, 3),
            textcoords="offset points",
            fontsize=6.5,
        )
    axes.plot(0, 0, "s", color=INK, markersize=4, clip_on=False)
    axes.set(xlim=(-0.015, 1.04), ylim=(-0.015, shape * 1.06), aspect="equal")
    _name_places(axes, boxes, bites, (across, upward), (x_of, y_of))
    axes.set(xlabel="column (ordinal)", ylabel="height (ordinal)")
    title_of(axes, title, source)
    if is_alone:
        fit_height(figure)
    return figure


def ordinal_places(texts: Sequence[str]) -> list[float]:
    """Where ordinals stand on a line: larger ones farther out; 0 stands at 0.

    Raises:
        NotationError: a text that is no ordinal in Cantor normal form.
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
    """Exponents and how often, of an ordinal in Cantor normal form."""
    found = []
    for part in _split(text.strip()):
        match = _TERM.fullmatch(part)
        if match is None:
            raise NotationError(f"{text[:40]!r} is no ordinal in Cantor normal form, as w^2*3+w+5")
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
    """Order of exponents: by their own terms, largest first; nested ones by their length."""
    if exponent.isdigit():
        return (0.0, float(exponent))
    return (1.0, *(float(count) + 100 * len(power) for power, count in _terms(exponent)))


def _outline(axes: Axes, corners: Sequence[tuple[float, float]]) -> None:
    """The staircase around boxes."""
    x, y = [0.0], [max(height for _, height in corners)]
    for place, (w, h) in enumerate(corners):
        rest = max((height for _, height in corners[place + 1 :]), default=0.0)
        if h > rest:
            x += [w, w]
            y += [h, rest]
    axes.plot([0, *x, 0], [0, *y, 0], color=INK, linewidth=0.9, solid_joinstyle="miter")
    axes.fill(x, y, facecolor=PAPER, alpha=0)


def _name_places(
    axes: Axes,
    boxes: Sequence[tuple[str, str]],
    bites: Sequence[tuple[str, str]],
    places: tuple[list[float], list[float]],
    units: tuple[float, float],
) -> None:
    """Ticks at the sides of boxes and bites, and fainter lines at smaller multiples."""
    for axis, side in ((axes.xaxis, 0), (axes.yaxis, 1)):
        texts = [pair[side] for pair in (*boxes, *bites)]
        named = dict(zip(texts, places[side], strict=True))
        named.setdefault("0", 0.0)
        chosen: dict[str, float] = {}
        for text, place in sorted(named.items(), key=lambda item: item[1]):
            # Names that would overlap give way to those of smaller ordinals.
            if all(abs(place - other) * units[side] > 0.055 for other in chosen.values()):
                chosen[text] = place
        axis.set_ticks([place * units[side] for place in chosen.values()])
        axis.set_ticklabels([_shown(text) for text in chosen])
        # Multiples of the largest power are lines across; within the first block, cookies.
        most = max(places[side])
        lines = [float(k) for k in range(1, int(most) + 1)][:_TICKS]
        if most > 1.5 or any("w" in text for text in texts):
            lines += [0.97 * (1 - _SHRINK**k) for k in range(1, _TICKS)]
        for place in lines:
            if 0 < place < most:
                draw = axes.axvline if side == 0 else axes.axhline
                draw(place * units[side], color=FAINT, linewidth=0.4, zorder=0.5)


def _shown(text: str) -> str:
    """An ordinal as it is printed."""
    raised = text.replace("w", "ω").replace("*", "·")
    return re.sub(r"\^(\([^)]*\)|ω|[0-9]+)", lambda m: f"$^{{{m[1].strip('()')}}}$", raised)
