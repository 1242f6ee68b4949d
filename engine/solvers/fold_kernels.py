"""The loops of `folds`, compiled for large graphs."""

from position_oracle.engine.solvers import folds
from position_oracle.engine.solvers.compiled import kernel

_wins = kernel(folds._wins)
_grundy = kernel(folds._grundy)
_remoteness = kernel(folds._remoteness)
_random_chance = kernel(folds._random_chance)
_perfect_chances = kernel(folds._perfect_chances)
_expected_turns = kernel(folds._expected_turns)
_longest = kernel(folds._longest)
