"""Measurements behind the figures: slopes, heights, densities of sheets of three-row Chomp."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.instant_winners import instant_winners
from position_oracle.engine.theory.renormalization import closed_form
from position_oracle.oracle.reproduce.tables import ReportTables
from position_oracle.schema.answers import Origin
from position_oracle.schema.sheets import NO_Z, LoserSheets


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of one loser sheet, as measured with a ruler on the figure, in units of x.

    Attributes:
        start: height at y = 0.
        lower, upper: slopes by least squares.
        end: the y at which the lower line ends.
        share_upper: fraction of the P-positions of both lines that lie on the upper line.
        tail: mean height of the tail, or None if there is none.
    """

    start: float
    lower: float
    upper: float
    end: float
    share_upper: float
    tail: float | None


def lines_of(sheets: LoserSheets, x: int) -> Lines:
    """Return the lines of sheet x."""
    z = sheets.prefix(x).astype(np.int64)
    y = np.arange(len(z))
    top = int(z[0])
    low = np.flatnonzero(y + z < top)
    end = int(low[-1]) if low.size else len(z) - 1
    high = np.flatnonzero((y + z > top) & (y <= end))
    tail = sheets.tail(x)
    return Lines(
        start=top / x,
        lower=slope(y[low], z[low]),
        upper=slope(y[high], z[high]),
        end=end / x,
        share_upper=len(high) / max(1, len(high) + len(low)),
        tail=float(tail.mean()) / x if len(tail) else None,
    )


def slope(y: NDArray[np.int64], z: NDArray[np.int64]) -> float:
    """Return the slope of a line through points, by least squares with offset."""
    return float(np.polyfit(y, z, 1)[0])


def near_with_tail(sheets: LoserSheets, x: int) -> int:
    """Return the sheet nearest to x that has a tail."""
    return min(sheets.tails, key=lambda other: abs(other - x))


@dataclass(frozen=True, slots=True)
class Regions:
    """Fractions of marked cells in the regions of an instant-winner sheet, without borders.

    Attributes:
        lower_left: region I, below the lower line.
        upper: region III, between the upper line and the deadly diagonals, above the flat lines.
        diagonal: cells of region II that a deadly diagonal marks.
        bands: region IV, beyond the lines and below the highest flat line.
        outside: above the upper line.
    """

    lower_left: float
    upper: float
    diagonal: float
    bands: float
    outside: float


def regions_of(tables: ReportTables, x: int, margin: float = 8.0) -> Regions:
    """Return the regions of W_x without cells closer to a border than `margin`."""
    constants = closed_form()
    window = winners(tables, x)
    y, z = np.meshgrid(*(np.arange(side) for side in window.shape), indexing="ij")
    lower = constants.alpha * x + constants.slope_lower * y
    upper = constants.alpha * x + constants.slope_upper * y
    diagonal = constants.alpha * x - y
    end, flat = constants.line_end * x, constants.tail_height * x
    inside = y < end - margin
    filled, deadly = window > 0, (window & Origin.DIAGONAL) > 0
    return Regions(
        lower_left=_share(filled, z < lower - margin),
        upper=_share(
            filled, inside & (z < upper - margin) & (z > diagonal + margin) & (z > flat + margin)
        ),
        diagonal=_share(deadly, inside & (z > lower + margin) & (z < diagonal - margin)),
        bands=_share(filled, (y > constants.alpha * x + margin) & (z < flat - margin)),
        outside=_share(filled, z > upper + 2 * margin + np.where(y < end, 0, x)),
    )


def _share(marked: NDArray[np.bool_], where: NDArray[np.bool_]) -> float:
    return float(marked[where].mean()) if where.any() else 0.0


def winners(tables: ReportTables, x: int) -> NDArray[np.uint8]:
    """Return W_x as its figure shows it: x columns, and as high as its lines, by origin."""
    sheets = tables.sheets(x)
    return tables.once(("winners", x), lambda: instant_winners(sheets, x, x, round(0.8 * x)))


def columns_of(sheets: LoserSheets, x: int, count: int) -> NDArray[np.int64]:
    """Return the z of the first columns of sheet x; `NO_Z` if there is none."""
    return sheets.look_up(x, np.arange(count))


def counted(columns: NDArray[np.int64]) -> int:
    """Return the number of columns that have a P-position."""
    return int(np.count_nonzero(columns != NO_Z))
