"""Win probabilities of three-row Chomp as a job: built, stored and checked."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.job import job_for
from position_oracle.engine.jobs.plan import BuildPlan, game_record
from position_oracle.engine.jobs.report import Sample, VerifyReport
from position_oracle.engine.jobs.run import run_build
from position_oracle.engine.jobs.verify import verify_build
from position_oracle.oracle.reproduce.random_games import chance, chomp
from position_oracle.schema.errors import BuildInterruptedError, NotationError
from position_oracle.schema.snapshot import Snapshot, begin_draft, utc_now
from position_oracle.schema.values import board_count, boards
from tests.reference.graph_chances import chomp_chances

LIMIT = 12
KIND = "random_play"
WHOLE = Sample(None)
Columns = dict[str, Any]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("random-play") / "data"
    run_build(BuildPlan.of("chomp3", LIMIT, KIND), place)
    return place


@pytest.fixture(scope="module")
def columns(place: Path) -> Columns:
    with Snapshot.open(place) as snapshot:
        names = ("a", "b", "c", "p_mover", "is_p", "p_random_wins")
        return {name: snapshot.read_column(KIND, name, "chomp3") for name in names}


def verify(place: Path, sample: Sample = WHOLE) -> VerifyReport:
    with Snapshot.open(place) as snapshot:
        return verify_build(snapshot, "chomp3", KIND, sample=sample)


def failed(report: VerifyReport) -> list[str]:
    return [check.name for check in report.checks if not check.passed]


def publish(place: Path, columns: Columns) -> None:
    """Publish a table with correct checksums, even if its values are wrong."""
    with begin_draft(place) as draft:
        writer = draft.replace(game_record(GameSpec("chomp3")), KIND, [KIND])
        writer.append(KIND, columns)
        writer.finish(limit=str(LIMIT), started_at=utc_now(), seconds=1.0, environment="{}")
        draft.publish()


def test_what_is_stored_is_what_exact_recursion_gives(columns: Columns) -> None:
    rows = boards(0, board_count(LIMIT))
    assert np.array_equal(np.stack([columns[name] for name in "abc"], axis=1), rows)
    for number in range(0, len(rows), 7):
        board = tuple(length for length in rows[number].tolist() if length)
        exact = chance(chomp(board))
        assert columns["p_mover"][number] == pytest.approx(float(exact), abs=1e-15)
        chances = chomp_chances(board)
        losing = 1 - (chances.to_move if columns["is_p"][number] else chances.waiting)
        assert columns["p_random_wins"][number] == pytest.approx(float(losing), rel=1e-13)
        other = chances.waiting if columns["is_p"][number] else chances.to_move
        assert other == 1


@pytest.mark.parametrize("sample", [Sample(200), WHOLE])
def test_what_was_built_passes(place: Path, sample: Sample) -> None:
    report = verify(place, sample)
    assert failed(report) == []
    assert all(check.count > 0 for check in report.checks)


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_the_smallest_tables_pass(tmp_path: Path, limit: int) -> None:
    run_build(BuildPlan.of("chomp3", limit, KIND), tmp_path)
    assert failed(verify(tmp_path)) == []


@pytest.mark.parametrize(
    ("name", "number", "value"),
    [
        ("p_mover", 200, 0.5),
        ("p_mover", 200, np.nan),
        ("is_p", 1, False),
        ("p_random_wins", 300, 0.125),
        ("p_random_wins", 300, np.nan),
        ("c", 100, 0),
    ],
)
def test_what_is_wrong_is_found(
    tmp_path: Path, columns: Columns, name: str, number: int, value: object
) -> None:
    wrong = {key: column.copy() for key, column in columns.items()}
    assert wrong[name][number] != value
    wrong[name][number] = value
    publish(tmp_path, wrong)
    assert failed(verify(tmp_path))


def test_a_wrong_board_is_found_in_a_sample(tmp_path: Path, columns: Columns) -> None:
    wrong = {key: column.copy() for key, column in columns.items()}
    wrong["p_mover"][wrong["c"] > 0] += 1e-9
    publish(tmp_path, wrong)
    assert any("sample" in name for name in failed(verify(tmp_path, Sample(100))))


def test_a_table_with_rows_missing_is_found(tmp_path: Path, columns: Columns) -> None:
    publish(tmp_path, {key: column[:-1] for key, column in columns.items()})
    assert failed(verify(tmp_path)) == ["the tables fit together"]


@pytest.mark.parametrize(
    ("game", "limit"),
    [
        ("chomp3{passes=1}", "10"),
        ("chomp3{declared=[1,0,2]}", "10"),
        ("chomp3", "10x10"),
        ("chomp3", "-1"),
        ("chomp3", "1001"),
        ("chomp3", "9" * 40),
    ],
)
def test_games_without_this_table_are_refused(game: str, limit: str) -> None:
    with pytest.raises(NotationError, match="chomp3"):
        BuildPlan.of(game, limit, KIND)


def test_the_usual_kind_of_the_family_stays_sheets() -> None:
    assert job_for(GameSpec("chomp3")).kind == "sheets"
    assert BuildPlan.of("chomp3", "0300", KIND).limit == "300"


def test_estimates_count_the_rows(columns: Columns) -> None:
    assert BuildPlan.of("chomp3", LIMIT, KIND).estimate().rows == len(columns["a"])
    assert BuildPlan.of("chomp3", 300, KIND).estimate().rows == 4_590_551


@pytest.mark.usefixtures("spent_budget")
def test_a_build_that_is_stopped_publishes_nothing(tmp_path: Path) -> None:
    with pytest.raises(BuildInterruptedError):
        run_build(BuildPlan.of("chomp3", 5, KIND), tmp_path)
    assert not (tmp_path / "CURRENT").exists()


def test_other_tables_of_the_game_stay(tmp_path: Path) -> None:
    run_build(BuildPlan.of("chomp3", 20), tmp_path)
    run_build(BuildPlan.of("chomp3", 5, KIND), tmp_path)
    run_build(BuildPlan.of("chomp3", 6, KIND), tmp_path)
    with Snapshot.open(tmp_path) as snapshot:
        assert [(b.kind, b.limit) for b in snapshot.builds()] == [("sheets", "20"), (KIND, "6")]
        assert len(snapshot.read_sheets("chomp3")) == 21
