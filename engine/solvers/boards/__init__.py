"""Chomp boards of any shape: outcomes of all boards inside a box or inside one board."""

from position_oracle.engine.solvers.boards.census import Census, take_census
from position_oracle.engine.solvers.boards.outcomes import (
    Bite,
    OutcomeTable,
    solve_box,
    solve_shape,
)
from position_oracle.engine.solvers.boards.outer import Outer
from position_oracle.engine.solvers.shape import (
    Board,
    Shape,
    box,
    check_board,
    transpose,
    under,
)

__all__ = [
    "Bite",
    "Board",
    "Census",
    "OutcomeTable",
    "Outer",
    "Shape",
    "box",
    "check_board",
    "solve_box",
    "solve_shape",
    "take_census",
    "transpose",
    "under",
]
