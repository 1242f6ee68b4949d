"""Arrays of positions from callers, checked before any question."""

from collections.abc import Iterator, Sized
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from position_oracle.schema.errors import ArrayTypeError, InvalidPositionError, InvalidRowError

_INT32: Final = np.iinfo(np.int32)

NO_MOVE: Final = -1
"""All coordinates of a child if no move wins, or none is known."""

PASS_ONLY: Final = -2
"""All coordinates of a child if only the pass wins."""


def checked_positions(positions: npt.ArrayLike, name: str = "positions") -> npt.NDArray[np.integer]:
    """Return an integer array (n, k) of numbers within int32, without a copy if possible.

    An array without numbers may have any type, and `[]` has the shape (0, 0).

    Raises:
        ArrayTypeError: the positions are not an array of integers, or some are masked.
        InvalidPositionError: the array has another shape, or a number beyond int32.
    """
    # `np.ma` is imported only for possibly masked arrays, because the import takes milliseconds.
    if type(positions) not in {np.ndarray, list, tuple} and np.ma.is_masked(positions):
        raise ArrayTypeError(f"{name} are a masked array; give an array without masked entries")
    try:
        array = np.asarray(positions)
    except ValueError as error:
        raise InvalidPositionError(f"{name} are not an array: {error}") from error
    if array.shape in {(0,), (0, 0)}:
        return np.empty((0, 0), np.int32)
    if array.dtype.kind not in "iu" and array.size:
        raise ArrayTypeError(
            f"{name} have dtype {array.dtype}; allowed are integer types, with numbers up to"
            f" {_INT32.max}"
        )
    if array.ndim != 2 or array.shape[1] == 0:
        raise InvalidPositionError(
            f"{name} have shape {array.shape}; allowed is (n, k): n {name} of k numbers"
        )
    if array.dtype.kind not in "iu":
        array = array.astype(np.int32)
    is_wide = array.dtype.itemsize > 4 or array.dtype == np.uint32
    if is_wide and array.size and (array.max() > _INT32.max or array.min() < _INT32.min):
        row = int(np.argmax(((array > _INT32.max) | (array < _INT32.min)).any(axis=1)))
        raise InvalidRowError(
            row,
            f"in batches numbers are at most {_INT32.max} (2^31 - 1): ask for larger ones one at a"
            " time",
            array[row].tolist(),
        )
    return array


Group = tuple[npt.NDArray[np.intp], npt.NDArray[np.integer]]
"""The indices of rows of a batch, and the numbers in these rows (n, k)."""


def row_groups(positions: npt.ArrayLike) -> tuple[int, list[Group]]:
    """Return the number of rows, and the rows grouped by length; rows of lists may differ.

    An empty row becomes the row [0]. Without a row with numbers there is no group.

    Raises:
        ArrayTypeError: the positions are not an array of integers, or some are masked.
        InvalidPositionError: the array has another shape.
        InvalidRowError: a number is beyond int32.
    """
    lengths = _lengths(positions)
    if len(set(lengths)) < 2:
        array = checked_positions(positions)
        return len(array), [(np.arange(len(array)), array)] if array.shape[1] else []
    groups = []
    by_length = np.array(lengths)
    for length in sorted(set(lengths)):
        lines = np.flatnonzero(by_length == length)
        chosen: Any = [positions[line] if length else (0,) for line in lines]  # type: ignore[index]
        with rows_as_given(lines):
            groups.append((lines, checked_positions(chosen)))
    return len(lengths), groups


def _lengths(positions: npt.ArrayLike) -> list[int]:
    """Return the lengths of the rows of a list; empty if it is not a list of rows."""
    if not isinstance(positions, list | tuple):
        return []
    return [len(row) for row in positions if _is_row(row)]


def _is_row(row: object) -> bool:
    return isinstance(row, Sized) and not isinstance(row, str) and getattr(row, "shape", 1) != ()


@contextmanager
def rows_as_given(
    lines: npt.NDArray[np.intp], rows: npt.NDArray[np.integer] | None = None
) -> Iterator[None]:
    """Change errors about rows to name and quote the caller's rows.

    Args:
        lines: the index of each row among the caller's rows.
        rows: the numbers of the rows; None if errors quote them already.
    """
    try:
        yield
    except InvalidRowError as error:
        given = error.given if rows is None else rows[error.row].tolist()
        raise InvalidRowError(int(lines[error.row]), error.reason, given) from None
    except InvalidPositionError as error:  # rows of a wrong length
        if rows is None or not len(rows):
            raise
        raise InvalidRowError(int(lines[0]), str(error), rows[0].tolist()) from None
