"""The service that answers: index, probers, core, server and command line."""

import engine  # noqa: F401  (chooses the cache of compiled kernels before numba is imported)
