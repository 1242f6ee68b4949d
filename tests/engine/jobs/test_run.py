"""Plans and builds: results are published; a build that fails or stops changes nothing."""

import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from position_oracle.engine.budget import Budget
from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.jobs.job import job_for
from position_oracle.engine.jobs.plan import BuildPlan, game_record
from position_oracle.engine.jobs.progress import Progress
from position_oracle.engine.jobs.run import run_build
from position_oracle.engine.solvers.three_row import build
from position_oracle.schema.errors import (
    BuildError,
    BuildInterruptedError,
    NotationError,
    ResourceLimitError,
    UnknownGameError,
)
from position_oracle.schema.snapshot import Snapshot, Store, begin_draft


def test_a_build_stores_what_the_solver_finds(store: Path) -> None:
    fewer = build.solve(301)
    for game, sheets in (
        ("chomp3", fewer),
        ("chomp3{passes=1}", build.solve(301, exclusions=fewer)),
    ):
        with Snapshot.open(store) as snapshot:
            stored = snapshot.read_sheets(game)
        assert np.array_equal(stored.prefix_offset, sheets.prefix_offset)
        assert np.array_equal(stored.prefix_z, sheets.prefix_z)
        assert np.array_equal(stored.tail_period, sheets.tail_period)
        assert np.array_equal(stored.tail_z, sheets.tail_z)


def test_a_build_says_where_it_comes_from(store: Path) -> None:
    with Snapshot.open(store) as snapshot:
        plain, one_pass, *_ = snapshot.builds()
        assert plain.rows == snapshot.row_count("p_position", "chomp3")
        assert snapshot.game("chomp3") == game_record(parse_game("chomp3"))
    assert (plain.game, plain.kind, plain.limit) == ("chomp3", "sheets", "300")
    assert (one_pass.build_id, one_pass.game) == (2, "chomp3{passes=1}")
    assert set(json.loads(plain.environment)) == {"python", "numpy", "numba", "duckdb", "platform"}
    assert plain.program.startswith("position-oracle")
    assert plain.seconds > 0
    assert plain.checksum != one_pass.checksum


def test_checksums_are_those_of_the_tables_of_a_kind(store: Path) -> None:
    with Snapshot.open(store) as snapshot:
        for build in snapshot.builds():
            stored = {each.table_name for each in snapshot.checksums(build.game, build.kind)}
            assert stored == set(job_for(parse_game(build.game), build.kind).tables)


def test_a_build_may_be_repeated(store: Path, tmp_path: Path) -> None:
    first = run_build(BuildPlan.of("chomp3", 40), tmp_path)
    with Snapshot.open(tmp_path) as snapshot:
        published = snapshot.path
    again = run_build(BuildPlan.of("chomp3", 40), tmp_path)
    assert again.checksum == first.checksum
    assert Store(tmp_path).require_current() != published


@pytest.mark.parametrize(
    ("game", "limit"),
    [
        ("chomp3{declared=[0,0,3]+[2,3,1]}", "60"),
        ("chomp3{declared=[1,1,0]}", "60"),
        ("chomp3{passes=1,declared=[0,0,3]}", "60"),
        ("chomp3{noise=geometric(0.5),seed=7}", "40x30"),
    ],
)
def test_variants_are_built(tmp_path: Path, game: str, limit: str) -> None:
    record = run_build(BuildPlan.of(game, limit), tmp_path)
    assert (record.game, record.limit) == (game, limit)
    with Snapshot.open(tmp_path) as snapshot:
        assert snapshot.game(game) == game_record(parse_game(game))
        sheets = snapshot.read_sheets(game)
    assert len(sheets) == int(limit.split("x", maxsplit=1)[0]) + 1
    if "noise" in game:
        cut = sheets.tail_period == -1
        assert cut.any()
        assert set(sheets.prefix_length[cut].tolist()) == {31}


