"""The tests of solvers are of the kernels: small searches use them once they are loaded."""

import position_oracle.engine.solvers.compiled  # noqa: F401
