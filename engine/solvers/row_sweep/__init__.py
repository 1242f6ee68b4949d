"""Three-row Chomp swept by rows: the census of all sheets, and checkpoints to answer from.

``census`` finds period, tail, prefix length, diagonal and largest z of every sheet x <= limit, in
memory proportional to the limit. The method is described in docs/row-sweep.md.
"""

from position_oracle.engine.solvers.row_sweep.driver import (
    MAX_LIMIT,
    Checkpoint,
    Resumption,
    SweepEstimate,
    census,
    estimate,
)
from position_oracle.engine.solvers.row_sweep.query import Answers, SweptAnswer

__all__ = [
    "MAX_LIMIT",
    "Answers",
    "Checkpoint",
    "Resumption",
    "SweepEstimate",
    "SweptAnswer",
    "census",
    "estimate",
]
