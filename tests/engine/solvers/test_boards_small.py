"""Small boards solved without compiled kernels: the same tables as the kernels make."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.solvers.boards import (
    Shape,
    box,
    small,
    solve_grundy,
    solve_remoteness,
    solve_shape,
    under,
)
from tests.reference.boards_naive import mex

outer_boards = st.lists(st.integers(1, 7), min_size=1, max_size=6).map(
    lambda rows: under(tuple(sorted(rows, reverse=True)))
)


@settings(max_examples=40)
@given(shape=outer_boards)
def test_tables_are_those_of_the_kernels(shape: Shape) -> None:
    patch = pytest.MonkeyPatch()
    patch.setattr(small, "MAX_BOARDS", -1)
    patch.setattr(small, "MAX_MOVES", -1)
    table = solve_shape(shape)
    assert np.array_equal(small.outcome_bits(shape), table.bits)
    assert np.array_equal(small.values(shape, "grundy"), solve_grundy(shape).values)
    assert np.array_equal(small.values(shape, "remoteness"), solve_remoteness(shape).values)
    patch.undo()


@settings(max_examples=40)
@given(shape=outer_boards, data=st.data())
def test_winning_bites_are_those_of_the_kernels(shape: Shape, data: st.DataObject) -> None:
    table = solve_shape(shape)
    patch = pytest.MonkeyPatch()
    patch.setattr(small, "MAX_BOARDS", -1)
    board = shape.unrank(data.draw(st.integers(1, shape.count - 1)))
    assert small.winning_bites(shape, table.bits, board, False) == table.winning_bites(board)
    patch.undo()


def test_values_are_those_of_the_rules() -> None:
    shape = box(3, 4)
    values = small.values(shape, "grundy")
    for rank in range(1, shape.count):
        board = shape.unrank(rank)
        children = {int(values[shape.rank(child)]) for _, child in small.bites(board) if child}
        assert values[shape.rank(board)] == mex(children)


@pytest.mark.parametrize(
    "question",
    [
        "solve_shape(under((9, 7, 4))).winning_bites((9, 7, 4)) == [(1, 8), (2, 6), (3, 3)]",
        "solve_shape(under((2,) * 9)).outcome((2,) * 9).name == 'N'",
        "solve_grundy(under((4, 3))).restricted((4, 3)) is not None",
        "solve_remoteness(under((4, 3))).remoteness((4, 3)) is not None",
    ],
)
def test_a_small_question_loads_no_numba(question: str) -> None:
    program = (
        f"import sys; from position_oracle.engine.solvers.boards import *; assert {question};"
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
