"""The exclusions of a variant as arrays for the kernel."""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from position_oracle.engine.budget import watched
from position_oracle.engine.solvers.three_row.memory import Exclusions
from position_oracle.schema.errors import InvalidPositionError
from position_oracle.schema.sheets import CUT, LoserSheets

Triple = tuple[int, int, int]
ColumnExclusions = Callable[[int], ArrayLike]
Excluded = LoserSheets | ColumnExclusions | None

_LARGEST_COORDINATE = 1 << 40


def gather(
    exclusions: Excluded, declared: Iterable[Triple], limit: int, row_end: int | None
) -> Exclusions:
    """Gather the exclusions of a build of ``limit`` sheets with rows below ``row_end``.

    Raises:
        InvalidPositionError: A declared triple is not a position, or has other entries than whole
            numbers.
        ValueError: LoserSheets, or an array of the callable, do not cover the build; or a callable
            has no limit in y.
    """
    rows = sorted({_rows(triple) for triple in declared})
    kept = np.array([row for row in rows if row[0] < limit], np.int64).reshape(-1, 3)
    is_sheets = isinstance(exclusions, LoserSheets)
    if exclusions is None:
        columns = _no_columns(limit)
    elif isinstance(exclusions, LoserSheets):
        columns = _columns_of_sheets(exclusions, limit)
    elif row_end is None:
        raise ValueError("exclusions in every column need a y_limit")
    else:
        columns = _columns_of_calls(exclusions, limit, row_end)
    return Exclusions(
        exclusions is not None,
        is_sheets,  # the poison alone cannot be passed on
        *_read_only(columns),
        declared_offset=np.searchsorted(kept[:, 0], np.arange(limit + 1)).astype(np.int64),
        declared_b=np.ascontiguousarray(kept[:, 1]),
        declared_a=np.ascontiguousarray(kept[:, 2]),
    )


_Columns = tuple[
    NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]
]


def _read_only(columns: _Columns) -> _Columns:
    """Make arrays read-only like stored sheets, so that the kernel is compiled for one type."""
    offset, z, period, tail_offset, tail_z = columns
    views = offset.view(), z.view(), period.view(), tail_offset.view(), tail_z.view()
    for view in views:
        view.flags.writeable = False
    return views


def _no_columns(limit: int) -> _Columns:
    offset = np.zeros(limit + 1, np.int64)
    return offset, np.zeros(0, np.int32), np.zeros(limit, np.int32), offset, np.zeros(0, np.int32)


def _columns_of_sheets(sheets: LoserSheets, limit: int) -> _Columns:
    if sheets.first_x != 0 or sheets.end_x < limit:
        raise ValueError(
            f"excluded sheets {sheets.first_x}..{sheets.end_x - 1} do not cover 0..{limit - 1}"
        )
    if np.any(sheets.tail_period[:limit] == CUT):
        raise ValueError("excluded sheets are cut: known only up to a limit in y")
    return (
        sheets.prefix_offset,
        np.asarray(sheets.prefix_z, np.int32),
        sheets.tail_period,
        sheets.tail_offset,
        np.asarray(sheets.tail_z, np.int32),
    )


def _columns_of_calls(columns: ColumnExclusions, limit: int, row_end: int) -> _Columns:
    parts: list[NDArray[np.int32]] = []
    for x in watched(range(limit), every=1):
        needed = row_end - x
        z = np.asarray(columns(x))
        if z.ndim != 1 or z.dtype.kind not in "iu" or len(z) < needed:
            raise ValueError(
                f"exclusions of sheet {x} must be {needed} whole numbers or more, one for each y,"
                f" not {z.dtype} of shape {z.shape}"
            )
        within = np.where(z[:needed] > np.iinfo(np.int32).max, -1, z[:needed])
        parts.append(within.astype(np.int32))
    offset, _, period, tail_offset, tail_z = _no_columns(limit)
    offset = offset.copy()
    np.cumsum([len(part) for part in parts], out=offset[1:])
    z_all = np.concatenate(parts) if parts else np.zeros(0, np.int32)
    return offset, z_all, period, tail_offset, tail_z


def _rows(triple: Triple) -> tuple[int, int, int]:
    """Return row lengths (c, b, a) of a declared [x, y, z]."""
    if len(triple) != 3 or not all(isinstance(n, int | np.integer) for n in triple):
        raise InvalidPositionError(f"declared position {triple!r} is not three whole numbers")
    x, y, z = (int(n) for n in triple)
    if min(x, y, z) < 0 or max(x, y, z) > _LARGEST_COORDINATE:
        raise InvalidPositionError(
            f"declared position {[x, y, z]} has a coordinate outside 0..{_LARGEST_COORDINATE}"
        )
    return x, x + y, x + y + z
