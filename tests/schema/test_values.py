"""Three-row boards are numbered by first row, then second, then third."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema.errors import InvalidPositionError, UnknownAnswerError
from schema.values import LIMIT_MAX, ValueTable, board_count, boards, rank, ranks, unrank

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
    assert ranks(np.array([rows]), LIMIT_MAX).tolist() == [number]
    assert boards(number, number + 2).tolist()[0] == list(rows)


@pytest.mark.parametrize(("first", "end"), [(0, 165), (0, 0), (7, 8), (20, 100), (164, 165)])
def test_consecutive_boards_are_listed(first: int, end: int) -> None:
    found = boards(first, end)
    assert found.dtype == np.int32
    assert [tuple(rows) for rows in found.tolist()] == LISTED[first:end]


@pytest.mark.parametrize("rows", [(1, 2, 0), (2, 1, 2), (0, 0, -1)])
def test_what_is_no_board_has_no_rank(rows: tuple[int, int, int]) -> None:
    with pytest.raises(InvalidPositionError):
        rank(*rows)
    with pytest.raises(InvalidPositionError, match="row 1"):
        ranks(np.array([(5, 4, 3), rows]), 9)


def test_other_arrays_are_refused() -> None:
    wrong: list[Any] = [np.zeros((2, 2), int), np.zeros(3, int), np.zeros((1, 3))]
    for rows in wrong:
        with pytest.raises(InvalidPositionError, match=r"integers of shape"):
            ranks(rows, 9)
    with pytest.raises(InvalidPositionError):
        unrank(-1)
    for limit in (-1, LIMIT_MAX + 1):
        with pytest.raises(InvalidPositionError):
            board_count(limit)
    assert board_count(LIMIT_MAX) > 10**17


def test_a_table_answers_up_to_its_limit_and_no_further() -> None:
    table = ValueTable(8, np.arange(len(LISTED)) * 2)
    assert table.at(8, 8, 8) == 2 * (len(LISTED) - 1)
    assert table.at_all(np.array(LISTED)).tolist() == (np.arange(len(LISTED)) * 2).tolist()
    with pytest.raises(UnknownAnswerError):
        table.at(9, 0, 0)
    with pytest.raises(UnknownAnswerError, match="row 0"):
        table.at_all(np.array([(9, 0, 0)]))
    with pytest.raises(ValueError, match="are"):
        ValueTable(7, np.arange(len(LISTED)))
