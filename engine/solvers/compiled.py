"""Compilation of kernels. Every module with a kernel takes its decorator from here.

numba reads its settings when it is first imported, so that the folder of the cache is chosen
before that, and only in a process that compiles or runs a kernel.
"""

import sys

from position_oracle.engine.solvers.compile_cache import use_compile_cache

use_compile_cache()

# Where SciPy is installed, numba looks for BLAS in it before its first kernel: 0.2 s, for linear
# algebra that no kernel does. While numba is imported there is none to be found.
_hidden = "scipy" not in sys.modules
if _hidden:
    sys.modules["scipy"] = None  # type: ignore[assignment]
try:
    import numba.np.arraymath
finally:
    if _hidden:
        del sys.modules["scipy"]

njit = numba.njit

kernel = njit(nogil=True, cache=True)
"""A function that runs without the interpreter; its machine code is cached."""

# Kernels that allocate nothing need no reference counts: atomic instructions, which cost a sixth
# of the time where arrays are passed on and sliced for every tile. Functions that kernels alone
# call get no wrapper for the interpreter, which would take a seventh of the compile time.
_BARE = {"nogil": True, "error_model": "numpy", "_nrt": False}
_INNER = {**_BARE, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

bare_kernel = njit(**_INNER)
"""A function that allocates nothing, called from other kernels."""

# Arrays go from function to function as tuples, of which a call copies every member; what runs
# once for a row or a strip of rows must not be a call.
bare_inlined = njit(**_INNER, forceinline=True)
"""The same, compiled in place."""

bare_entry = njit(**_BARE, cache=True)
"""The same for the function that Python calls; its machine code, with all it calls, is cached."""
