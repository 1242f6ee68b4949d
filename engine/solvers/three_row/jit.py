"""Copying between arrays of a build."""

import numpy as np

from engine.solvers.compiled import bare_kernel

__all__ = ["copy_to"]


@bare_kernel
def copy_to(target: np.ndarray, source: np.ndarray) -> None:
    """``target[:] = source``, without the copy that slice assignment may allocate."""
    for i in range(np.uint64(target.size)):
        target[i] = source[i]
