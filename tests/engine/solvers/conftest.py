"""The tests of solvers are of the kernels: small searches use them once they are loaded."""

import engine.solvers.compiled  # noqa: F401
