"""Games played at random: the theorems of Devlin & Trifonova on Chomp and Nim."""

from position_oracle.engine.theory.random_play.harmonic import harmonic, harmonic_float
from position_oracle.engine.theory.random_play.hooks import (
    hook_of,
    hook_win_probability,
)
from position_oracle.engine.theory.random_play.model import Model, Perfect
from position_oracle.engine.theory.random_play.turns import (
    expected_turns,
    expected_turns_float,
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
    "Model",
    "Perfect",
    "coefficients",
    "expected_turns",
    "expected_turns_float",
    "harmonic",
    "harmonic_float",
    "hook_of",
    "hook_win_probability",
    "iterate_coefficients",
    "shortfall",
    "two_rows_of",
    "win_probability",
    "win_probability_batch",
]
