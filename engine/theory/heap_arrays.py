"""Arrays of heaps: one position in each row."""

import numpy as np
from numpy.typing import NDArray

from position_oracle.schema.errors import InvalidPositionError


def check_heaps(heaps: NDArray[np.int64], columns: int | None = None) -> None:
    """Refuse an array whose rows are not positions.

    Args:
        heaps: int64, shape (n, k).
        columns: k; None for any.

    Raises:
        InvalidPositionError: the array has another shape or type, or a negative heap.
    """
    if heaps.ndim != 2 or columns not in {None, heaps.shape[1]}:
        wanted = "k" if columns is None else columns
        raise InvalidPositionError(f"heaps need shape (n, {wanted}), got {heaps.shape}")
    if heaps.dtype != np.int64:
        raise InvalidPositionError(f"heaps need dtype int64, got {heaps.dtype}")
    if heaps.size and heaps.min() < 0:
        raise InvalidPositionError(f"heap {heaps.min()} is negative")
