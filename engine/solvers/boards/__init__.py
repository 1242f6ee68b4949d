"""Chomp boards of any shape: tables over all boards inside a box or inside one board."""

from position_oracle.engine.solvers.boards.census import Census, take_census
from position_oracle.engine.solvers.boards.outcomes import (
    Bite,
    OutcomeTable,
    solve_box,
    solve_shape,
)
from position_oracle.engine.solvers.boards.outer import Outer
from position_oracle.engine.solvers.boards.shape import (
    Board,
    Shape,
    box,
    check_board,
    transpose,
    under,
)
from position_oracle.engine.solvers.boards.values import (
    GrundyTable,
    RemotenessTable,
    solve_grundy,
    solve_remoteness,
)

__all__ = [
    "Bite",
    "Board",
    "Census",
    "GrundyTable",
    "OutcomeTable",
    "Outer",
    "RemotenessTable",
    "Shape",
    "box",
    "check_board",
    "solve_box",
    "solve_grundy",
    "solve_remoteness",
    "solve_shape",
    "take_census",
    "transpose",
    "under",
]
