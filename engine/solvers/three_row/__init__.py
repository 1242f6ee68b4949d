"""Loser sheets of three-row Chomp, with passes and with declared N-positions.

``solve`` computes them all in memory, ``iter_blocks`` streams them. The method: for each (b, c)
the value a of the P-position with rows (a, b, c) is the least one that no smaller P-position
reaches (Zeilberger 2001; Brouwer et al. 2005), found with bit sets; see ``walk``, ``certificate``
and ``pipeline``.
"""

from engine.solvers.three_row.driver import Progress, ProgressCallback
from engine.solvers.three_row.exclusions import ColumnExclusions, Excluded, Triple
from engine.solvers.three_row.solver import (
    BLOCK_POSITIONS,
    MAX_LIMIT,
    estimate,
    iter_blocks,
    solve,
)

__all__ = [
    "BLOCK_POSITIONS",
    "MAX_LIMIT",
    "ColumnExclusions",
    "Excluded",
    "Progress",
    "ProgressCallback",
    "Triple",
    "estimate",
    "iter_blocks",
    "solve",
]
