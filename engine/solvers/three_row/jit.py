"""How the kernels are compiled."""

import numpy as np
from numba import njit

__all__ = ["copy_to", "entry", "kernel"]

# Kernels allocate nothing, so that they need no reference counts: atomic instructions, which cost
# a sixth of the time where arrays are passed on and sliced for every tile.
kernel = njit(nogil=True, error_model="numpy", _nrt=False)
"""A function that runs without the interpreter, called from other kernels."""

entry = njit(nogil=True, error_model="numpy", _nrt=False, cache=True)
"""The same for the function that Python calls; its machine code, with all it calls, is cached."""


@kernel
def copy_to(target: np.ndarray, source: np.ndarray) -> None:
    """``target[:] = source``, without the copy that slice assignment may allocate."""
    for i in range(np.uint64(target.size)):
        target[i] = source[i]
