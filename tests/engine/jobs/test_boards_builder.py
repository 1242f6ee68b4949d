"""Outcomes of Chomp boards: built, stored and checked; published facts, from the tables."""

import json
import shutil
from collections.abc import Iterator
from math import comb
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.chomp.outcomes import outer_boards, reaching, stuck
from position_oracle.engine.jobs.job import job_for
from position_oracle.engine.jobs.plan import BuildPlan
from position_oracle.engine.jobs.progress import Progress
from position_oracle.engine.jobs.report import Sample
from position_oracle.engine.jobs.run import run_build
from position_oracle.engine.jobs.verify import verify_build
from position_oracle.engine.solvers.boards.census import take_census
from position_oracle.engine.solvers.boards.outcomes import OutcomeTable, solve_shape
from position_oracle.engine.solvers.boards.outer import Outer
from position_oracle.engine.solvers.shape import box
from position_oracle.schema.boards import read_board_counts, read_boards, read_p_boards
from position_oracle.schema.errors import (
    BuildError,
    BuildInterruptedError,
    NotationError,
    ResourceLimitError,
)
from position_oracle.schema.snapshot import Snapshot, current_file
from tests.reference import boards_naive as naive

GAME = GameSpec("chomp")
LIMIT = "10x13+4x60+25"
FACTS: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "golden" / "facts.json").read_text()
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("boards") / "data"
    run_build(BuildPlan.of("chomp", LIMIT), place)
    return place


@pytest.fixture(scope="module")
def snapshot(place: Path) -> Iterator[Snapshot]:
    with Snapshot.open(place) as snapshot:
        yield snapshot


@pytest.fixture(scope="module")
def small_place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("few-boards") / "data"
    run_build(BuildPlan.of("chomp", "5x5+7"), place)
    return place


def query(place: Path, sql: str) -> list[tuple[Any, ...]]:
    """Return the rows of an SQL query on the published file, as analysts ask it."""
    with duckdb.connect(current_file(place), read_only=True) as connection:
        return connection.execute(sql).fetchall()


# What is stored


def test_every_outcome_comes_back(snapshot: Snapshot) -> None:
    stored = read_boards(snapshot, "chomp")
    assert [each.outer.name for each in stored] == LIMIT.split("+")
    table = OutcomeTable.of_p_ranks(Outer.parse("10x13").shape, stored[0].p_ranks)
    assert np.array_equal(table.bits, solve_shape(box(10, 13)).bits)


def test_row_lengths_are_those_of_the_ranks(snapshot: Snapshot) -> None:
    shapes = [outer.shape for outer in outer_boards(LIMIT)]
    for number, (outer_id, rank, lengths) in enumerate(read_p_boards(snapshot, "chomp")):
        if number % 50 == 0:
            assert shapes[outer_id].rank(lengths) == rank
            assert shapes[outer_id].unrank(rank) == lengths


def test_counts_are_those_of_plain_recursion() -> None:
    census = take_census(solve_shape(box(4, 4)))
    expected: dict[tuple[int, int, int], list[int]] = {}
    for board in naive.boards_inside(4, 4):
        key = (len(board), board[0] if board else 0, sum(board))
        wins = len(naive.winning_bites(board))
        row = expected.setdefault(key, [0, 0, 0, 0])
        found = (1, naive.is_p(board), wins == 1, wins > 1)
        expected[key] = [a + b for a, b in zip(row, found, strict=True)]
    columns = [column.tolist() for column in census.values()]
    assert {tuple(row[:3]): row[3:] for row in map(list, zip(*columns, strict=True))} == expected


def test_stored_counts_are_those_of_the_census(snapshot: Snapshot) -> None:
    census = take_census(solve_shape(box(4, 60)))
    counts = read_board_counts(snapshot, "chomp", 1)
    assert all(np.array_equal(counts[name], column) for name, column in census.items())


# Published facts, in SQL


def test_counts_by_cookies_are_a112470_to_a112473(place: Path) -> None:
    rows = query(
        place,
        "SELECT p_positions, n_positions, one_winning_bite, more_winning_bites"
        " FROM board_counts WHERE game = 'chomp' ORDER BY n",
    )
    p, n, one, more = (list(column) for column in zip(*rows, strict=True))
    for name, found in (("A112470", p), ("A112471", n), ("A112472", one), ("A112473", more)):
        terms = FACTS[name]["terms"]
        first = 0 if name in {"A112470", "A112471"} else 1
        assert found[first : first + len(terms)] == terms
    assert len(p) == 26


def test_counts_by_cookies_are_of_all_boards(place: Path) -> None:
    boards = query(place, "SELECT boards FROM board_counts ORDER BY n")
    expected = [sum(1 for _ in naive.partitions(n)) for n in range(26)]
    assert [row[0] for row in boards] == expected


