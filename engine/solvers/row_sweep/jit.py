"""How small functions are compiled into the kernels."""

from numba import njit

__all__ = ["inlined"]

# The arrays of a sweep go from function to function as tuples, of which a call copies every
# member; what runs once for a row or a strip must not be a call.
inlined = njit(nogil=True, error_model="numpy", _nrt=False, forceinline=True)
"""A part of a kernel, compiled in place."""
