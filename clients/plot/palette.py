"""Colours that differ in brightness as well as in hue.

Neighbouring colours of a picture differ by at least 12 in lightness (CIELAB L*), so that a grey
print distinguishes them. They also differ under protanopia, deuteranopia and tritanopia. The tests
compute both.
"""

from typing import Final

from position_oracle.schema.answers import Origin

__all__ = [
    "FAINT",
    "INK",
    "LINE_COLOURS",
    "MUTED",
    "ORIGIN_COLOURS",
    "ORIGIN_LABELS",
    "PAPER",
    "SEQUENTIAL",
    "SERIES",
    "WINNER",
]

PAPER: Final = "#ffffff"
INK: Final = "#161616"
MUTED: Final = "#5f6368"
"""Colour of second lines of titles, and of other secondary elements."""
FAINT: Final = "#cfd4d9"
"""Colour of grids, and of background cells."""
WINNER: Final = "#3b4754"
"""Colour of an instant winner without a known origin."""

ORIGIN_COLOURS: Final = {
    Origin.DIAGONAL: "#bcc3ca",
    Origin.FLAT: "#d98c12",
    Origin.UPPER: "#2f78b3",
    Origin.LINE: "#4f62a0",
    Origin.LOWER: "#7d1d4e",
    Origin.HEAPS: "#3b4754",
    Origin.RECTANGLE: "#161616",
}
"""Colours of the cells of W_x by origin, in drawing order."""

ORIGIN_LABELS: Final = {
    Origin.DIAGONAL: "deadly diagonals",
    Origin.FLAT: "flat lines",
    Origin.UPPER: "upper lines",
    Origin.LINE: "upper or lower lines",
    Origin.LOWER: "lower lines",
    Origin.HEAPS: "smaller sheets",
    Origin.RECTANGLE: "rectangle",
}

LINE_COLOURS: Final = {
    "lower": "#7d1d4e",
    "upper": "#2f78b3",
    "tail": "#d98c12",
    "start": "#161616",
}
"""Colours of the P-positions of L_x by line."""

SERIES: Final = ("#161616", "#2f78b3", "#d98c12", "#7d1d4e", "#8fc7be", "#8a929a")
"""Colours of curves in order; their markers and dashes differ as well."""

SEQUENTIAL: Final = "cividis"
"""A colour map with evenly increasing lightness, also for colour-blind people."""
