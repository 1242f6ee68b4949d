"""How the kernels are compiled.

They allocate nothing, so that they need no reference counts, and functions that are called by
kernels alone get no wrapper for the interpreter, which would take a seventh of the compile time.
"""

from position_oracle.engine.solvers.compiled import njit

__all__ = ["entry", "inlined", "kernel"]

kernel = njit(
    nogil=True, error_model="numpy", _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True
)
"""A function that runs without the interpreter, called from other kernels."""

# The arrays of a sweep go from function to function as tuples, of which a call copies every
# member; what runs once for a row or a strip must not be a call.
inlined = njit(
    nogil=True,
    error_model="numpy",
    _nrt=False,
    no_cpython_wrapper=True,
    no_cfunc_wrapper=True,
    forceinline=True,
)
"""A part of a kernel, compiled in place."""

entry = njit(nogil=True, error_model="numpy", _nrt=False, cache=True)
"""A kernel that Python calls; its machine code, with all it calls, is cached."""
