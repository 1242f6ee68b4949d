"""Outcomes of all boards inside a box, compared with golden cases and the naive recursion."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.games.position import Outcome
from position_oracle.engine.solvers.boards import outcomes
from position_oracle.engine.solvers.boards.outcomes import (
    STEP,
    OutcomeTable,
    solve_shape,
)
from position_oracle.engine.solvers.shape import box, transpose, under
from position_oracle.schema.errors import (
    ResourceLimitError,
    UnknownAnswerError,
)
from tests.reference import boards_naive as naive

GOLDEN = Path(__file__).parents[2] / "golden"


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / name).read_text().splitlines()]


@pytest.fixture(scope="module")
def nine() -> OutcomeTable:
    return solve_shape(box(9, 9))


@pytest.fixture(scope="module")
def table_8x7() -> OutcomeTable:
    return solve_shape(box(8, 7))


def test_nobody_can_change_what_was_solved(table_8x7: OutcomeTable) -> None:
    for table in (solve_shape(box(3, 3)), table_8x7):
        with pytest.raises(ValueError, match="read-only"):
            table.bits[0] = 0


@pytest.mark.parametrize("name", ["07_boards.jsonl", "07_rectangles.jsonl"])
def test_golden_cases(name: str, nine: OutcomeTable) -> None:
    for case in cases(name):
        board = case["position"]
        table = (
            nine if nine.shape.contains(tuple(board)) else solve_shape(box(len(board), board[0]))
        )
        assert table.outcome(board).name == case["outcome"], board
        assert table.winning_bites(board) == [tuple(bite) for bite in case["winning_bites"]], board


@pytest.mark.parametrize(("rows", "columns"), [(1, 7), (7, 1), (3, 6), (6, 3), (5, 5)])
def test_every_board_of_a_box_agrees_with_the_recursion(rows: int, columns: int) -> None:
    table = solve_shape(box(rows, columns))
    for board in naive.boards_inside(rows, columns):
        assert (table.outcome(board) is Outcome.P) == naive.is_p(board), board
        assert table.winning_bites(board) == naive.winning_bites(board), board


@pytest.mark.parametrize("outer", [(6, 3, 3, 1), (7, 2, 2, 2, 1), (4, 4, 1, 1, 1), (9, 1)])
def test_every_board_inside_any_board_agrees_with_the_recursion(outer: tuple[int, ...]) -> None:
    table = solve_shape(under(outer))
    for rank in range(table.shape.count):
        board = table.shape.unrank(rank)
        assert table.winning_bites(board) == naive.winning_bites(board), board
        assert (table.outcome(board) is Outcome.P) == naive.is_p(board), board


def test_batches_hold_the_boards_inside_any_board_and_no_others() -> None:
    table = solve_shape(under((4, 2, 2)))
    boards = [
        (4, 2, 2),
        (3, 3, 1),
        (2, 2, 2),
        (3, 2, 1),
        (4, 3, 0),
        (3, 3, 2),
        (4, 4, 4),
        (3, 3, 3),
    ]
    found = table.outcomes(np.array(boards))
    for (a, b, c), outcome in zip(boards, found, strict=True):
        as_it_stands, turned = (a <= 4 and b <= 2 and c <= 2), (a <= 3 and b <= 3 and c <= 1)
        if as_it_stands or turned:
            is_p = naive.is_p(tuple(row for row in (a, b, c) if row))
            assert outcome == (Outcome.P if is_p else Outcome.N), (a, b, c)
        else:
            assert outcome == Outcome.UNKNOWN, (a, b, c)


@settings(deadline=None)
@given(rank=st.integers(0, 48619))
def test_n_reaches_p_and_p_reaches_none(nine: OutcomeTable, rank: int) -> None:
    board = nine.shape.unrank(rank)
    wins = nine.winning_bites(board)
    assert bool(wins) == (nine.outcome(board) is Outcome.N and rank > 0)
    children = dict(naive.bites(board))
    for bite, child in children.items():
        assert (nine.outcome(child) is Outcome.P) == (bite in wins)


@settings(deadline=None)
@given(rank=st.integers(0, 6434))
def test_transposed_boards_are_looked_up(table_8x7: OutcomeTable, rank: int) -> None:
    board = table_8x7.shape.unrank(rank)
    turned = transpose(board)
    assert table_8x7.outcome(turned) is table_8x7.outcome(board)
    mirrored = sorted((column, row) for row, column in table_8x7.winning_bites(board))
    assert table_8x7.winning_bites(turned) == mirrored


def test_batches_agree_with_single_look_ups(table_8x7: OutcomeTable) -> None:
    inside = naive.boards_inside(8, 7)
    batch = np.zeros((len(inside), 10), np.int64)
    turned = np.zeros((len(inside), 8), np.int64)
    for line, board in enumerate(inside):
        batch[line, : len(board)] = board
        turned[line, : len(transpose(board))] = transpose(board)
    expected = [table_8x7.outcome(board) for board in inside]
    assert table_8x7.outcomes(batch).tolist() == expected
    assert table_8x7.outcomes(turned).tolist() == expected
    assert table_8x7.outcomes(batch).dtype == np.uint8


def test_batches_answer_unknown_outside_the_box(table_8x7: OutcomeTable) -> None:
    boards = [[9, *(0,) * 7], [8] * 8, [2**62, *(1,) * 7], [1] * 9, [8, 7, 1], []]
    batch = np.zeros((len(boards), 9), np.int64)
    for line, board in enumerate(boards):
        batch[line, : len(board)] = board
    found = table_8x7.outcomes(batch)
    assert found[:4].tolist() == [Outcome.UNKNOWN] * 4
    assert found[4:].tolist() == [table_8x7.outcome((8, 7, 1)), Outcome.N]
    assert table_8x7.outcomes(np.zeros((0, 3), int)).shape == (0,)
    assert table_8x7.outcomes(np.zeros((2, 0), int)).tolist() == [Outcome.N, Outcome.N]


def test_boards_outside_are_refused(table_8x7: OutcomeTable) -> None:
    with pytest.raises(UnknownAnswerError, match="does not fit into a box of 8 x 7"):
        table_8x7.outcome((9,))
    with pytest.raises(UnknownAnswerError):
        table_8x7.winning_bites((8,) * 8)


def test_the_empty_board_is_n_without_moves(nine: OutcomeTable) -> None:
    assert nine.outcome(()) is Outcome.N
    assert nine.winning_bites(()) == []


def test_p_positions_are_listed_and_counted(table_8x7: OutcomeTable) -> None:
    expected = [board for board in sorted(naive.boards_inside(8, 7)) if naive.is_p(board)]
    listed = table_8x7.p_positions()
    assert [tuple(length for length in line if length) for line in listed.tolist()] == expected
    assert table_8x7.count_p() == len(expected)


@pytest.mark.parametrize("size", [64, 192, 2**22])
def test_p_positions_come_in_blocks(
    table_8x7: OutcomeTable, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(outcomes, "_BLOCK", size)
    ranks, boards = zip(*table_8x7.p_blocks(), strict=True)
    assert np.array_equal(np.concatenate(ranks), table_8x7.p_ranks())
    assert np.array_equal(np.concatenate(boards), table_8x7.p_positions())
    assert len(ranks) > 1 or size > table_8x7.shape.count


def test_a_stored_table_is_taken_back(table_8x7: OutcomeTable) -> None:
    again = OutcomeTable(box(8, 7), np.frombuffer(table_8x7.bits.tobytes(), np.uint64))
    assert again == table_8x7
    assert again.winning_bites((7,) * 8) == table_8x7.winning_bites((7,) * 8)
    with pytest.raises(ValueError, match=r"uint64 \(101,\)"):
        OutcomeTable(box(8, 7), table_8x7.bits[:-1])
    with pytest.raises(ValueError, match="int64"):
        OutcomeTable(box(8, 7), table_8x7.bits.view(np.int64))


def test_progress_is_reported_to_the_end() -> None:
    told: list[tuple[int, int]] = []
    table = solve_shape(box(10, 10), progress=lambda done, total: told.append((done, total)))
    count = table.shape.count
    assert [done for done, _ in told] == [*range(STEP, count, STEP), count]
    assert {total for _, total in told} == {count}


def test_boxes_over_the_limit_are_refused() -> None:
    with pytest.raises(ResourceLimitError, match="35 boards"):
        solve_shape(box(3, 4, limit=34))
    with pytest.raises(ResourceLimitError):
        solve_shape(box(40, 40))
