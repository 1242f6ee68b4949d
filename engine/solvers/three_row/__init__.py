"""Loser sheets of three-row Chomp, with passes and with declared N-positions.

`solve` computes them all in memory, `iter_blocks` streams them. From `build` the way goes through
`groups` (some sheets together) and `sheet` (one sheet through a tile of rows) to `supermex`, the
inner loop; `engine.theory.supermex` has its definition. `certificate` proves tails.
"""

from position_oracle.engine.solvers.three_row.build import (
    BLOCK_POSITIONS,
    MAX_LIMIT,
    SheetProgress,
    SheetProgressCallback,
    estimate,
    iter_blocks,
    solve,
)
from position_oracle.engine.solvers.three_row.exclusions import ColumnExclusions, Excluded, Triple

__all__ = [
    "BLOCK_POSITIONS",
    "MAX_LIMIT",
    "ColumnExclusions",
    "Excluded",
    "SheetProgress",
    "SheetProgressCallback",
    "Triple",
    "estimate",
    "iter_blocks",
    "solve",
]
