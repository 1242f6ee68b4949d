"""Colours that differ in brightness as well as in hue.

Neighbours of one picture are at least 12 apart in lightness (CIELAB L*), so that a grey print
tells them apart, and stay apart under protanopia, deuteranopia and tritanopia; the tests compute
both.
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
"""Second lines of titles, and what is of less weight."""
FAINT: Final = "#cfd4d9"
"""Grids, and cells that are only the ground of something else."""
WINNER: Final = "#3b4754"
"""A cell of which only that it is an instant winner is shown."""

ORIGIN_COLOURS: Final = {
    Origin.DIAGONAL: "#bcc3ca",
    Origin.FLAT: "#d98c12",
    Origin.UPPER: "#2f78b3",
    Origin.LINE: "#4f62a0",
    Origin.LOWER: "#7d1d4e",
    Origin.HEAPS: "#3b4754",
    Origin.RECTANGLE: "#161616",
}
"""Of the cells of W_x, in the order in which they are laid over one another."""

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
"""Of the P-positions of L_x by the line on which they lie."""

SERIES: Final = ("#161616", "#2f78b3", "#d98c12", "#7d1d4e", "#8fc7be", "#8a929a")
"""Of curves, in the order in which they are taken; markers and dashes differ as well."""

SEQUENTIAL: Final = "cividis"
"""A colour map whose lightness grows evenly, and that looks alike to all eyes."""