def test_counts_of_four_rows(place: Path) -> None:
    rows = query(place, "SELECT cumulative FROM board_widths WHERE outer_board = '4x60' ORDER BY n")
    facts = FACTS["four_rows_cumulative"]
    counts = [row[0] for row in rows]
    assert counts[:10] == facts["1..10"]
    assert (counts[49], counts[59]) == (facts["50"], facts["60"])


def published_openings() -> dict[tuple[int, int], list[tuple[int, int]]]:
    return {
        tuple(map(int, name.split("x"))): [(row + 1, column + 1) for row, column in bites]  # type: ignore[misc]
        for name, bites in FACTS["two_winning_openings"].items()
        if name[0].isdigit()
    }


def openings(place: Path) -> dict[tuple[int, int], list[tuple[int, int]]]:
    found: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for rows, columns, *bite in query(
        place,
        "SELECT rows, columns, bite_row, bite_column FROM board_openings"
        " WHERE rows <= columns AND columns <= 14 ORDER BY ALL",
    ):
        found.setdefault((rows, columns), []).append((bite[0], bite[1]))
    return found


def test_rectangles_with_two_winning_openings(place: Path) -> None:
    found = openings(place)
    assert {(m, n) for m in range(2, 11) for n in range(m, 14)} <= found.keys()
    several = {rectangle: bites for rectangle, bites in found.items() if len(bites) > 1}
    published = published_openings()
    assert several == {r: published[r] for r in ((6, 13), (8, 10), (9, 10))}


@pytest.mark.slow
def test_all_rectangles_with_two_winning_openings(tmp_path: Path) -> None:
    run_build(BuildPlan.of("chomp", "14x14+4x100"), tmp_path)
    found = openings(tmp_path)
    assert {(m, n) for m in range(2, 15) for n in range(m, 15)} == found.keys()
    assert {r: bites for r, bites in found.items() if len(bites) > 1} == published_openings()
    (row,) = query(
        tmp_path, "SELECT cumulative FROM board_widths WHERE outer_board = '4x100' AND n = 100"
    )
    assert row == (FACTS["four_rows_cumulative"]["100"],)
    with Snapshot.open(tmp_path) as snapshot:
        assert verify_build(snapshot, "chomp").passed


# Checks


def test_verification_passes(snapshot: Snapshot) -> None:
    report = verify_build(snapshot, "chomp", sample=Sample(300))
    assert report.passed, [check for check in report.checks if not check.passed]
    names = " ".join(check.name for check in report.checks)
    for part in ("counts", "rank", "reaches another", "reaches a P-position"):
        assert part in names


def test_everything_can_be_verified(small_place: Path) -> None:
    with Snapshot.open(small_place) as snapshot:
        report = verify_build(snapshot, "chomp", sample=Sample(None))
    assert report.passed, [check for check in report.checks if not check.passed]
    assert any("again" in check.name for check in report.checks)
    counts = {check.name: check.count for check in report.checks}
    boards = comb(10, 5) - 1  # all but the empty one
    assert counts["every N-position inside 5x5 reaches a P-position: all of them"] == boards


CHANGE_ROWS = (
    "CREATE OR REPLACE TABLE board_p_position AS SELECT game_id, outer_id, rank,"
    " CASE WHEN row_lengths = [4, 1, 1, 1] THEN [4, 1, 1] ELSE row_lengths END AS row_lengths"
    " FROM board_p_position ORDER BY outer_id, rank"
)


@pytest.mark.parametrize(
    ("falsify", "caught"),
    [
        ("DELETE FROM board_p_position WHERE row_lengths = [4, 1, 1, 1]", "do not fit"),
        ("UPDATE board_p_position SET rank = rank + 1 WHERE row_lengths = [4, 1, 1, 1]", "rank"),
        (CHANGE_ROWS, "has not rank"),
        (
            "UPDATE board_count SET p_positions = p_positions + 1 WHERE cookies = 5",
            "p_positions, not",
        ),
        ("UPDATE board_count SET more_winning_bites = 0 WHERE cookies = 20", "can be won"),
        ("UPDATE outer_board SET name = '4x6' WHERE outer_id = 0", "bounding board"),
        ("UPDATE outer_board SET boards = boards + 1", "bounding board"),
    ],
)
def test_falsified_tables_are_found(
    small_place: Path, tmp_path: Path, falsify: str, caught: str
) -> None:
    place = tmp_path / "falsified"
    shutil.copytree(small_place, place)
    with duckdb.connect(current_file(place)) as connection:
        connection.execute(falsify)
    with Snapshot.open(place) as snapshot:
        report = verify_build(snapshot, "chomp", sample=Sample(None))
    failed = [check for check in report.checks if not check.passed]
    assert failed[0].name.startswith("rows and checksums")
    assert any(caught in f"{check.name} {check.detail}" for check in failed[1:]), failed


