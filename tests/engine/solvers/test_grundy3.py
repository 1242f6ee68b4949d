"""Grundy values and remoteness of three-row Chomp: golden cases, reference, laws, look-ups."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.solvers import boards, three_row
from position_oracle.engine.solvers.grundy3 import (
    LIMIT_MAX,
    NO_VALUE,
    GrundyTable,
    RemotenessTable,
    estimate_grundy_bytes,
    estimate_remoteness_bytes,
    position_count,
    rank,
    solve_grundy,
    solve_remoteness,
)
from position_oracle.schema import values
from position_oracle.schema.errors import (
    InvalidPositionError,
    ResourceLimitError,
    UnknownAnswerError,
)
from tests.reference import grundy_naive as naive
from tests.reference.grundy_naive import from_xyz, to_xyz

GOLDEN = Path(__file__).parents[2] / "golden"
LIMIT = 200

Solver = Callable[..., GrundyTable | RemotenessTable]

positions = (
    st.tuples(*[st.integers(0, LIMIT)] * 3)
    .map(lambda lengths: sorted(lengths, reverse=True))
    .map(lambda rows: to_xyz((rows[0], rows[1], rows[2])))
)


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / name).read_text().splitlines()]


def fact(name: str) -> dict[str, Any]:
    block: dict[str, Any] = json.loads((GOLDEN / "facts.json").read_text())[name]
    return block


@pytest.fixture(scope="module")
def grundy() -> GrundyTable:
    return solve_grundy(LIMIT)


@pytest.fixture(scope="module")
def remoteness() -> RemotenessTable:
    return solve_remoteness(LIMIT)


class TestPublished:
    def test_golden_grundy_values(self, grundy: GrundyTable) -> None:
        for case in cases("05_grundy_chomp3.jsonl"):
            assert grundy.value(*case["position"]) == case["grundy_1restricted"], case
            assert grundy.value_unrestricted(*case["position"]) == case["grundy_unrestricted"], case

    def test_golden_remoteness(self, remoteness: RemotenessTable) -> None:
        for case in cases("06_remoteness_chomp3.jsonl"):
            plies = remoteness.remoteness(*case["position"])
            assert plies == case["remoteness"] == case["remoteness_eat"] - 1, case
            assert case["remoteness"] % 2 == (case["outcome"] == "N"), case

    def test_a069001_is_the_restricted_convention(self, grundy: GrundyTable) -> None:
        terms = fact("A069001")["terms"]
        columns = range(1, len(terms) + 1)
        assert [grundy.value(n, 0, 0) for n in columns] == terms
        assert [grundy.value_unrestricted(n, 0, 0) for n in columns] != terms

    def test_a029899_counts_the_zeros(self, grundy: GrundyTable) -> None:
        published = fact("A029899")
        counts = dict(enumerate(published["terms"]))
        counts |= {int(n): count for n, count in published["more"].items()}
        for n, count in counts.items():
            if n <= LIMIT:
                assert np.count_nonzero(grundy.values[: position_count(n)] == 0) == count, n

    @pytest.mark.slow
    def test_a029899_up_to_400(self) -> None:
        count = np.count_nonzero(solve_grundy(400).values == 0)
        assert count == fact("A029899")["more"]["400"]


class TestReference:
    LIMIT = 16

    def test_values_of_both_conventions(self, grundy: GrundyTable) -> None:
        restricted = naive.restricted_values(self.LIMIT)
        for rows, value in naive.unrestricted_values(self.LIMIT).items():
            position = to_xyz(rows)
            assert grundy.value_unrestricted(*position) == value, position
            assert grundy.value(*position) == restricted.get(rows), position

    def test_remoteness(self, remoteness: RemotenessTable) -> None:
        for rows, plies in naive.remoteness_values(self.LIMIT).items():
            assert remoteness.remoteness(*to_xyz(rows)) == plies, rows

    def test_zero_exactly_at_p_positions(
        self, grundy: GrundyTable, remoteness: RemotenessTable
    ) -> None:
        lost = naive.p_positions(40)
        for rows in naive.positions(40):
            place = rank(*to_xyz(rows), LIMIT)
            assert (grundy.values[place] == 0) == (rows in lost), rows
            assert (remoteness.values[place] % 2 == 0) == (rows in lost), rows

    def test_zero_exactly_at_the_p_positions_of_the_loser_sheets(self, grundy: GrundyTable) -> None:
        sheets = three_row.solve(LIMIT + 1)
        listed = set()
        for x in range(LIMIT + 1):
            for y in range(LIMIT + 1 - x):
                z = sheets.z_at(x, y)
                if z is not None and x + y + z <= LIMIT:
                    listed.add((x, y, z))
        rows = values.boards(0, len(grundy.values))[grundy.values == 0]
        zeros = {to_xyz(one) for one in rows.tolist()}
        assert zeros == listed

    def test_the_tables_of_general_boards(
        self, grundy: GrundyTable, remoteness: RemotenessTable
    ) -> None:
        box = boards.box(3, 25)
        nimbers, plies = boards.solve_grundy(box), boards.solve_remoteness(box)
        for rows in naive.positions(25):
            board = [length for length in rows if length]
            position = to_xyz(rows)
            assert grundy.value(*position) == nimbers.restricted(board), rows
            assert remoteness.remoteness(*position) == plies.remoteness(board), rows


class TestLaws:
    def test_even_remoteness_exactly_where_the_value_is_zero(
        self, grundy: GrundyTable, remoteness: RemotenessTable
    ) -> None:
        np.testing.assert_array_equal(grundy.values == 0, remoteness.values % 2 == 0)

    def test_values_are_below_the_number_of_cookies(
        self, grundy: GrundyTable, remoteness: RemotenessTable
    ) -> None:
        cookies = np.array([sum(rows) for rows in naive.positions(60)])[1:]
        assert (grundy.values[1 : len(cookies) + 1] < cookies).all()
        assert (remoteness.values[1 : len(cookies) + 1] < cookies).all()

    def test_a_single_row_is_a_heap_with_one_cookie_less(self, grundy: GrundyTable) -> None:
        assert [grundy.value(0, 0, z) for z in range(1, LIMIT + 1)] == list(range(LIMIT))

    @settings(deadline=None, max_examples=200)
    @given(position=positions)
    def test_a_value_is_the_mex_of_the_values_of_the_children(
        self, grundy: GrundyTable, position: tuple[int, int, int]
    ) -> None:
        children = [to_xyz(rows) for rows in naive.children(from_xyz(*position))]
        batch = np.array(children, np.int64).reshape(-1, 3)
        values = set((grundy.values_at(batch) + np.uint16(1)).tolist())
        assert grundy.value_unrestricted(*position) == naive.mex(values)

    @settings(deadline=None, max_examples=200)
    @given(position=positions)
    def test_remoteness_is_one_more_than_that_of_the_right_child(
        self, remoteness: RemotenessTable, position: tuple[int, int, int]
    ) -> None:
        children = [rows for rows in naive.children(from_xyz(*position)) if any(rows)]
        if not children:
            return
        below = remoteness.values_at(np.array([to_xyz(rows) for rows in children]))
        lost = below[below % 2 == 0]
        expected = 1 + int(lost.min() if lost.size else below.max())
        assert remoteness.remoteness(*position) == expected


class TestLayout:
    def test_ranks_number_the_positions(self) -> None:
        for place, rows in enumerate(naive.positions(20)):
            assert rank(*to_xyz(rows), 20) == place

    @given(place=st.integers(0, 10**15))
    def test_places_are_the_numbers_of_boards(self, place: int) -> None:
        position = to_xyz(values.unrank(place))
        assert min(position) >= 0
        assert rank(*position, sum(position)) == place

    @pytest.mark.parametrize("limit", [0, 1, 2, 63, 64, 65])
    def test_every_size_of_table(self, limit: int, grundy: GrundyTable) -> None:
        count = position_count(limit)
        assert count == sum(1 for _ in naive.positions(limit))
        values, plies = solve_grundy(limit).values, solve_remoteness(limit).values
        assert values.dtype == plies.dtype == np.uint16
        assert len(values) == len(plies) == count
        np.testing.assert_array_equal(values, grundy.values[:count])

    def test_batches_agree_with_single_look_ups(
        self, grundy: GrundyTable, remoteness: RemotenessTable
    ) -> None:
        positions = np.array([to_xyz(rows) for rows in naive.positions(12)], dtype=np.uint8)
        for position, value, plies in zip(
            positions.tolist(),
            grundy.values_at(positions).tolist(),
            remoteness.values_at(positions).tolist(),
            strict=True,
        ):
            if position == [0, 0, 0]:
                assert value == plies == NO_VALUE
            else:
                assert value == grundy.value(*position)
                assert plies == remoteness.remoteness(*position)

    def test_small_integers_of_numpy_do_not_overflow(self, grundy: GrundyTable) -> None:
        x, y, z = np.array([50, 60, 90], np.uint8)
        assert grundy.value(x, y, z) == grundy.value(50, 60, 90)

    def test_the_empty_board_has_neither(
        self, grundy: GrundyTable, remoteness: RemotenessTable
    ) -> None:
        assert grundy.value(0, 0, 0) is None
        assert grundy.value_unrestricted(0, 0, 0) == 0
        assert remoteness.remoteness(0, 0, 0) is None

    def test_tables_are_read_only(self, grundy: GrundyTable, remoteness: RemotenessTable) -> None:
        for table in (grundy, remoteness):
            with pytest.raises(ValueError, match="read-only"):
                table.values[1] = 5

    def test_a_table_of_another_size_is_refused(self) -> None:
        with pytest.raises(ValueError, match=r"uint16 \(10,\)"):
            GrundyTable(2, np.zeros(9, np.uint16))
        with pytest.raises(ValueError, match="int64"):
            RemotenessTable(2, np.zeros(10, np.int64))


class TestRefusals:
    @pytest.mark.parametrize("position", [(-1, 0, 5), (0, -1, 5), (3, 3, -1)])
    def test_negative_coordinates(
        self, grundy: GrundyTable, position: tuple[int, int, int]
    ) -> None:
        with pytest.raises(InvalidPositionError, match="negative"):
            grundy.value(*position)
        with pytest.raises(InvalidPositionError, match="negative"):
            grundy.values_at(np.array([[0, 0, 1], position]))

    @pytest.mark.parametrize(
        "position", [(0, 0, LIMIT + 1), (LIMIT, 0, 1), (2**62, 2**62, 2**62), (0, 0, 2**63 - 1)]
    )
    def test_positions_beyond_the_table(
        self, remoteness: RemotenessTable, position: tuple[int, int, int]
    ) -> None:
        with pytest.raises(UnknownAnswerError, match=f"ends at {LIMIT}"):
            remoteness.remoteness(*position)
        with pytest.raises(UnknownAnswerError, match=f"ends at {LIMIT}"):
            remoteness.values_at(np.array([[0, 0, 1], position]))

    @pytest.mark.parametrize(
        "positions", [np.zeros((4, 2), np.int64), np.zeros(3, np.int64), np.zeros((4, 3))]
    )
    def test_arrays_that_are_no_positions(
        self, grundy: GrundyTable, positions: np.ndarray[Any, Any]
    ) -> None:
        with pytest.raises(InvalidPositionError, match="shape"):
            grundy.values_at(positions)

    @pytest.mark.parametrize("limit", [-1, LIMIT_MAX + 1])
    def test_limits(self, limit: int) -> None:
        with pytest.raises(InvalidPositionError, match=str(limit)):
            solve_grundy(limit)
        with pytest.raises(InvalidPositionError, match=str(limit)):
            solve_remoteness(limit)
        with pytest.raises(InvalidPositionError, match=str(limit)):
            position_count(limit)


@pytest.mark.parametrize("solve", [solve_grundy, solve_remoteness])
class TestWork:
    def test_progress_counts_positions(self, solve: Solver) -> None:
        told: list[tuple[int, int]] = []
        solve(9, progress=lambda done, total: told.append((done, total)))
        assert told[-1] == (position_count(9), position_count(9))
        assert told == sorted(told)

    def test_memory_is_limited_before_the_work(self, solve: Solver) -> None:
        with pytest.raises(ResourceLimitError, match="take"):
            solve(LIMIT_MAX)


@pytest.mark.parametrize(
    ("solve", "estimate"),
    [(solve_grundy, estimate_grundy_bytes), (solve_remoteness, estimate_remoteness_bytes)],
)
def test_the_limit_on_memory_is_the_estimate(solve: Solver, estimate: Callable[[int], int]) -> None:
    assert 2 * position_count(200) < estimate(200) < 2**30
    assert solve(30, max_bytes=estimate(30)).limit == 30
    with pytest.raises(ResourceLimitError, match="take"):
        solve(30, max_bytes=estimate(30) - 1)
