"""The opening bites that win 3 x n Chomp, for all n at once.

From the full rectangle a bite leaves (n, n, j), (n, j, j) or (j, j, j), the lengths of the three
rows. Let f(b, c) be the first row of the P-position with lower rows b and c (see
docs/three-row-chomp.md). The bite in row 3 before column j + 1 wins if and only if f(n, j) = n,
that is, if sheet j stops in row n; and the bite in row 2 if and only if f(j, j) = n: the deadly
diagonal of j. Every sheet therefore gives winning openings for at most two n.

At most one bite of each kind wins: with j' < j, (n, n, j) can be bitten down to (n, n, j'), and (n,
j, j) to (n, j', j'). Nor do (n, n, j) and (n, j', j') with j' <= j both win, as a bite in row 2
leads from the one to the other. A bite in row 3 and a bite in row 2 in a higher column, j' > j, may
both win. If all sheets x <= X are given, an opening in row 2 is the only one, and so is every
opening for n <= X + 1. For larger n, an opening in row 3 may have a second one in row 2, from a
sheet beyond X. In the tables every n > 1 has exactly one opening, but this is not proved (OEIS
A147983).

The geometry of the sheets places j near n / sqrt 2 for a bite in row 3, and near (2 - sqrt 2) n for
one in rows 2 and 3 (Friedman and Landsberg 2007, section IV B). n opens by rows 2 and 3 exactly if
n is a *diagonal value* f(j, j) = j + d for some j, where [j, 0, d] is P; if not, it opens by row 3.
The reason: every rectangle with n > 1 is N (D. Gale's argument about the nibble), and the bites (j,
j, j) lose. So if the opening is unique, the diagonals determine its kind.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

BY_ROW_3: Final = 3
BY_ROWS_2_AND_3: Final = 2
SQRT_2: Final = 2**0.5

_SLACK: Final = 64


@dataclass(frozen=True, slots=True, eq=False)
class Openings:
    """Winning bites of the 3 x n rectangles, entry n for n columns.

    Attributes:
        row: int8; the row of the bitten cookie, 2 or 3 counted from 1 (the poison's row), 0 if no
            given sheet has a winning bite.
        column: int32; the column, counted from 1; 0 if there is none.
        count: int8; number of winning bites of the given sheets. If there are two, `row` and
            `column` are those of the bite in row 2.
        complete_to: all openings are known for n up to this number, assuming that the other sheets
            stop no earlier than sqrt 2 x, up to a slack.
    """

    row: NDArray[np.int8]
    column: NDArray[np.int32]
    count: NDArray[np.int8]
    complete_to: int


def openings(
    diagonal_z: NDArray[np.int32], prefix_length: NDArray[np.int32], period: NDArray[np.int32]
) -> Openings:
    """Return the openings that the sheets x = 0, 1, ... determine.

    Args:
        diagonal_z: z of the P-position [x, 0, z] of every sheet.
        prefix_length: Length of every prefix; a sheet that stops does so in its last row.
        period: 0 for a sheet that stops.

    Raises:
        ValueError: The arrays have different lengths.
    """
    if not len(diagonal_z) == len(prefix_length) == len(period):
        raise ValueError("arrays of different lengths")
    x = np.arange(len(period), dtype=np.int64)
    stops = period == 0
    by_row_2 = x + diagonal_z
    by_row_3 = (x + prefix_length - 1)[stops]
    largest = int(SQRT_2 * len(period)) + _SLACK
    row = np.zeros(largest + 1, np.int8)
    column = np.zeros(largest + 1, np.int32)
    count = np.zeros(largest + 1, np.int8)
    for bitten_row, n, sheet in ((3, by_row_3, x[stops]), (2, by_row_2, x)):
        inside = (n > sheet) & (n <= largest)
        row[n[inside]] = bitten_row
        column[n[inside]] = sheet[inside] + 1
        np.add.at(count, n[inside], 1)
    return Openings(row, column, count, complete_to=max(0, largest - 2 * _SLACK))
