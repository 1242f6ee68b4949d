"""Loser sheets as they were read, asked column by column; no code shared with the solver."""

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schema.snapshot import SheetArrays

NONE: Final = -1
"""In place of z: the column has no P-position."""


class SheetTable:
    """Look-ups in loser sheets L_0 .. L_(n-1) of three-row Chomp, tails included.

    Attributes:
        arrays: the sheets.
        sheets: their number n.
        length: int64, shape (n,): prefix lengths.
        period: int64, shape (n,): periods of the tails; 0 stops, -1 not computed.
        diagonal: int64, shape (n,): z at y = 0, or `NONE`.
    """

    def __init__(self, arrays: SheetArrays) -> None:
        self.arrays = arrays
        self.sheets = len(arrays)
        self.length = arrays.prefix_length
        self.period = arrays.tail_period.astype(np.int64)
        self.diagonal = self.z(np.arange(self.sheets), 0)

    def z(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.int64]:
        """Z of the P-position in column y of sheet x, or `NONE`; element by element."""
        sheet, column = np.broadcast_arrays(np.asarray(x, np.int64), np.asarray(y, np.int64))
        z = np.full(sheet.shape, NONE, np.int64)
        beyond = column - self.length[sheet]
        inside = beyond < 0
        z[inside] = self.arrays.prefix_z[self.arrays.prefix_offset[sheet[inside]] + column[inside]]
        tail = ~inside & (self.period[sheet] > 0)
        of = sheet[tail]
        z[tail] = self.arrays.tail_z[self.arrays.tail_offset[of] + beyond[tail] % self.period[of]]
        return z

    def known(self, x: int, y: int) -> bool:
        """Whether column y of sheet x was computed."""
        return bool(self.period[x] >= 0 or y < self.length[x])

    def prefix(self, x: int) -> NDArray[np.int32]:
        """Z of the columns before the tail of sheet x."""
        begin, end = self.arrays.prefix_offset[x : x + 2]
        return self.arrays.prefix_z[begin:end]

    def tail(self, x: int) -> NDArray[np.int32]:
        """One period of the tail of sheet x."""
        begin, end = self.arrays.tail_offset[x : x + 2]
        return self.arrays.tail_z[begin:end]

    def winning_child(self, x: int, y: int, z: int) -> tuple[int, int, int] | None:
        """A P-position that a bite from [x, y, z] leads to, or None.

        It goes through the six kinds of moves of three-row Chomp (rows a >= b >= c). P-positions
        in columns that were not computed are not found.
        """
        a, b, c = x + y + z, x + y, x
        column = int(self.z(c, y))
        if NONE < column < z:
            return c, y, column
        if (found := self._in_sheet(c, y, a)) is not None:
            return found
        if (found := self._stopped_before(c, y)) is not None:
            return found
        lower = np.flatnonzero(self.z(np.arange(c), b - np.arange(c)) == z)
        if lower.size:
            return int(lower[0]), b - int(lower[0]), z
        on_diagonal = np.flatnonzero(np.arange(c) + self.diagonal[:c] == a)
        on_diagonal = on_diagonal[self.diagonal[on_diagonal] != NONE]
        if on_diagonal.size:
            q = int(on_diagonal[0])
            return q, 0, a - q
        rectangles = np.flatnonzero(self.diagonal[:c] == 0)
        return (int(rectangles[0]), 0, 0) if rectangles.size else None

    def _in_sheet(self, x: int, y: int, a: int) -> tuple[int, int, int] | None:
        """The P-position with the same rows a and c and a shorter second row (M1)."""
        prefix = self.prefix(x)[:y].astype(np.int64)
        same = np.flatnonzero(x + np.arange(len(prefix)) + prefix == a)
        if same.size:
            return x, int(same[0]), int(prefix[same[0]])
        start, period = int(self.length[x]), int(self.period[x])
        for i, z in enumerate(self.tail(x).tolist()):
            column = a - x - z
            if start + i <= column < y and (column - start - i) % period == 0:
                return x, column, z
        return None

    def _stopped_before(self, x: int, y: int) -> tuple[int, int, int] | None:
        """The P-position with rows a = b >= c that shorter rows one and two lead to (M2)."""
        columns = np.flatnonzero(self.prefix(x)[:y] == 0)
        return (x, int(columns[0]), 0) if columns.size else None
