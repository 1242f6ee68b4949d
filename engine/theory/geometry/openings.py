"""The sequence of winning openings of three-row Chomp: kinds, places and residuals.

From the 3 x n rectangle the bite leaves rows (n, n, j), biting row 3, or (n, j, j), biting rows 2
and 3. The geometry of the sheets places j near n / sqrt 2 or (2 - sqrt 2) n (Friedman and
Landsberg 2007, section IV B).

**Which kind.** n opens by rows 2 and 3 exactly if n is a *diagonal value* f(j, j) = j + d for some
j, where [j, 0, d] is P; if it is none, it opens by row 3. For every rectangle with n > 1 is N (D.
Gale's argument about the nibble), and the bites (j, j, j) lose. So diagonals alone tell the kind,
where the opening is unique: that no n opens in both ways is a fact of the tables, not a theorem
(see `engine.theory.openings`). An n with both would count as one by rows 2 and 3 here.
"""

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.theory.openings import Openings

BY_ROW_3: Final = 3
BY_ROWS_2_AND_3: Final = 2

ROOT: Final = 2**0.5
PLACE: Final = {BY_ROW_3: 1 / ROOT, BY_ROWS_2_AND_3: 2 - ROOT}
"""The j / n of each kind."""

Kinds = NDArray[np.int8]


@dataclass(frozen=True, slots=True, eq=False)
class Sequence:
    """The openings of consecutive n, entry i for n = first + i.

    Attributes:
        first: the least n.
        kind: int8, `BY_ROW_3` or `BY_ROWS_2_AND_3`.
        place: int64, the j of the rows (n, n, j) or (n, j, j) that the bite leaves.
    """

    first: int
    kind: Kinds
    place: NDArray[np.int64]

    @classmethod
    def of(cls, openings: Openings, last: int | None = None) -> Self:
        """From n = 2 on, up to a last n or as far as the openings are complete.

        Raises:
            ValueError: some n has no opening, or more than one.
        """
        end = min(openings.complete_to, openings.complete_to if last is None else last) + 1
        n = np.arange(2, end)
        if not np.array_equal(openings.count[2:end], np.ones(len(n))):
            wrong = n[openings.count[2:end] != 1][0]
            raise ValueError(f"{openings.count[wrong]} openings for n = {wrong}, instead of one")
        return cls(2, openings.row[2:end], openings.column[2:end].astype(np.int64) - 1)

    def __len__(self) -> int:
        """How many."""
        return len(self.kind)

    @property
    def n(self) -> NDArray[np.int64]:
        """The number of columns of each rectangle."""
        return np.arange(self.first, self.first + len(self))

    def between(self, first: int, last: int) -> Self:
        """The openings of first <= n <= last, as far as they are there."""
        part = slice(max(0, first - self.first), max(0, last + 1 - self.first))
        return type(self)(self.first + part.start, self.kind[part], self.place[part])

    @property
    def predicted(self) -> NDArray[np.float64]:
        """The place that the geometry gives an opening of that kind: n / sqrt 2, (2 - sqrt 2) n."""
        factor = np.where(self.kind == BY_ROW_3, PLACE[BY_ROW_3], PLACE[BY_ROWS_2_AND_3])
        return factor * self.n

    @property
    def residual(self) -> NDArray[np.float64]:
        """The place minus the predicted one."""
        return self.place - self.predicted

    @property
    def candidate(self) -> NDArray[np.int64]:
        """The place minus the floor of the predicted one: -1, 0 or 1 as far as known."""
        return self.place - np.floor(self.predicted).astype(np.int64)
