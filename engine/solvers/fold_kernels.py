"""The loops of `folds` and `ranked`, compiled for large games."""

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from position_oracle.engine.solvers import folds, ranked
from position_oracle.engine.solvers.compiled import kernel


def _compiled(loop: Any) -> Callable[..., None]:
    """Compile a loop with unsigned array indices, so that numba adds no test for negative ones."""
    names = {**loop.__globals__, "index": np.uint64}
    made: Callable[..., None] = kernel(FunctionType(loop.__code__, names, loop.__name__))
    return made


_wins = _compiled(folds._wins)
_grundy = _compiled(folds._grundy)
_remoteness = _compiled(folds._remoteness)
_random_chance = _compiled(folds._random_chance)
_perfect_chances = _compiled(folds._perfect_chances)
_expected_turns = _compiled(folds._expected_turns)
_longest = _compiled(folds._longest)
_moves = _compiled(ranked._moves)
