"""Games played at random: the theorems of Devlin & Trifonova on Chomp and Nim."""

from position_oracle.engine.theory.random_play.harmonic import harmonic, harmonic_float
from position_oracle.engine.theory.random_play.hooks import (
    hook_envelope,
    hook_of,
    hook_win_probability,
)
from position_oracle.engine.theory.random_play.model import Model, Perfect
from position_oracle.engine.theory.random_play.turns import (
    TurnDistribution,
    expected_turns,
    expected_turns_float,
    fewest_expected_turns,
    longest_lasting_board,
    most_expected_turns,
)
from position_oracle.engine.theory.random_play.two_row_bounds import (
    Envelope,
    alpha_bounds,
    two_row_envelope,
)
from position_oracle.engine.theory.random_play.two_rows import (
    Coefficients,
    coefficients,
    iterate_coefficients,
    shortfall,
    two_rows_of,
    win_probability,
    win_probability_batch,
)

__all__ = [
    "Coefficients",
    "Envelope",
    "Model",
    "Perfect",
    "TurnDistribution",
    "alpha_bounds",
    "coefficients",
    "expected_turns",
    "expected_turns_float",
    "fewest_expected_turns",
    "harmonic",
    "harmonic_float",
    "hook_envelope",
    "hook_of",
    "hook_win_probability",
    "iterate_coefficients",
    "longest_lasting_board",
    "most_expected_turns",
    "shortfall",
    "two_row_envelope",
    "two_rows_of",
    "win_probability",
    "win_probability_batch",
]
