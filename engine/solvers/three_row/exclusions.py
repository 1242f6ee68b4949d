"""The exclusions of a variant as arrays for the kernel."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import watched
from position_oracle.engine.solvers.three_row.memory import Exclusions
from position_oracle.schema.errors import InvalidPositionError
from position_oracle.schema.sheets import LoserSheets

Triple = tuple[int, int, int]
ColumnExclusions = Callable[[int, int], NDArray[np.integer]]
"""Function of (x, last_y) that returns the excluded z of each column y = 0..last_y of sheet x; -1
for none."""

Excluded = LoserSheets | ColumnExclusions | None

_LARGEST_COORDINATE = 1 << 40
_Z_MAX = np.iinfo(np.int32).max


def gather(
    exclusions: Excluded, declared: Iterable[Triple], limit: int, row_end: int | None
) -> Exclusions:
    """Gather the exclusions of a build of ``limit`` sheets with rows below ``row_end``.

    Raises:
        InvalidPositionError: A declared triple is not a position.
        ValueError: A callable has no limit in y.
    """
    rows = sorted({_rows(triple) for triple in declared})
    kept = np.array([row for row in rows if row[0] < limit], np.int64).reshape(-1, 3)
    offset, z, period, tail_offset, tail_z = map(_read_only, _columns(exclusions, limit, row_end))
    return Exclusions(
        exclusions is not None,
        isinstance(exclusions, LoserSheets),  # the poison alone cannot be passed on
        offset,
        z,
        period,
        tail_offset,
        tail_z,
        np.searchsorted(kept[:, 0], np.arange(limit + 1)).astype(np.int64),
        np.ascontiguousarray(kept[:, 1]),
        np.ascontiguousarray(kept[:, 2]),
    )


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Make an array read-only like stored sheets, so that the kernel is compiled for one type."""
    view = array.view()
    view.flags.writeable = False
    return view


def _columns(exclusions: Excluded, limit: int, row_end: int | None) -> tuple[NDArray[Any], ...]:
    """Return the offsets of the prefixes, their z, the periods, and the offsets and z of tails."""
    if isinstance(exclusions, LoserSheets):
        return (
            exclusions.prefix_offset,
            np.asarray(exclusions.prefix_z, np.int32),
            exclusions.tail_period,
            exclusions.tail_offset,
            np.asarray(exclusions.tail_z, np.int32),
        )
    parts = [np.zeros(0, np.int32)]
    if exclusions is not None:
        if row_end is None:
            raise ValueError("exclusions in every column need a y_limit")
        for x in watched(range(limit)):
            z = exclusions(x, row_end - x - 1)
            parts.append(np.where(z > _Z_MAX, -1, z).astype(np.int32))
    none = np.zeros(limit + 1, np.int64)
    offset = none if exclusions is None else np.cumsum([len(part) for part in parts])
    return offset, np.concatenate(parts), np.zeros(limit, np.int32), none, np.zeros(0, np.int32)


def _rows(triple: Triple) -> Triple:
    """Return row lengths (c, b, a) of a declared [x, y, z]."""
    x, y, z = triple
    if min(triple) < 0 or max(triple) > _LARGEST_COORDINATE:
        raise InvalidPositionError(
            f"declared position {[x, y, z]} has a coordinate outside 0..{_LARGEST_COORDINATE}"
        )
    return x, x + y, x + y + z
