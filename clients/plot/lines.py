"""The predicted lines of sheets of three-row Chomp.

E. J. Friedman, A. S. Landsberg, Renormalizing Chomp, Chaos 17 (2007), equation (5) and Fig. 2. In
units of x the lines of every large sheet are the same. Both begin at (0, 1 / sqrt 2), and the lower
one ends at (sqrt 2 - 1, 0). A tail, if there is one, lies at 2 - sqrt 2 from there on. The tests
compare these numbers with `engine.theory.renormalization`.
"""

from dataclasses import dataclass
from typing import Final

__all__ = ["ALPHA", "LINE_END", "REGIONS", "TAIL_HEIGHT", "Line", "chomp_lines"]

ALPHA: Final = 0.5**0.5
"""The height z / x at which both lines begin, at y = 0."""
LINE_END: Final = 2**0.5 - 1
"""The y / x at which lines end and tails begin."""
TAIL_HEIGHT: Final = 2 - 2**0.5
"""The height z / x of tails."""

REGIONS: Final = {
    "I": (0.14, 0.2),
    "II": (0.44, 0.15),
    "III": (0.21, 0.6),
    "IV": (0.8, 0.3),
}
"""Positions of the names of the regions of an instant-winner sheet, in units of x."""


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line of a sheet.

    Attributes:
        name: `lower`, `upper`, `tail` or `diagonal`.
        begin: (y, z) of the first point.
        end: (y, z) of the last point in the picture.
    """

    name: str
    begin: tuple[float, float]
    end: tuple[float, float]


def chomp_lines(x: float, end_y: float, *, diagonal: bool = False) -> list[Line]:
    """Return the lines of the sheets of one x of three-row Chomp.

    Args:
        x: the number of the sheet; 1 gives the lines in units of x.
        end_y: the end of the tail in the picture.
        diagonal: whether to include the leading deadly diagonal, y + z = x / sqrt 2, which bounds
            regions of W_x.
    """
    start, corner = (0.0, ALPHA * x), (LINE_END * x, TAIL_HEIGHT * x)
    found = [Line("lower", start, (LINE_END * x, 0.0)), Line("upper", start, corner)]
    if end_y > corner[0]:
        found.append(Line("tail", corner, (end_y, corner[1])))
    if diagonal:
        found.append(Line("diagonal", start, (ALPHA * x, 0.0)))
    return found
