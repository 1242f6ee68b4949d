"""Grundy values and remoteness of boards, against the golden cases and the naive recursion."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.games.position import Outcome
from position_oracle.engine.solvers.boards import (
    GrundyTable,
    RemotenessTable,
    box,
    solve_box,
    solve_grundy,
    solve_remoteness,
    transpose,
    under,
)
from position_oracle.schema.errors import ResourceLimitError, UnknownAnswerError
from tests.reference import boards_naive as naive

GOLDEN = Path(__file__).parents[2] / "golden"


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / name).read_text().splitlines()]


@pytest.fixture(scope="module")
def grundy() -> GrundyTable:
    return solve_grundy(box(8, 8))


@pytest.fixture(scope="module")
def remoteness() -> RemotenessTable:
    return solve_remoteness(box(8, 8))


@pytest.mark.parametrize("name", ["07_boards.jsonl", "07_rectangles.jsonl"])
def test_golden_grundy_values(name: str, grundy: GrundyTable) -> None:
    for case in cases(name):
        board = case["position"]
        fits = grundy.shape.contains(tuple(board))
        table = grundy if fits else solve_grundy(box(len(board), board[0]))
        assert table.restricted(board) == case["grundy_1restricted"], board
        assert table.unrestricted(board) == case["grundy_unrestricted"], board


def test_golden_remoteness_of_three_rows() -> None:
    golden = cases("06_remoteness_chomp3.jsonl")
    table = solve_remoteness(box(3, max(sum(case["position"]) for case in golden)))
    for case in golden:
        x, y, z = case["position"]
        value = table.remoteness([x + y + z, x + y, x])
        assert value == case["remoteness"] == case["remoteness_eat"] - 1, case


def test_golden_grundy_values_of_three_rows() -> None:
    golden = cases("05_grundy_chomp3.jsonl")
    table = solve_grundy(box(3, max(sum(case["position"]) for case in golden)))
    for case in golden:
        x, y, z = case["position"]
        rows = [x + y + z, x + y, x]
        assert table.restricted(rows) == case["grundy_1restricted"], case
        assert table.unrestricted(rows) == case["grundy_unrestricted"], case


@pytest.mark.parametrize("outer", [(5, 5, 5, 5), (3,) * 7, (7, 3, 2, 2, 1, 1), (12,), (1,) * 12])
def test_every_board_agrees_with_the_recursion(outer: tuple[int, ...]) -> None:
    shape = under(outer)
    grundy, remoteness = solve_grundy(shape), solve_remoteness(shape)
    for rank in range(1, shape.count):
        board = shape.unrank(rank)
        assert grundy.restricted(board) == naive.restricted(board), board
        assert grundy.unrestricted(board) == naive.unrestricted(board), board
        assert remoteness.remoteness(board) == naive.remoteness(board), board


def test_the_three_tables_agree_on_p_positions(
    grundy: GrundyTable, remoteness: RemotenessTable
) -> None:
    bits = solve_box(8, 8).bits
    is_p = np.unpackbits(bits.view(np.uint8), count=grundy.shape.count, bitorder="little")[1:]
    np.testing.assert_array_equal(grundy.values[1:] == 0, is_p)
    np.testing.assert_array_equal(remoteness.values[1:] % 2 == 0, is_p)


@settings(deadline=None)
@given(rank=st.integers(1, 12869))
def test_values_follow_from_the_children(
    grundy: GrundyTable, remoteness: RemotenessTable, rank: int
) -> None:
    shape = grundy.shape
    children = [shape.rank(child) for _, child in naive.bites(shape.unrank(rank)) if child]
    assert grundy.values[rank] == naive.mex(set(grundy.values[children].tolist()))
    plies = remoteness.values[rank]
    below = remoteness.values[children].tolist()
    even = [value for value in below if value % 2 == 0]
    assert plies == 1 + (min(even) if even else max(below, default=-1))


@settings(deadline=None)
@given(rank=st.integers(1, 12869))
def test_transposed_boards_have_the_same_values(
    grundy: GrundyTable, remoteness: RemotenessTable, rank: int
) -> None:
    board = grundy.shape.unrank(rank)
    turned = grundy.shape.rank(transpose(board))
    assert grundy.values[turned] == grundy.values[rank]
    assert remoteness.values[turned] == remoteness.values[rank]


def test_transposed_boards_are_looked_up() -> None:
    assert solve_grundy(box(2, 6)).restricted([2, 2, 1]) == naive.restricted((3, 2))
    assert solve_remoteness(box(2, 6)).remoteness([2, 2, 1]) == naive.remoteness((3, 2))
    with pytest.raises(UnknownAnswerError):
        solve_grundy(box(2, 6)).restricted([3, 3, 3])
    with pytest.raises(UnknownAnswerError):
        solve_remoteness(box(2, 6)).remoteness([3, 3, 3])


def test_the_empty_board(grundy: GrundyTable, remoteness: RemotenessTable) -> None:
    assert grundy.unrestricted([]) == 0
    assert grundy.restricted([]) is None
    assert remoteness.remoteness([]) is None


def test_large_boards_need_wider_values() -> None:
    narrow, wide = solve_grundy(box(1, 256)), solve_grundy(box(1, 257))
    assert narrow.values.dtype == np.uint8
    assert wide.values.dtype == np.uint16
    assert narrow.restricted([256]) == 255
    assert wide.restricted([257]) == 256
    assert solve_remoteness(box(2, 200)).values.dtype == np.uint16


def test_stored_values_are_taken_back(grundy: GrundyTable) -> None:
    assert GrundyTable(box(8, 8), grundy.values.copy()) == grundy
    with pytest.raises(ValueError, match=r"uint8 \(12870,\)"):
        GrundyTable(box(8, 8), grundy.values[1:])
    with pytest.raises(ValueError, match="uint8"):
        RemotenessTable(box(8, 8), grundy.values.astype(np.uint16))


def test_too_much_work_is_refused_with_the_estimate() -> None:
    with pytest.raises(ResourceLimitError, match="35 boards of up to 12 cookies, 420 look-ups"):
        solve_grundy(box(3, 4), max_work=419)
    with pytest.raises(ResourceLimitError):
        solve_remoteness(box(14, 14))
    with pytest.raises(ResourceLimitError, match="65537 cookies; the limit is 65536"):
        solve_grundy(box(1, 65537), max_work=2**60)


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    table = solve_grundy(box(8, 8), progress=lambda *numbers: told.append(numbers))
    assert told[-1] == (table.shape.count, table.shape.count)
    assert solve_box(1, 1).outcome([1]) is Outcome.P
