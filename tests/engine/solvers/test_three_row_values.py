"""Grundy values and remoteness of three-row Chomp: golden cases, naive reference, known laws."""

import json
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.solvers import tables, three_row_values
from position_oracle.engine.solvers.ranked import Ranked
from position_oracle.engine.solvers.shape import box
from position_oracle.engine.solvers.tables import Table
from position_oracle.engine.solvers.three_row import build
from position_oracle.engine.solvers.three_row_values import estimate_bytes
from position_oracle.schema import values
from tests.reference import grundy_naive as naive
from tests.reference.grundy_naive import from_xyz, to_xyz

GOLDEN = Path(__file__).parents[2] / "golden"
LIMIT = 200

boards = st.tuples(*[st.integers(0, LIMIT)] * 3).map(
    lambda lengths: tuple(sorted(lengths, reverse=True))
)


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / name).read_text().splitlines()]


def fact(name: str) -> dict[str, Any]:
    block: dict[str, Any] = json.loads((GOLDEN / "facts.json").read_text())[name]
    return block


@pytest.fixture(scope="module")
def grundy() -> Table:
    return three_row_values.solve("grundy", LIMIT)


@pytest.fixture(scope="module")
def remoteness() -> Table:
    return three_row_values.solve("remoteness", LIMIT)


def at(table: Table, position: tuple[int, int, int]) -> int:
    """Return the board number of [x, y, z]."""
    return table.at(from_xyz(*position))


class TestPublished:
    def test_golden_grundy_values(self, grundy: Table) -> None:
        for case in cases("05_grundy_chomp3.jsonl"):
            if (value := case["grundy_1restricted"]) is not None:
                assert at(grundy, case["position"]) == value, case

    def test_golden_remoteness(self, remoteness: Table) -> None:
        for case in cases("06_remoteness_chomp3.jsonl"):
            plies = at(remoteness, case["position"])
            assert plies == case["remoteness"] == case["remoteness_eat"] - 1, case
            assert case["remoteness"] % 2 == (case["outcome"] == "N"), case

    def test_a069001_is_the_restricted_convention(self, grundy: Table) -> None:
        terms = fact("A069001")["terms"]
        assert [grundy.at((n, n, n)) for n in range(1, len(terms) + 1)] == terms

    def test_a029899_counts_the_zeros(self, grundy: Table) -> None:
        published = fact("A029899")
        counts = dict(enumerate(published["terms"]))
        counts |= {int(n): count for n, count in published["more"].items()}
        for n, count in counts.items():
            if n <= LIMIT:
                assert np.count_nonzero(grundy.values[1 : comb(n + 3, 3)] == 0) == count, n

    @pytest.mark.slow
    def test_a029899_up_to_400(self) -> None:
        count = np.count_nonzero(three_row_values.solve("grundy", 400).values[1:] == 0)
        assert count == fact("A029899")["more"]["400"]


class TestReference:
    LIMIT = 16

    def test_values(self, grundy: Table) -> None:
        for rows, value in naive.restricted_values(self.LIMIT).items():
            assert grundy.at(rows) == value, rows

    def test_remoteness(self, remoteness: Table) -> None:
        for rows, plies in naive.remoteness_values(self.LIMIT).items():
            assert plies is None or remoteness.at(rows) == plies, rows

    def test_zero_exactly_at_p_positions(self, grundy: Table, remoteness: Table) -> None:
        lost = naive.p_positions(40)
        for rows in naive.positions(40):
            if any(rows):
                assert (grundy.at(rows) == 0) == (rows in lost), rows
                assert (remoteness.at(rows) % 2 == 0) == (rows in lost), rows

    def test_zero_exactly_at_the_p_positions_of_the_loser_sheets(self, grundy: Table) -> None:
        sheets = build.solve(LIMIT + 1)
        listed = set()
        for x in range(LIMIT + 1):
            for y in range(LIMIT + 1 - x):
                z = sheets.z_at(x, y)
                if z is not None and x + y + z <= LIMIT:
                    listed.add((x, y, z))
        rows = values.boards(0, len(grundy.values))[grundy.values[:, 0] == 0]
        assert {to_xyz(one) for one in rows[1:].tolist()} == listed

    @pytest.mark.parametrize("kind", ["grundy", "remoteness"])
    @pytest.mark.parametrize("limit", [1, 2, 63, 65])
    def test_the_tables_of_general_boards(self, kind: str, limit: int) -> None:
        table = three_row_values.solve(kind, limit)
        assert table.values.dtype == np.uint16
        general = tables.solve(Ranked(box(3, limit)), kind)
        np.testing.assert_array_equal(table.values, general.values)


class TestLaws:
    def test_even_remoteness_exactly_where_the_value_is_zero(
        self, grundy: Table, remoteness: Table
    ) -> None:
        np.testing.assert_array_equal(grundy.values == 0, remoteness.values % 2 == 0)

    def test_values_are_below_the_number_of_cookies(self, grundy: Table, remoteness: Table) -> None:
        cookies = np.array([sum(rows) for rows in naive.positions(60)])[1:]
        assert (grundy.values[1 : len(cookies) + 1, 0] < cookies).all()
        assert (remoteness.values[1 : len(cookies) + 1, 0] < cookies).all()

    def test_a_single_row_is_a_heap_with_one_cookie_less(self, grundy: Table) -> None:
        assert [grundy.at((z, 0, 0)) for z in range(1, LIMIT + 1)] == list(range(LIMIT))

    @settings(deadline=None, max_examples=200)
    @given(rows=boards)
    def test_a_value_is_the_mex_of_the_values_of_the_children(
        self, grundy: Table, rows: tuple[int, int, int]
    ) -> None:
        if any(rows):
            children = [child for child in naive.children(rows) if any(child)]
            assert grundy.at(rows) == naive.mex({grundy.at(child) for child in children})

    @settings(deadline=None, max_examples=200)
    @given(rows=boards)
    def test_remoteness_is_one_more_than_that_of_the_right_child(
        self, remoteness: Table, rows: tuple[int, int, int]
    ) -> None:
        below = [remoteness.at(child) for child in naive.children(rows) if any(child)]
        lost = [plies for plies in below if plies % 2 == 0]
        if below:
            assert remoteness.at(rows) == 1 + (min(lost) if lost else max(below))


class TestWork:
    def test_the_order_is_that_of_stored_tables(self) -> None:
        shape = box(3, 20)
        for place, rows in enumerate(naive.positions(20)):
            assert shape.rank(rows) == values.rank(*rows) == place
        np.testing.assert_array_equal(
            shape.positions(0, shape.count), values.boards(0, shape.count)
        )

    @pytest.mark.parametrize("kind", ["grundy", "remoteness"])
    def test_progress_counts_positions(self, kind: str) -> None:
        told: list[tuple[int, int]] = []
        three_row_values.solve(kind, 9, progress=lambda *numbers: told.append(numbers))
        assert told[-1] == (comb(12, 3), comb(12, 3))
        assert told == sorted(told)

    @pytest.mark.parametrize("kind", ["grundy", "remoteness"])
    def test_memory_is_estimated(self, kind: str) -> None:
        assert 2 * comb(203, 3) < estimate_bytes(kind, 200) < 2**30
