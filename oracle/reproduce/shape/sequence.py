"""The winning openings of consecutive 3 x n rectangles, and how far they are from the predictions.

`engine.theory.openings` defines openings and says where the geometry of the sheets places them.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.theory.openings import BY_ROW_3, SQRT_2, Openings

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
        """Return the openings from n = 2 on, up to a last n or as far as they are complete.

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
        """Return the number of openings."""
        return len(self.kind)

    @property
    def n(self) -> NDArray[np.int64]:
        """The number of columns of each rectangle."""
        return np.arange(self.first, self.first + len(self))

    def between(self, first: int, last: int) -> Self:
        """Return the available openings of first <= n <= last."""
        part = slice(max(0, first - self.first), max(0, last + 1 - self.first))
        return type(self)(self.first + part.start, self.kind[part], self.place[part])

    @property
    def predicted(self) -> NDArray[np.float64]:
        """The predicted place of an opening of that kind: n / sqrt 2, or (2 - sqrt 2) n."""
        factor = np.where(self.kind == BY_ROW_3, 1 / SQRT_2, 2 - SQRT_2)
        return factor * self.n

    @property
    def residual(self) -> NDArray[np.float64]:
        """The place minus the predicted one."""
        return self.place - self.predicted

    @property
    def candidate(self) -> NDArray[np.int64]:
        """The place minus the floor of the predicted one: -1, 0 or 1 in all known cases."""
        return self.place - np.floor(self.predicted).astype(np.int64)
