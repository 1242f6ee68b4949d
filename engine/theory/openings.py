"""The opening bites that win 3 x n Chomp, for all n at once.

From the full rectangle a bite leaves (n, n, j), (n, j, j) or (j, j, j), the lengths of the three
rows. So with f(b, c) the first row of the P-position with lower rows b and c (see
docs/three-row-chomp.md), the bite in row 3 before column j + 1 wins if and only if f(n, j) = n,
that is, if sheet j stops in row n; and the bite in row 2 if and only if f(j, j) = n: the deadly
diagonal of j. Every sheet therefore wins for at most two n, which are written down sheet by sheet.

At most one bite of each kind wins: with j' < j, (n, n, j) can be bitten down to (n, n, j'), and
(n, j, j) to (n, j', j'). Nor do (n, n, j) and (n, j', j') with j' <= j both win, as a bite in row 2
leads from the one to the other. What is not excluded is a bite in row 3 and one in row 2 in a
higher column, j' > j. So where all sheets x <= X are given, an opening in row 2 is the only one,
and so is every opening of n <= X + 1; an opening in row 3 of a larger n may have another in row 2,
from a sheet beyond X. That every n > 1 has just one is a fact of the tables, not a theorem (OEIS
A147983).
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["Openings", "openings"]

_ROOT2: Final = 2**0.5
_SLACK: Final = 64


@dataclass(frozen=True, slots=True, eq=False)
class Openings:
    """Winning bites of the 3 x n rectangles, entry n for n columns.

    Attributes:
        row: int8; the row of the bitten cookie, 2 or 3 counted from 1 (the poison's row), 0 where
            no sheet given has a winning bite.
        column: int32; its column, counted from 1; 0 where there is none.
        count: int8; how many winning bites there are among the sheets given. Where there are
            several, the one in the lowest column is given.
        complete_to: all openings are known for n up to this number, if the sheets that are not
            given stop no earlier than sqrt 2 x, up to a slack.
    """

    row: NDArray[np.int8]
    column: NDArray[np.int32]
    count: NDArray[np.int8]
    complete_to: int


def openings(
    diagonal_z: NDArray[np.int32], prefix_length: NDArray[np.int32], period: NDArray[np.int32]
) -> Openings:
    """The openings that the sheets x = 0, 1, ... settle.

    Args:
        diagonal_z: z of the P-position [x, 0, z] of every sheet.
        prefix_length: Length of every prefix; a sheet that stops does so in its last row.
        period: 0 for a sheet that stops.

    Raises:
        ValueError: Arrays of different lengths.
    """
    if not len(diagonal_z) == len(prefix_length) == len(period):
        raise ValueError("arrays of different lengths")
    x = np.arange(len(period), dtype=np.int64)
    stops = period == 0
    by_row_2 = x + diagonal_z
    by_row_3 = (x + prefix_length - 1)[stops]
    largest = int(_ROOT2 * len(period)) + _SLACK
    row = np.zeros(largest + 1, np.int8)
    column = np.zeros(largest + 1, np.int32)
    count = np.zeros(largest + 1, np.int8)
    # Deadly diagonals have the lower columns: written last, they stay.
    for bitten_row, n, sheet in ((3, by_row_3, x[stops]), (2, by_row_2, x)):
        inside = (n > sheet) & (n <= largest)
        row[n[inside]] = bitten_row
        column[n[inside]] = sheet[inside] + 1
        np.add.at(count, n[inside], 1)
    return Openings(row, column, count, complete_to=max(0, largest - 2 * _SLACK))
