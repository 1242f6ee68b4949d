"""Single boards are solved over the boards inside them, however large their box is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games.position import Outcome
from engine.solvers.boards import search_board
from schema.errors import InvalidPositionError, ResourceLimitError
from tests.reference import boards_naive as naive

boards = st.lists(st.integers(1, 6), min_size=1, max_size=5).map(
    lambda lengths: tuple(sorted(lengths, reverse=True))
)


@settings(deadline=None)
@given(boards)
def test_agrees_with_the_recursion(board: tuple[int, ...]) -> None:
    found = search_board(board)
    assert (found.outcome is Outcome.P) == naive.is_p(board)
    assert found.winning_bites() == naive.winning_bites(board)
    assert found.grundy().restricted(board) == naive.restricted(board)
    assert found.grundy().unrestricted(board) == naive.unrestricted(board)
    assert found.remoteness().remoteness(board) == naive.remoteness(board)


@pytest.mark.parametrize(
    "board", [(60, 3, 2, 1), (20, 2, 2, 2, 2), (3, 2, *(1,) * 60), (300, 300), (2,) * 300]
)
def test_thin_boards_are_few_inside_and_win_as_their_children_say(board: tuple[int, ...]) -> None:
    found = search_board(board)
    wins = found.winning_bites()
    for bite, child in naive.bites(board):
        assert (found.outcomes.outcome(child) is Outcome.P) == (bite in wins)
    assert (found.outcome is Outcome.N) == bool(wins)


def test_two_equal_legs_lose() -> None:
    assert search_board([30] + [1] * 29).outcome is Outcome.P
    assert search_board([30] + [1] * 30).winning_bites() == [(31, 1)]


def test_the_last_cookie_is_lost() -> None:
    found = search_board([1])
    assert found.outcome is Outcome.P
    assert found.winning_bites() == []
    assert found.grundy().restricted([1]) == 0
    assert found.remoteness().remoteness([1]) == 0


def test_boards_too_large_are_refused_at_once_with_the_estimate() -> None:
    with pytest.raises(
        ResourceLimitError, match="10400600 boards fit inside; the limit is 4194304"
    ):
        search_board([13] * 13)
    with pytest.raises(ResourceLimitError, match="more than 1000000000000"):
        search_board([10**12])
    with pytest.raises(ResourceLimitError, match="look-ups"):
        search_board([2000, 2000]).grundy()
    with pytest.raises(ResourceLimitError, match="look-ups"):
        search_board([3, 3], max_work=10).remoteness()
    assert search_board([3, 2, 1], limit=14).outcome is Outcome.N
    with pytest.raises(ResourceLimitError, match="14 boards"):
        search_board([3, 2, 1], limit=13)


def test_bad_boards_are_refused() -> None:
    with pytest.raises(InvalidPositionError):
        search_board([])
    with pytest.raises(InvalidPositionError):
        search_board([1, 2])
