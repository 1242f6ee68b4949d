"""Single boards are solved over the boards inside them alone, however large their box is."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.games.position import Outcome
from position_oracle.engine.solvers import tables
from position_oracle.engine.solvers.boards.outcomes import OutcomeTable, solve_shape
from position_oracle.engine.solvers.ranked import Ranked
from position_oracle.engine.solvers.shape import under
from position_oracle.schema.errors import ResourceLimitError
from tests.reference import boards_naive as naive

boards = st.lists(st.integers(1, 6), min_size=1, max_size=5).map(
    lambda lengths: tuple(sorted(lengths, reverse=True))
)


def search(board: tuple[int, ...]) -> OutcomeTable:
    return solve_shape(under(board))


@settings(deadline=None)
@given(boards)
def test_agrees_with_the_recursion(board: tuple[int, ...]) -> None:
    found = search(board)
    assert (found.outcome(board) is Outcome.P) == naive.is_p(board)
    assert found.winning_bites(board) == naive.winning_bites(board)
    game = Ranked(found.shape)
    assert tables.solve(game, "grundy").of_board(board) == naive.restricted(board)
    assert tables.solve(game, "remoteness").of_board(board) == naive.remoteness(board)


@pytest.mark.parametrize(
    "board", [(60, 3, 2, 1), (20, 2, 2, 2, 2), (3, 2, *(1,) * 60), (300, 300), (2,) * 300]
)
def test_thin_boards_are_few_inside_and_win_as_their_children_say(board: tuple[int, ...]) -> None:
    found = search(board)
    wins = found.winning_bites(board)
    for bite, child in naive.bites(board):
        assert (found.outcome(child) is Outcome.P) == (bite in wins)
    assert (found.outcome(board) is Outcome.N) == bool(wins)


def test_two_equal_legs_lose() -> None:
    assert search((30, *[1] * 29)).outcome((30, *[1] * 29)) is Outcome.P
    assert search((30, *[1] * 30)).winning_bites((30, *[1] * 30)) == [(31, 1)]


def test_the_last_cookie_is_lost() -> None:
    shape = under((1,))
    found = solve_shape(shape)
    assert found.outcome((1,)) is Outcome.P
    assert found.winning_bites((1,)) == []
    assert tables.solve(Ranked(shape), "grundy").of_board((1,)) == 0
    assert tables.solve(Ranked(shape), "remoteness").of_board((1,)) == 0


def test_boards_too_large_are_refused_at_once_with_the_estimate() -> None:
    with pytest.raises(
        ResourceLimitError, match="10400600 boards fit inside; the limit is 4194304"
    ):
        under((13,) * 13, 2**22)
    with pytest.raises(ResourceLimitError, match="more than 1000000000000"):
        under((10**12,))


@pytest.mark.parametrize(
    "question",
    [
        "solve_shape(under((9, 7, 4))).winning_bites((9, 7, 4)) == [(1, 8), (2, 6), (3, 3)]",
        "solve_shape(under((2,) * 9)).outcome((2,) * 9).name == 'N'",
        "solve(Ranked(under((4, 2))), 'grundy').of_board((4, 2)) > 0",
        "solve(Ranked(under((4, 2))), 'remoteness').of_board((4, 2)) > 0",
    ],
)
def test_a_small_question_loads_no_compiled_code(question: str) -> None:
    program = (
        "import sys; from position_oracle.engine.solvers.boards.outcomes import solve_shape;"
        "from position_oracle.engine.solvers.ranked import Ranked;"
        "from position_oracle.engine.solvers.shape import under;"
        "from position_oracle.engine.solvers.tables import solve;"
        f"assert {question}; assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
