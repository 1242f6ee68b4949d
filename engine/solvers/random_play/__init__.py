"""Games against chance: both players random, or one perfect and the other fallible.

After P. Devlin & P. Trifonova, Combinatorial games played randomly: Chomp and nim. What is known in
closed form stands in `engine.theory.random_play`.
"""

from position_oracle.engine.solvers.random_play.conjectures import (
    EnvelopeVerdict,
    Verdict,
    check_box,
    check_envelope,
    check_three_rows,
    check_up_to,
    envelopes_up_to,
)
from position_oracle.engine.solvers.random_play.exact import (
    RANDOM,
    Chances,
    chomp_chances,
    chomp_turn_distribution,
    chomp_win_probabilities,
    chomp_win_probability,
    nim_chances,
    nim_turn_distribution,
    nim_win_probability,
)
from position_oracle.engine.solvers.random_play.simulate import simulate_chomp
from position_oracle.engine.solvers.random_play.three_row import (
    RandomTable,
    solve_random,
    table_rows,
)
from position_oracle.engine.solvers.random_play.three_row_chances import (
    ChancesTable,
    Scaled,
    solve_chances,
)

__all__ = [
    "RANDOM",
    "Chances",
    "ChancesTable",
    "EnvelopeVerdict",
    "RandomTable",
    "Scaled",
    "Verdict",
    "check_box",
    "check_envelope",
    "check_three_rows",
    "check_up_to",
    "chomp_chances",
    "chomp_turn_distribution",
    "chomp_win_probabilities",
    "chomp_win_probability",
    "envelopes_up_to",
    "nim_chances",
    "nim_turn_distribution",
    "nim_win_probability",
    "simulate_chomp",
    "solve_chances",
    "solve_random",
    "table_rows",
]
