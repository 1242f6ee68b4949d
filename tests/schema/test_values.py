"""Three-row boards are numbered by first row, then second, then third."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle.schema.errors import InvalidPositionError
from position_oracle.schema.values import LIMIT_MAX, board_count, boards, rank, unrank

LISTED = [(a, b, c) for a in range(9) for b in range(a + 1) for c in range(b + 1)]
board = st.lists(st.integers(0, LIMIT_MAX), min_size=3, max_size=3).map(
    lambda lengths: tuple(sorted(lengths, reverse=True))
)


def test_ranks_count_the_boards_in_order() -> None:
    assert [rank(*rows) for rows in LISTED] == list(range(len(LISTED)))
    assert [unrank(number) for number in range(len(LISTED))] == LISTED
    assert board_count(8) == len(LISTED)
    assert [board_count(n) for n in range(3)] == [1, 4, 10]


@given(board)
def test_a_board_comes_back_from_its_rank(rows: tuple[int, int, int]) -> None:
    number = rank(*rows)
    assert unrank(number) == rows
    assert boards(number, number + 2).tolist()[0] == list(rows)


@pytest.mark.parametrize(("first", "end"), [(0, 165), (0, 0), (7, 8), (20, 100), (164, 165)])
def test_consecutive_boards_are_listed(first: int, end: int) -> None:
    found = boards(first, end)
    assert found.dtype == np.int32
    assert [tuple(rows) for rows in found.tolist()] == LISTED[first:end]


@pytest.mark.parametrize("rows", [(1, 2, 0), (2, 1, 2), (0, 0, -1)])
def test_invalid_boards_have_no_rank(rows: tuple[int, int, int]) -> None:
    with pytest.raises(InvalidPositionError):
        rank(*rows)


def test_numbers_and_limits_out_of_range_are_refused() -> None:
    with pytest.raises(InvalidPositionError):
        unrank(-1)
    for limit in (-1, LIMIT_MAX + 1):
        with pytest.raises(InvalidPositionError):
            board_count(limit)
    assert board_count(LIMIT_MAX) > 10**17
