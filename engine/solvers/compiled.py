"""Decorators for kernels; every module with a kernel takes them from here.

numba reads its settings at import. So this module chooses the cache folder first, and is imported
only by processes that compile or run a kernel.
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
"""Decorator of a function that runs without the interpreter; its machine code is cached."""

# Kernels that allocate nothing need no reference counts: atomic instructions, which cost a sixth
# of the time where arrays are passed on and sliced for every tile. Functions that kernels alone
# call get no wrapper for the interpreter, which would take a seventh of the compile time.
_BARE = {"nogil": True, "error_model": "numpy", "_nrt": False}
_INNER = {**_BARE, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

bare_kernel = njit(**_INNER)
"""Decorator of a function that allocates nothing and is called from other kernels."""

# Arrays go from function to function as tuples, of which a call copies every member; what runs
# once for a row or a strip of rows must not be a call.
bare_inlined = njit(**_INNER, forceinline=True)
"""As `bare_kernel`, but inlined into its callers."""

bare_entry = njit(**_BARE, cache=True)
"""As `bare_kernel`, for a function that Python calls. The cache holds its machine code with that of
all functions it calls."""
