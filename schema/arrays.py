"""Arrays of positions as callers give them: checked before anything is asked."""

from typing import Final

import numpy as np
import numpy.typing as npt

from position_oracle.schema.errors import ArrayTypeError, InvalidPositionError

_INT32: Final = np.iinfo(np.int32)

NO_MOVE: Final = -1
"""All coordinates of a child where no move wins, or none is known."""

PASS_ONLY: Final = -2
"""All coordinates of a child where only the pass wins."""


def checked_positions(positions: npt.ArrayLike, name: str = "positions") -> npt.NDArray[np.integer]:
    """An integer array (n, k) whose numbers all fit int32, not copied where it is one already.

    An array without numbers may have any type, and `[]` has the shape (0, 0).

    Raises:
        ArrayTypeError: not an array of integers, or one of which some are masked.
        InvalidPositionError: another shape, or a number beyond int32.
    """
    # `np.ma` is imported only for what may be masked: that takes some milliseconds.
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
        raise InvalidPositionError(
            f"{name}: row {row} is {array[row].tolist()}; in batches numbers are at most"
            f" {_INT32.max} (2^31 - 1): ask for larger ones one at a time"
        )
    return array
