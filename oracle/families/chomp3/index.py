"""Read-only arrays of one three-row game, made from its loser sheets, for look-ups.

A look-up by sheet is one memory access. The inverse look-up by row, "which c has the P-position
(a, b, c)?", reads a second copy of the same values ordered by row, so that a scan of it streams
through memory.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from position_oracle.schema.sheets import NO_Z, LoserSheets, offsets_of

IntArray = npt.NDArray[np.int64]
SmallArray = npt.NDArray[np.int32]
ZArray = npt.NDArray[np.integer]


SMALL_LIMIT: Final = 256
"""Fewer sheets than this are arranged without compiled code."""


class SheetIndex(NamedTuple):
    """The arrays; a NamedTuple, so that compiled kernels take it as one argument.

    Attributes:
        limit: largest x in the table.
        closed_by: x of a rectangle that is a P-position, -1 if there is none (move M6).
        prefix_offset: int64 (limit + 2,), where each sheet begins in `z`.
        z: uint16 or int32, prefixes of all sheets one after the other.
        period: int32 (limit + 1,): 0 the sheet stops, -1 it is cut, else the period of its tail.
        tail_offset: int64 (limit + 2,), where each tail begins in `tail_z`.
        tail_z: int32, one period of every tail.
        row_offset: int64 (rows + 1,), where row b begins in `row_z`.
        row_first: int32 (rows,): the smallest c whose prefix reaches row b; below it every sheet
            has stopped or is in its tail.
        row_z: like `z`: a - b of (a, b, c) for c = row_first[b] .. min(b, limit); the largest
            value of the dtype marks that sheet c has no P-position in row b.
        constant_tail: int32: the sheet whose tail is the constant z, by z; -1 for none.
        periodic_sheets: int32: the sheets with a tail of period 2 or more, increasing.
        diagonal: int32: the c with the P-position (a, c, c), by a; -1 for none.
    """

    limit: int
    closed_by: int
    prefix_offset: IntArray
    z: ZArray
    period: SmallArray
    tail_offset: IntArray
    tail_z: SmallArray
    row_offset: IntArray
    row_first: SmallArray
    row_z: ZArray
    constant_tail: SmallArray
    periodic_sheets: SmallArray
    diagonal: SmallArray

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return sum(field.nbytes for field in self if isinstance(field, np.ndarray))

    def arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """Return all fields as arrays by name, to be stored; `index_of` reads them back."""
        return {name: np.asarray(value) for name, value in self._asdict().items()}


def index_of(arrays: "dict[str, npt.NDArray[np.generic]]") -> SheetIndex:
    """Return the index of the arrays of `SheetIndex.arrays`, without copies."""
    numbers = {name: int(arrays[name]) for name in ("limit", "closed_by")}
    rest = {name: arrays[name] for name in SheetIndex._fields if name not in numbers}
    return SheetIndex(**numbers, **rest)  # type: ignore[arg-type]


def build_index(sheets: LoserSheets) -> SheetIndex:
    """Arrange loser sheets x = 0 .. limit for look-ups in both directions."""
    limit = len(sheets) - 1
    largest = max(int(sheets.prefix_z.max(initial=0)), int(sheets.tail_z.max(initial=0)))
    dtype: type[np.integer] = np.uint16 if largest < np.iinfo(np.uint16).max else np.int32
    z = sheets.prefix_z.astype(dtype, copy=False)
    row_first, row_offset = _row_bounds(sheets.prefix_length, limit)
    row_z = np.empty(int(row_offset[-1]), dtype)
    tails = sheets.tail_period, sheets.tail_offset, sheets.tail_z
    if limit < SMALL_LIMIT:
        _fill_rows(sheets, row_offset, row_first, row_z)
    else:
        from position_oracle.oracle.families.chomp3.kernels import fill_rows

        fill_rows(sheets.prefix_offset, z, *tails, row_offset, row_first, row_z)
    return SheetIndex(
        limit=limit,
        closed_by=-1 if sheets.closed_by is None else sheets.closed_by,
        prefix_offset=sheets.prefix_offset,
        z=z,
        period=sheets.tail_period,
        tail_offset=sheets.tail_offset,
        tail_z=sheets.tail_z,
        row_offset=row_offset,
        row_first=row_first,
        row_z=row_z,
        constant_tail=_constant_tails(sheets),
        periodic_sheets=np.flatnonzero(sheets.tail_period > 1).astype(np.int32),
        diagonal=_diagonals(sheets),
    )


def _fill_rows(
    sheets: LoserSheets, row_offset: IntArray, row_first: SmallArray, row_z: ZArray
) -> None:
    """Copy some sheets into rows, one after the other, without compiled code."""
    row_z[:] = np.iinfo(row_z.dtype).max
    for c in range(len(sheets)):
        rows = np.arange(c, max(len(row_first), c))
        rows = rows[row_first[rows] <= c]
        values = sheets.look_up(c, rows - c)
        known = values != NO_Z
        row_z[row_offset[rows[known]] + c - row_first[rows[known]]] = values[known]


def sheets_of(index: SheetIndex) -> LoserSheets:
    """Return the loser sheets of an index, without copies; z may be uint16."""
    return LoserSheets(
        first_x=0,
        prefix_offset=index.prefix_offset,
        prefix_z=index.z,
        tail_period=index.period,
        tail_offset=index.tail_offset,
        tail_z=index.tail_z,
        closed_by=None if index.closed_by < 0 else index.closed_by,
    )


def _row_bounds(lengths: IntArray, limit: int) -> tuple[SmallArray, IntArray]:
    """Return the first sheet and the offset of every row with a prefix."""
    ends = np.arange(limit + 1) + lengths
    rows = int(ends.max(initial=0))
    first = np.full(rows + 1, limit + 1, np.int64)
    reaching = lengths > 0
    np.minimum.at(first, ends[reaching], np.flatnonzero(reaching))
    first = np.minimum.accumulate(first[::-1])[::-1][1:]
    widths = np.maximum(np.minimum(np.arange(rows), limit) + 1 - first, 0)
    return first.astype(np.int32), offsets_of(widths)


def _constant_tails(sheets: LoserSheets) -> SmallArray:
    constant = np.flatnonzero(sheets.tail_period == 1)
    values = sheets.tail_z[sheets.tail_offset[constant]]
    inverse = np.full(int(values.max(initial=0)) + 1, -1, np.int32)
    inverse[values] = constant
    return inverse


def _diagonals(sheets: LoserSheets) -> SmallArray:
    """Return the inverse of c -> f(c, c); the deadly diagonals start at these P-positions."""
    c = np.flatnonzero(sheets.diagonal != NO_Z)
    tops = c + sheets.diagonal[c]
    inverse = np.full(int(tops.max(initial=0)) + 1, -1, np.int32)
    inverse[tops] = c
    return inverse
