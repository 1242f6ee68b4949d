"""Grundy values and remoteness of every three-row Chomp position up to a longest row.

``solve_grundy(limit)`` and ``solve_remoteness(limit)`` fill one number for each position with row
lengths limit >= a >= b >= c, in the order of their ranks (``layout``). How the loops keep what the
moves along a line reach, so that a position costs a few operations however many moves it has, is
told in ``kernels``.
"""

from position_oracle.engine.solvers.grundy3.layout import LIMIT_MAX, NO_VALUE, position_count, rank
from position_oracle.engine.solvers.grundy3.solver import (
    estimate_grundy_bytes,
    estimate_remoteness_bytes,
    solve_grundy,
    solve_remoteness,
)
from position_oracle.engine.solvers.grundy3.tables import GrundyTable, RemotenessTable

__all__ = [
    "LIMIT_MAX",
    "NO_VALUE",
    "GrundyTable",
    "RemotenessTable",
    "estimate_grundy_bytes",
    "estimate_remoteness_bytes",
    "position_count",
    "rank",
    "solve_grundy",
    "solve_remoteness",
]
