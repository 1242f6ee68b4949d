"""Boards inside a bounding board are numbered without gaps, children before parents."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.solvers.shape import box, transpose, under
from position_oracle.engine.theory.bounds import estimate_ideals
from position_oracle.schema.errors import (
    InvalidPositionError,
    ResourceLimitError,
    UnknownAnswerError,
)
from tests.reference import boards_naive as naive

boards = st.lists(st.integers(1, 7), min_size=1, max_size=6).map(
    lambda lengths: tuple(sorted(lengths, reverse=True))
)


def fits(board: tuple[int, ...], outer: tuple[int, ...]) -> bool:
    return len(board) <= len(outer) and all(a <= b for a, b in zip(board, outer, strict=False))


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 6), (6, 1), (3, 4), (4, 3), (5, 5)])
def test_a_box_numbers_all_its_boards_in_lexicographic_order(rows: int, columns: int) -> None:
    shape = box(rows, columns)
    assert shape.count == math.comb(rows + columns, rows)
    assert box(rows, columns, limit=shape.count).count == shape.count
    with pytest.raises(ResourceLimitError):
        box(rows, columns, limit=shape.count - 1)
    in_order = sorted(naive.boards_inside(rows, columns))
    assert [shape.unrank(rank) for rank in range(shape.count)] == in_order
    assert [shape.rank(board) for board in in_order] == list(range(shape.count))


def test_the_weights_of_a_box_are_the_combinatorial_number_system() -> None:
    m, n = 4, 6
    expected = [
        [math.comb(v + m - 1 - i, m - i) if v else 0 for v in range(n + 1)] for i in range(m)
    ]
    assert box(m, n).weights.tolist() == expected


@settings(deadline=None)
@given(boards)
def test_any_bounding_board_numbers_exactly_the_boards_inside(outer: tuple[int, ...]) -> None:
    inside = sorted(b for b in naive.boards_inside(len(outer), outer[0]) if fits(b, outer))
    shape = under(outer)
    assert shape.count == len(inside) == estimate_ideals(outer)
    assert [shape.unrank(rank) for rank in range(shape.count)] == inside
    assert [shape.rank(board) for board in inside] == list(range(shape.count))


@settings(deadline=None)
@given(boards, st.data())
def test_children_have_smaller_ranks(outer: tuple[int, ...], data: st.DataObject) -> None:
    shape = under(outer)
    rank = data.draw(st.integers(0, shape.count - 1))
    assert all(shape.rank(child) < rank for _, child in naive.bites(shape.unrank(rank)))


@settings(deadline=None)
@given(boards)
def test_transposing_exchanges_rows_and_columns(board: tuple[int, ...]) -> None:
    turned = transpose(board)
    assert turned == tuple(sum(length > c for length in board) for c in range(board[0]))
    assert transpose(turned) == board
    assert estimate_ideals(turned) == estimate_ideals(board)


def test_the_empty_board_is_rank_0_and_its_own_transpose() -> None:
    assert box(2, 3).rank(()) == 0
    assert box(2, 3).unrank(0) == ()
    assert transpose(()) == ()


def test_a_board_is_turned_only_where_it_has_to_be() -> None:
    assert box(2, 5).orient((3, 1)) == ((3, 1), False)
    assert box(2, 5).orient((2, 1, 1)) == ((3, 1), True)
    with pytest.raises(UnknownAnswerError, match="3 rows, the longest 3"):
        box(2, 5).orient((3, 3, 3))
    with pytest.raises(UnknownAnswerError):
        box(2, 5).orient((10**18,))


@pytest.mark.parametrize(("rows", "columns"), [(0, 3), (3, 0), (-1, 2)])
def test_a_box_has_sides(rows: int, columns: int) -> None:
    with pytest.raises(InvalidPositionError, match="1 or more"):
        box(rows, columns)


@pytest.mark.parametrize(
    ("rows", "columns", "estimate"),
    [
        (19, 19, "35345263800 boards"),
        (30, 30, "more than 2\\^53 boards"),
        (2000, 2000, "more than 2\\^53 boards"),
        (10**9, 10**9, "more than 1000000000000000000 boards"),
        (1, 2**40, "more than 1099511627776 boards"),
        (1, 2**23, "a grid of 8388608 squares; the limit is 4194304"),
    ],
)
def test_boxes_too_large_are_refused_with_the_estimate(
    rows: int, columns: int, estimate: str
) -> None:
    with pytest.raises(ResourceLimitError, match=estimate):
        box(rows, columns)


def test_boards_too_large_are_refused_with_the_estimate() -> None:
    with pytest.raises(ResourceLimitError, match="35 boards fit inside; the limit is 34"):
        under((4, 4, 4), 34)
    assert under((4, 4, 4), 35).count == 35
    with pytest.raises(ResourceLimitError, match="more than"):
        under((10**12, 10**12))
    with pytest.raises(InvalidPositionError):
        under(())
