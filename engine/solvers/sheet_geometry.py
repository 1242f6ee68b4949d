"""Sums along the lines of loser sheets, in one pass over their P-positions.

`engine.theory.geometry.summary` defines the upper and lower line and the sums.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import current
from position_oracle.engine.solvers.compiled import bare_entry
from position_oracle.engine.theory.geometry.summary import (
    BIN_WIDTH,
    BINS,
    FIRST_BIN,
    LineSums,
    SheetSums,
)
from position_oracle.engine.theory.renormalization import closed_form
from position_oracle.schema.sheets import CUT, LoserSheets

UPPER: Final = 0
LOWER: Final = 1
_WHOLE: Final = 6

Histogram = NDArray[np.int64]
"""Numbers of positions by line (upper, lower) and distance to it; int64, shape (2, BINS)."""


def sheet_sums(sheets: LoserSheets, histogram: Histogram | None = None) -> SheetSums:
    """Return sums that describe the shape of sheets of three-row Chomp, plain or not.

    Args:
        sheets: loser sheets of a game of three-row Chomp.
        histogram: gets the positions added by line and distance.
    """
    count = len(sheets)
    whole = np.zeros((2, _WHOLE, count), np.int64)
    extremes = np.zeros((2, 2, count))
    line_length = np.zeros(count, np.int64)
    constants = closed_form()
    _add_sheets(
        sheets.first_x,
        sheets.prefix_offset,
        sheets.prefix_z,
        constants.alpha,
        np.array([constants.slope_upper, constants.slope_lower]),
        whole,
        extremes,
        line_length,
        np.zeros((2, BINS), np.int64) if histogram is None else histogram,
        current().flag,
    )
    current().check()
    upper, lower = (LineSums.of(whole[line], extremes[line]) for line in (UPPER, LOWER))
    ends, height = _tails(sheets, line_length)
    return SheetSums(sheets.first_x, sheets.diagonal, line_length, ends, height, upper, lower)


def _tails(
    sheets: LoserSheets, line_length: NDArray[np.int64]
) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
    """Return the end of each sheet, and the mean height of its tail."""
    ends = np.sign(sheets.tail_period).astype(np.int8)
    height = np.zeros(len(sheets))
    periodic = np.flatnonzero(ends > 0)
    if periodic.size:
        totals = np.add.reduceat(sheets.tail_z, sheets.tail_offset[periodic], dtype=np.int64)
        height[periodic] = totals / sheets.tail_period[periodic]
    # A cut sheet has a tail if it is known well beyond the predicted end of its lower line.
    x = np.arange(sheets.first_x, sheets.end_x)
    reach = 2 * closed_form().line_end * x + 32
    for i in np.flatnonzero((sheets.tail_period == CUT) & (sheets.prefix_length > reach)):
        begin, end = sheets.prefix_offset[i] + line_length[i], sheets.prefix_offset[i + 1]
        ends[i] = 1
        height[i] = sheets.prefix_z[begin:end].sum(dtype=np.int64) / (end - begin)
    return ends, height


@bare_entry
def _add_sheets(
    first_x, offset, prefix_z, alpha, slope, whole, extremes, line_length, histogram, flag
):
    for i in range(len(offset) - 1):
        if flag[0] != 0:
            return
        begin, end = offset[i], offset[i + 1]
        if end == begin:
            continue
        diagonal = np.int64(prefix_z[begin])
        last = end - 1
        while last > begin and last - begin + prefix_z[last] > diagonal:
            last -= 1
        line_length[i] = last + 1 - begin
        top = alpha * (first_x + i)
        for place in range(begin + 1, last + 1):
            y = place - begin
            z = np.int64(prefix_z[place])
            line = 0 if y + z > diagonal else 1
            sums = whole[line]
            distance = z - (top + slope[line] * y)
            if sums[0, i] == 0:
                extremes[line, 0, i] = distance
                extremes[line, 1, i] = distance
            extremes[line, 0, i] = min(extremes[line, 0, i], distance)
            extremes[line, 1, i] = max(extremes[line, 1, i], distance)
            sums[0, i] += 1
            sums[1, i] += y
            sums[2, i] += z
            sums[3, i] += y * y
            sums[4, i] += y * z
            sums[5, i] += z * z
            place_of = int(np.floor((distance - FIRST_BIN) / BIN_WIDTH))
            histogram[line, max(0, min(BINS - 1, place_of))] += 1
