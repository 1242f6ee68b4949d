"""Loser sheets as rows: how `SheetArrays` lie in the tables `sheet` and `p_position`.

The rows of `p_position` follow one another sheet by sheet; of each sheet the prefix comes first,
then one period of its tail. So the values of z alone, in stored order, and the table `sheet`
give everything back.
"""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schema import tables
from schema.errors import CorruptTableError
from schema.records import SheetArrays


def rows_of_sheets(sheets: SheetArrays, first_x: int = 0) -> dict[str, pa.Table]:
    """The rows of both tables, by table name, for sheets first_x, first_x + 1, ..."""
    period = np.maximum(sheets.tail_period, 0)
    length = sheets.prefix_length
    where = np.repeat(sheets.prefix_offset[1:], period)
    z = np.insert(sheets.prefix_z, where, sheets.tail_z)
    p_count = length + period
    start = np.cumsum(p_count) - p_count
    x = np.arange(first_x, first_x + len(sheets), dtype=np.int32)
    positions = {
        "x": np.repeat(x, p_count),
        "y": np.arange(len(z), dtype=np.int32) - np.repeat(start.astype(np.int32), p_count),
        "z": z,
    }
    empty = p_count == 0
    summary = {
        "x": x,
        "prefix_length": length,
        "tail_period": sheets.tail_period,
        "tail_z": pa.ListArray.from_arrays(sheets.tail_offset.astype(np.int32), sheets.tail_z),
        "p_count": p_count,
        "diagonal_z": pa.array(_first(z, start, empty), mask=empty),
        "max_z": pa.array(_largest(z, start, empty), mask=empty),
    }
    return {
        tables.p_position.name: pa.table(positions),
        tables.sheet.name: pa.table(summary),
    }


def sheets_of_rows(summary: pa.Table, z: NDArray[np.int32]) -> SheetArrays:
    """The sheets that rows of `sheet` and the column z of `p_position` stand for.

    Raises:
        CorruptTableError: the two do not fit together.
    """
    x, length, period, p_count = (
        summary.column(name).to_numpy() for name in ("x", "prefix_length", "tail_period", "p_count")
    )
    tail = summary.column("tail_z").combine_chunks()
    tail_length = np.maximum(period, 0)
    fits = (
        np.array_equal(x, np.arange(len(x)))
        and np.array_equal(p_count, length + tail_length)
        and np.array_equal(tail.value_lengths().to_numpy(), tail_length)
        and int(p_count.sum(dtype=np.int64)) == len(z)
    )
    if not fits:
        raise CorruptTableError("the rows of sheet and p_position do not fit together")
    prefix_offset = _offsets(length)
    tail_rows = np.repeat(prefix_offset[1:], tail_length) + np.arange(int(tail_length.sum()))
    tail_z = tail.flatten().to_numpy(zero_copy_only=False)
    if not np.array_equal(z[tail_rows], tail_z):
        raise CorruptTableError("the tails in sheet and p_position differ")
    return SheetArrays(
        prefix_offset=prefix_offset,
        prefix_z=np.delete(z, tail_rows),
        tail_period=period,
        tail_offset=_offsets(tail_length),
        tail_z=tail_z,
    )


def _offsets(lengths: NDArray[np.int32]) -> NDArray[np.int64]:
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def _first(
    z: NDArray[np.int32], start: NDArray[np.int64], empty: NDArray[np.bool_]
) -> NDArray[np.int32]:
    first = np.zeros(len(start), dtype=np.int32)
    first[~empty] = z[start[~empty]]
    return first


def _largest(
    z: NDArray[np.int32], start: NDArray[np.int64], empty: NDArray[np.bool_]
) -> NDArray[np.int32]:
    largest = np.zeros(len(start), dtype=np.int32)
    if not empty.all():
        largest[~empty] = np.maximum.reduceat(z, start[~empty])
    return largest
