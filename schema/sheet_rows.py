"""Conversion of `LoserSheets` to and from rows of the tables `sheet` and `p_position`.

The rows of `p_position` are sorted by sheet; for each sheet the prefix comes first, then one period
of its tail. So the values of z in stored order and the table `sheet` suffice to restore the sheets.
"""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from position_oracle.schema import tables
from position_oracle.schema.errors import CorruptTableError
from position_oracle.schema.sheets import STOPS, Integers, LoserSheets, offsets_of


def rows_of_sheets(sheets: LoserSheets) -> dict[str, pa.Table]:
    """Return the rows of both tables, by table name."""
    period = np.maximum(sheets.tail_period, 0)
    length = sheets.prefix_length
    p_count = length + period
    start = np.cumsum(p_count) - p_count
    x = np.arange(sheets.first_x, sheets.end_x, dtype=np.int32)
    y = np.arange(np.max(p_count, initial=0), dtype=np.int32)
    z = _with_tails(sheets)
    positions = {
        "x": np.repeat(x, p_count),
        "y": _joined([y[:count] for count in p_count.tolist()]),
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


def sheets_of_rows(summary: pa.Table, z: Integers) -> LoserSheets:
    """Make sheets from rows of `sheet` and the column z of `p_position`.

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
    prefix_offset = offsets_of(length)
    tail_offset = offsets_of(tail_length)
    tail_z = tail.flatten().to_numpy(zero_copy_only=False)
    prefix_z, tails_of_rows = _without_tails(z, prefix_offset, tail_offset)
    if not np.array_equal(tails_of_rows, tail_z):
        raise CorruptTableError("the tails in sheet and p_position differ")
    rectangles = np.flatnonzero((length == 1) & (period == STOPS))
    return LoserSheets(
        first_x=0,
        prefix_offset=prefix_offset,
        prefix_z=prefix_z,
        tail_period=period,
        tail_offset=tail_offset,
        tail_z=tail_z,
        closed_by=int(rectangles[0]) if len(rectangles) else None,
    )


def _with_tails(sheets: LoserSheets) -> NDArray[np.int32]:
    """Return the z of all rows: after each prefix, one period of its tail."""
    with_tail = np.flatnonzero(np.diff(sheets.tail_offset))
    prefix_z = sheets.prefix_z.astype(np.int32, copy=False)
    parts, done = [], 0
    for prefix_end, tail_begin, tail_end in zip(
        sheets.prefix_offset[with_tail + 1].tolist(),
        sheets.tail_offset[with_tail].tolist(),
        sheets.tail_offset[with_tail + 1].tolist(),
        strict=True,
    ):
        parts += [prefix_z[done:prefix_end], sheets.tail_z[tail_begin:tail_end]]
        done = prefix_end
    return _joined([*parts, prefix_z[done:]])


def _without_tails(
    z: Integers, prefix_offset: NDArray[np.int64], tail_offset: NDArray[np.int64]
) -> tuple[Integers, Integers]:
    """Split the z of all rows into the values of prefixes and of tails."""
    ends = prefix_offset[1:] + tail_offset[:-1]
    with_tail = np.flatnonzero(np.diff(tail_offset))
    prefixes, tails, done = [], [], 0
    for begin, length in zip(
        ends[with_tail].tolist(), np.diff(tail_offset)[with_tail].tolist(), strict=True
    ):
        prefixes.append(z[done:begin])
        done = begin + length
        tails.append(z[begin:done])
    return _joined([*prefixes, z[done:]]), _joined(tails)


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    # Far faster than boolean masks over all rows.
    return np.concatenate(parts) if parts else np.zeros(0, np.int32)


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
