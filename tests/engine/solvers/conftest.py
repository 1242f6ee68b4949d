"""Loads the kernels: these tests are about them, and small searches use them once loaded."""

import position_oracle.engine.solvers.compiled  # noqa: F401
