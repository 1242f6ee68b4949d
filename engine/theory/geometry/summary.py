"""Sums along the two lines of a sheet, which describe the shape of its P-positions.

In the columns y before the tail, a P-position [x, y, z] with y > 0 is on the *upper* line if it
lies above the deadly diagonal y + z = d of its sheet, where [x, 0, d] is P, and on the *lower* line
if below. On the diagonal itself there is no other P-position: move M1 leads from there to [x, 0,
d]. The lines end with the last position of the lower line; the tail follows, which becomes periodic
at once or within a few columns.

Sums are whole numbers, so they are the same on every machine, and can be added over any range of
sheets.
"""

from dataclasses import dataclass, fields
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

BIN_WIDTH: Final = 0.25
"""Width of the bins in which distances to a line are counted, in units of z."""
FIRST_BIN: Final = -32.0
"""Distance at which the first bin begins; it also counts smaller distances."""
BINS: Final = 384
"""Number of bins; the last one also counts larger distances."""

Sums = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class LineSums:
    """Sums over the P-positions of one line, one entry for each sheet; int64, distances float64.

    Attributes:
        count: the number of P-positions.
        y, z, yy, yz, zz: sums of y, z, y^2, y z and z^2.
        least, most: extreme distances z - (alpha x + m y) to the line of equation (5); float64, 0
            if there is no position.
    """

    count: Sums
    y: Sums
    z: Sums
    yy: Sums
    yz: Sums
    zz: Sums
    least: NDArray[np.float64]
    most: NDArray[np.float64]

    @classmethod
    def of(cls, whole: Sums, extremes: NDArray[np.float64]) -> Self:
        """Make sums from arrays of shape (6, n) and (2, n) in the order of the attributes."""
        count, y, z, yy, yz, zz = whole
        least, most = extremes
        return cls(count, y, z, yy, yz, zz, least, most)

    def __getitem__(self, which: slice) -> Self:
        """Return the sums of some of the sheets; values are shared."""
        return type(self)(*(getattr(self, field.name)[which] for field in fields(self)))


@dataclass(frozen=True, slots=True, eq=False)
class SheetSums:
    """The shape of consecutive sheets, one entry of every array for each sheet.

    Attributes:
        first_x: x of the first sheet.
        diagonal_z: z of the P-position [x, 0, z]; -1 if there is none.
        line_length: columns y = 0, 1, ... up to the last position of the lower line.
        ends: int8; 0 if the sheet stops, 1 if it has a tail, -1 if unknown.
        tail_height: mean z of a tail, over one period or over the known part; float64, 0 if there
            is no tail.
        upper, lower: the two lines.
    """

    first_x: int
    diagonal_z: NDArray[np.int64]
    line_length: NDArray[np.int64]
    ends: NDArray[np.int8]
    tail_height: NDArray[np.float64]
    upper: LineSums
    lower: LineSums

    def __len__(self) -> int:
        """Return the number of sheets."""
        return len(self.line_length)

    @property
    def x(self) -> NDArray[np.int64]:
        """The x of every sheet."""
        return np.arange(self.first_x, self.first_x + len(self))

    def between(self, first_x: int, last_x: int) -> Self:
        """Return the available sheets first_x <= x <= last_x; values are shared."""
        which = slice(max(0, first_x - self.first_x), max(0, last_x + 1 - self.first_x))
        arrays = (getattr(self, field.name) for field in fields(self)[1:])
        return type(self)(self.first_x + which.start, *(array[which] for array in arrays))

    @classmethod
    def counted(
        cls,
        *,
        diagonal_z: NDArray[np.integer[Any]],
        prefix_length: NDArray[np.integer[Any]],
        tails: tuple[NDArray[np.integer[Any]], NDArray[np.int64], NDArray[np.int32]],
        upper: NDArray[np.integer[Any]],
        lower: NDArray[np.integer[Any]],
    ) -> Self:
        """Make sums from a census, which counts the P-positions of sheets x = 0, 1, ... by line.

        Args:
            diagonal_z: z of the diagonal P-position of every sheet.
            prefix_length: number of columns before the tail, slightly more than the length of the
                lines.
            tails: periods, offsets into the values, and values.
            upper: P-positions on the upper line.
            lower: P-positions on the lower line.
        """
        period, offset, tail_z = tails
        height = np.zeros(len(period))
        periodic = np.flatnonzero(period > 0)
        if periodic.size:
            totals = np.add.reduceat(tail_z, offset[periodic], dtype=np.int64)
            height[periodic] = totals / period[periodic]

        def line(count: NDArray[np.integer[Any]]) -> LineSums:
            whole = np.zeros((6, len(count)), np.int64)
            whole[0] = count
            return LineSums.of(whole, np.zeros((2, len(count))))

        return cls(
            0,
            diagonal_z.astype(np.int64),
            prefix_length.astype(np.int64),
            np.sign(period).astype(np.int8),
            height,
            line(upper),
            line(lower),
        )

    @classmethod
    def concatenate(cls, parts: "list[Self]") -> Self:
        """Join consecutive sheets into one record."""

        def joined(values: list[Any]) -> Any:
            if isinstance(values[0], LineSums):
                names = [field.name for field in fields(LineSums)]
                return LineSums(*(joined([getattr(v, name) for v in values]) for name in names))
            return np.concatenate(values)

        names = [field.name for field in fields(cls)][1:]
        return cls(
            parts[0].first_x, *(joined([getattr(part, name) for part in parts]) for name in names)
        )
