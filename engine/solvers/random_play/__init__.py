"""Three-row Chomp against chance, in double precision: both players random, or one perfect.

After P. Devlin & P. Trifonova, Combinatorial games played randomly: Chomp and nim. What is known in
closed form stands in `engine.theory.random_play`; small games of any kind are solved exactly by
`engine.solvers.folds`.
"""

from position_oracle.engine.solvers.random_play.simulate import simulate_chomp
from position_oracle.engine.solvers.random_play.three_row import RandomTable, solve_random
from position_oracle.engine.solvers.random_play.three_row_chances import (
    ChancesTable,
    Scaled,
    solve_chances,
)

__all__ = [
    "ChancesTable",
    "RandomTable",
    "Scaled",
    "simulate_chomp",
    "solve_chances",
    "solve_random",
]