def test_outcomes_that_break_the_rules_are_found() -> None:
    """The checks of the rules find wrong outcomes without checksums."""
    right = solve_shape(box(4, 5))
    ranks = right.p_ranks()
    forgotten = OutcomeTable.of_p_ranks(right.shape, np.delete(ranks, 7))
    invented = OutcomeTable.of_p_ranks(right.shape, np.sort(np.append(ranks, ranks[7] + 1)))
    every = range(1, right.shape.count)
    assert not list(stuck(right, every))
    assert not list(reaching(right, ranks.tolist()))
    assert list(stuck(forgotten, every))
    assert list(reaching(invented, invented.p_ranks().tolist()))


# Limits and jobs


@pytest.mark.parametrize(
    ("limit", "canonical"),
    [
        ("13x13", "13x13"),
        ("100x4", "4x100"),
        (" 25 ", "25"),
        ("5x6+6x5+25", "5x6+25"),
    ],
)
def test_limits_have_one_form(limit: str, canonical: str) -> None:
    assert BuildPlan.of("chomp", limit).limit == canonical


@pytest.mark.parametrize("limit", ["", "x", "0", "0x3", "3x", "3x3x3", "-3x3", "3X3", "1.5", "3+"])
def test_invalid_limits_are_refused(limit: str) -> None:
    with pytest.raises(NotationError):
        BuildPlan.of("chomp", limit)


@pytest.mark.parametrize("limit", ["18x19", "999999x999999", "50", "10000", "2x2+20x20"])
def test_what_is_too_large_is_refused(limit: str) -> None:
    with pytest.raises(ResourceLimitError):
        BuildPlan.of("chomp", limit)


def test_bounding_boards_contain_the_boards_they_name() -> None:
    for cookies in range(1, 12):
        outer = Outer.parse(str(cookies))
        inside = [b for b in naive.partitions(cookies + 1) if not outer.shape.contains(b)]
        assert all(outer.shape.contains(board) for board in naive.partitions(cookies))
        assert inside
        assert outer.complete_cookies == cookies
    assert Outer.parse("4x9").complete_cookies == 4
    assert Outer.parse("7x5") == Outer.box(5, 7)
    assert Outer.box(5, 7).holds(Outer.box(5, 6))
    assert not Outer.box(5, 7).holds(Outer.box(6, 6))


def test_the_estimate_grows_and_is_not_too_small(snapshot: Snapshot) -> None:
    job = job_for(GAME)
    estimates = [job.estimate(GAME, limit) for limit in ("12x12", "13x13", "14x14")]
    assert sorted(estimates, key=lambda e: e.seconds) == estimates
    stored = read_boards(snapshot, "chomp")
    for each in stored:
        rows = job.estimate(GAME, each.outer.name).rows
        assert each.outer.p_positions <= rows <= 4 * each.outer.p_positions


def test_boards_side_by_side_take_the_memory_of_the_largest() -> None:
    estimate = job_for(GAME).estimate
    together, largest = estimate(GAME, "13x13+40x2"), estimate(GAME, "13x13")
    assert together.memory_bytes == largest.memory_bytes
    assert together.rows == largest.rows + estimate(GAME, "40x2").rows


def test_progress_reaches_the_end(tmp_path: Path) -> None:
    seen: list[Progress] = []
    run_build(BuildPlan.of("chomp", "9x9+6x6"), tmp_path, progress=seen.append)
    work = [state for state in seen if state.phase in {"solve", "count"}]
    assert {state.phase for state in work} == {"solve", "count"}
    assert [state.done for state in work] == sorted(state.done for state in work)
    assert work[-1].done == work[-1].total


@pytest.mark.usefixtures("spent_budget")
def test_a_build_that_is_stopped_publishes_nothing(tmp_path: Path) -> None:
    with pytest.raises(BuildInterruptedError):
        run_build(BuildPlan.of("chomp", "12x12"), tmp_path)
    assert not (tmp_path / "CURRENT").exists()


def test_a_new_build_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    run_build(BuildPlan.of("chomp", "5x5+6"), tmp_path)
    with pytest.raises(BuildError, match=r"up to 4x6 would replace a table up to 5x5\+6"):
        run_build(BuildPlan.of("chomp", "4x6"), tmp_path)
    run_build(BuildPlan.of("chomp", "4x6"), tmp_path, replace=True)
    with Snapshot.open(tmp_path) as snapshot:
        assert [build.limit for build in snapshot.builds()] == ["4x6"]
        assert [each.outer.name for each in read_boards(snapshot, "chomp")] == ["4x6"]