def test_progress_is_reported(tmp_path: Path) -> None:
    seen: list[Progress] = []
    record = run_build(BuildPlan.of("chomp3{passes=1}", 400), tmp_path, progress=seen.append)
    solving = [each for each in seen if each.phase == "solve"]
    assert all(0 <= each.done <= each.total == 802 for each in solving)
    assert [each.done for each in solving] == sorted(each.done for each in solving)
    assert seen[-1] == Progress("check", record.rows, record.rows, record.rows, 0.0)


@pytest.mark.parametrize(
    "limit", ["", "-1", "x", "10x20", "1e4", "3.5", "9" * 30, "٣", "2147483648"]
)
def test_limits_that_make_no_sense_are_refused(limit: str) -> None:
    with pytest.raises(NotationError):
        BuildPlan.of("chomp3", limit)


def test_a_limit_in_y_belongs_to_noise() -> None:
    noisy = "chomp3{noise=normal(8),seed=7}"
    assert BuildPlan.of(noisy, "50x70").limit == "50x70"
    assert BuildPlan.of(noisy, 50).limit == "50x50"
    assert BuildPlan.of("chomp3", "0050").limit == "50"
    with pytest.raises(NotationError, match="both noise and passes"):
        BuildPlan.of("chomp3{passes=1,noise=normal(8),seed=7}", 50)


def test_games_without_tables_are_unknown() -> None:
    with pytest.raises(UnknownGameError, match="there are no tables of this game"):
        BuildPlan.of("divisors", 10)
    with pytest.raises(UnknownGameError, match="kind colours; there are: sheets"):
        BuildPlan.of("chomp3", 10, kind="colours")


def test_a_build_that_does_not_fit_is_refused_before_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORACLE_MEMORY_LIMIT", "100M")
    plan = BuildPlan.of("chomp3", 999_999)
    with pytest.raises(ResourceLimitError, match=r"chomp3 sheets up to 999999 .* needs 207,"):
        run_build(plan, tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_the_estimate_of_rows_is_close(store: Path) -> None:
    with Snapshot.open(store) as snapshot:
        for record in snapshot.builds():
            estimate = BuildPlan.of(record.game, record.limit, record.kind).estimate()
            assert estimate.rows == pytest.approx(record.rows, rel=0.05)
    assert BuildPlan.of("chomp3", 10_000).estimate().rows == pytest.approx(20_728_253, rel=0.001)


def test_two_builds_at_once_do_not_collide(store: Path) -> None:
    with (
        begin_draft(store, purpose="another build"),
        pytest.raises(BuildError, match="is being written by another build"),
    ):
        run_build(BuildPlan.of("chomp3", 300), store)


def unchanged(place: Path, before: set[str]) -> bool:
    return {path.name for path in place.iterdir()} == before


def test_a_stopped_build_changes_nothing(store: Path) -> None:
    before = {path.name for path in store.iterdir()}
    with Budget().active() as budget, pytest.raises(BuildInterruptedError):
        run_build(BuildPlan.of("chomp3", 20_000), store, progress=lambda _: budget.cancel())
    assert unchanged(store, before)


@pytest.mark.usefixtures("spent_budget")
def test_a_build_stopped_before_it_begins_changes_nothing(store: Path) -> None:
    before = {path.name for path in store.iterdir()}
    with pytest.raises(BuildInterruptedError):
        run_build(BuildPlan.of("chomp3", 500), store)
    assert unchanged(store, before)


@pytest.fixture
def heeds_ctrl_c() -> Iterator[None]:
    """Let this process react to Ctrl-C, which processes in the background of a shell ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeds_ctrl_c")
def test_ctrl_c_stops_a_build_cleanly(store: Path) -> None:
    before = {path.name for path in store.iterdir()}

    def interrupt(_: Progress) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(BuildInterruptedError, match="as they were"):
        run_build(BuildPlan.of("chomp3", 20_000), store, progress=interrupt)
    assert unchanged(store, before)
    assert not [thread for thread in threading.enumerate() if thread.name == "solver"]


def test_an_error_in_the_progress_callback_changes_nothing(store: Path) -> None:
    before = {path.name for path in store.iterdir()}

    def fail(_: Progress) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_build(BuildPlan.of("chomp3", 2_000), store, progress=fail)
    assert unchanged(store, before)
