"""Grundy values and remoteness of boards, compared with golden cases and the naive recursion."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.games.position import Outcome
from position_oracle.engine.solvers import ranked, tables
from position_oracle.engine.solvers.boards.outcomes import solve_shape
from position_oracle.engine.solvers.ranked import Ranked
from position_oracle.engine.solvers.shape import Bounds, box, transpose, under
from position_oracle.engine.solvers.tables import Table
from position_oracle.schema.errors import UnknownAnswerError
from tests.reference import boards_naive as naive

GOLDEN = Path(__file__).parents[2] / "golden"


def solve_grundy(shape: Bounds) -> Table:
    return tables.solve(Ranked(shape), "grundy")


def solve_remoteness(shape: Bounds) -> Table:
    return tables.solve(Ranked(shape), "remoteness")


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / name).read_text().splitlines()]


@pytest.fixture(scope="module")
def grundy() -> Table:
    return solve_grundy(box(8, 8))


@pytest.fixture(scope="module")
def remoteness() -> Table:
    return solve_remoteness(box(8, 8))


@pytest.mark.parametrize("name", ["07_boards.jsonl", "07_rectangles.jsonl"])
def test_golden_grundy_values(name: str, grundy: Table) -> None:
    for case in cases(name):
        board = case["position"]
        fits = grundy.shape.contains(tuple(board))
        table = grundy if fits else solve_grundy(box(len(board), board[0]))
        if board:
            assert table.of_board(board) == case["grundy_1restricted"], board


def test_golden_remoteness_of_three_rows() -> None:
    golden = cases("06_remoteness_chomp3.jsonl")
    table = solve_remoteness(box(3, max(sum(case["position"]) for case in golden)))
    for case in golden:
        x, y, z = case["position"]
        value = table.of_board((x + y + z, x + y, x))
        assert value == case["remoteness"] == case["remoteness_eat"] - 1, case


def test_golden_grundy_values_of_three_rows() -> None:
    golden = cases("05_grundy_chomp3.jsonl")
    table = solve_grundy(box(3, max(sum(case["position"]) for case in golden)))
    for case in golden:
        x, y, z = case["position"]
        rows = (x + y + z, x + y, x)
        if any(rows):
            assert table.of_board(rows) == case["grundy_1restricted"], case


@pytest.mark.parametrize("outer", [(5, 5, 5, 5), (3,) * 7, (7, 3, 2, 2, 1, 1), (12,), (1,) * 12])
def test_every_board_agrees_with_the_recursion(outer: tuple[int, ...]) -> None:
    shape = under(outer)
    grundy, remoteness = solve_grundy(shape), solve_remoteness(shape)
    for rank in range(1, shape.count):
        board = shape.unrank(rank)
        assert grundy.of_board(board) == naive.restricted(board), board
        assert remoteness.of_board(board) == naive.remoteness(board), board


def test_the_three_tables_agree_on_p_positions(grundy: Table, remoteness: Table) -> None:
    bits = solve_shape(box(8, 8)).bits
    is_p = np.unpackbits(bits.view(np.uint8), count=grundy.shape.count, bitorder="little")[1:]
    np.testing.assert_array_equal(grundy.values[1:, 0] == 0, is_p)
    np.testing.assert_array_equal(remoteness.values[1:, 0] % 2 == 0, is_p)


@settings(deadline=None)
@given(rank=st.integers(1, 12869))
def test_values_follow_from_the_children(grundy: Table, remoteness: Table, rank: int) -> None:
    shape = grundy.shape
    children = [shape.rank(child) for _, child in naive.bites(shape.unrank(rank)) if child]
    assert grundy.values[rank, 0] == naive.mex(set(grundy.values[children, 0].tolist()))
    plies = remoteness.values[rank, 0]
    below = remoteness.values[children, 0].tolist()
    even = [value for value in below if value % 2 == 0]
    assert plies == 1 + (min(even) if even else max(below, default=-1))


@settings(deadline=None)
@given(rank=st.integers(1, 12869))
def test_transposed_boards_have_the_same_values(
    grundy: Table, remoteness: Table, rank: int
) -> None:
    board = grundy.shape.unrank(rank)
    turned = grundy.shape.rank(transpose(board))
    assert grundy.values[turned, 0] == grundy.values[rank, 0]
    assert remoteness.values[turned, 0] == remoteness.values[rank, 0]


def test_transposed_boards_are_looked_up() -> None:
    assert solve_grundy(box(2, 6)).of_board((2, 2, 1)) == naive.restricted((3, 2))
    assert solve_remoteness(box(2, 6)).of_board((2, 2, 1)) == naive.remoteness((3, 2))
    with pytest.raises(UnknownAnswerError):
        solve_grundy(box(2, 6)).of_board((3, 3, 3))
    with pytest.raises(UnknownAnswerError):
        solve_remoteness(box(2, 6)).of_board((3, 3, 3))


def test_large_boards_need_wider_values() -> None:
    narrow, wide = solve_grundy(box(1, 255)), solve_grundy(box(1, 257))
    assert narrow.values.dtype == np.uint8
    assert wide.values.dtype == np.uint16
    assert narrow.of_board((255,)) == 254
    assert wide.of_board((257,)) == 256
    assert solve_remoteness(box(2, 200)).values.dtype == np.uint16


@pytest.mark.parametrize("kind", ["wins", "grundy", "remoteness"])
@settings(max_examples=30, deadline=None)
@given(
    rows=st.lists(st.integers(1, 7), min_size=1, max_size=6),
    passes=st.integers(0, 2),
    misere=st.booleans(),
)
def test_compiled_and_plain_values_are_the_same(
    kind: str, rows: list[int], passes: int, misere: bool
) -> None:
    game = Ranked(under(tuple(sorted(rows, reverse=True))), passes=passes, misere=misere)
    plain = tables.solve(game, kind)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranked, "MAX_PLAIN", -1)
        patch.setattr(ranked, "_STEP", 50)
        compiled = tables.solve(game, kind)
    np.testing.assert_array_equal(plain.values, compiled.values)


def test_progress_is_reported() -> None:
    told: list[tuple[int, int]] = []
    game = Ranked(box(8, 8))
    table = tables.solve(game, "grundy", progress=lambda *numbers: told.append(numbers))
    assert told[-1] == (table.shape.count, table.shape.count)
    assert solve_shape(box(1, 1)).outcome((1,)) is Outcome.P
