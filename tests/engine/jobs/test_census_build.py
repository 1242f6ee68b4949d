"""The census of three-row Chomp as a job: built, killed, cancelled, resumed, verified."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from itertools import islice
from pathlib import Path

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle.engine.budget import Budget
from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.jobs.chomp3 import census_checks
from position_oracle.engine.jobs.chomp3.census import KeptCheckpoints
from position_oracle.engine.jobs.chomp3.census_checks import LEAST_SWEPT, MAX_SWEPT, swept_positions
from position_oracle.engine.jobs.plan import BuildPlan
from position_oracle.engine.jobs.progress import Progress
from position_oracle.engine.jobs.report import Sample
from position_oracle.engine.jobs.run import run_build
from position_oracle.engine.jobs.verify import verify_build
from position_oracle.engine.solvers.row_sweep.driver import Checkpoint
from position_oracle.engine.solvers.row_sweep.driver import census as sweep
from position_oracle.engine.solvers.three_row.build import solve
from position_oracle.schema.census import Census, read_census, read_checkpoints
from position_oracle.schema.errors import (
    BuildError,
    BuildInterruptedError,
    CorruptTableError,
    NotationError,
    TableFileError,
)
from position_oracle.schema.sheets import offsets_of
from position_oracle.schema.snapshot import Snapshot, Store

LIMIT, SPACING = 12_000, 128
ROOT = Path(__file__).parents[3]


def plan_of(limit: str) -> BuildPlan:
    return BuildPlan.of("chomp3", limit, "census")


PLAN = plan_of(f"{LIMIT}x{SPACING}")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the census, made in one run."""
    place = tmp_path_factory.mktemp("whole") / "data"
    run_build(PLAN, place)
    return place


def stored(place: Path) -> tuple[Census, tuple[np.ndarray, ...]]:
    with Snapshot.open(place) as snapshot:
        return read_census(snapshot, "chomp3"), read_checkpoints(snapshot, "chomp3")


def assert_same_tables(left: Path, right: Path) -> None:
    (census, checkpoints), (other, others) = stored(left), stored(right)
    for name in Census.__slots__:
        np.testing.assert_array_equal(getattr(census, name), getattr(other, name))
    for mine, theirs in zip(checkpoints, others, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def kept_in(place: Path) -> list[Path]:
    """Return the checkpoints kept by a build that is running or has stopped."""
    return sorted(place.rglob("*.checkpoint"))


def resumed_from(place: Path) -> int:
    """Finish the build, and return the row from which the sweep went on."""
    rows: list[int] = []

    def note(state: Progress) -> None:
        if state.phase == "sweep":
            rows.append(state.done)

    run_build(PLAN, place, progress=note)
    return rows[0]


def test_the_sheets_are_those_of_the_other_solver(whole: Path) -> None:
    census, (rows, _, _) = stored(whole)
    sheets = solve(3_001)
    count = len(sheets)
    assert len(census) == LIMIT + 1
    np.testing.assert_array_equal(census.tail_period[:count], sheets.tail_period)
    np.testing.assert_array_equal(census.prefix_length[:count], sheets.prefix_length)
    np.testing.assert_array_equal(census.diagonal_z[:count], sheets.diagonal)
    for x in range(0, count, 7):
        begin, end = sheets.tail_offset[x : x + 2]
        np.testing.assert_array_equal(census.tail(x), sheets.tail_z[begin:end])
    np.testing.assert_array_equal(np.diff(rows), SPACING)
    assert rows[0] == SPACING
    assert rows[-1] > 1.4 * LIMIT
    np.testing.assert_array_equal(
        census.lower + census.upper + (census.prefix_length > 0), census.prefix_length
    )


# A thread ends the process while the build goes on.
KILLED = """
import os, signal, sys, threading
from pathlib import Path
from position_oracle.engine.jobs.run import run_build
from tests.engine.jobs.test_census_build import PLAN, kept_in

place = Path(sys.argv[1])

def kill(state):
    if state.phase == "sweep" and len(kept_in(place)) >= 40:
        threading.Thread(target=os.kill, args=(os.getpid(), signal.SIGKILL)).start()

run_build(PLAN, place, progress=kill)
"""


def test_a_killed_build_goes_on_from_its_last_checkpoint(whole: Path, tmp_path: Path) -> None:
    place = tmp_path / "data"
    command = [sys.executable, "-c", KILLED, str(place)]
    done = subprocess.run(command, cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    left = len(kept_in(place))
    assert left >= 40
    assert not (place / "CURRENT").exists()
    assert resumed_from(place) >= (left - 8) * SPACING
    assert_same_tables(whole, place)
    assert kept_in(place) == []


def test_a_cancelled_build_goes_on_from_its_last_checkpoint(whole: Path, tmp_path: Path) -> None:
    place = tmp_path / "data"

    def cancel(state: Progress) -> None:
        if state.phase == "sweep" and len(kept_in(place)) > 20:
            budget.cancel()

    with Budget().active() as budget, pytest.raises(BuildInterruptedError, match="was stopped"):
        run_build(PLAN, place, progress=cancel)
    left = len(kept_in(place))
    assert left > 20
    assert resumed_from(place) >= (left - 8) * SPACING
    assert_same_tables(whole, place)


def test_checkpoints_of_another_census_are_not_taken_up(tmp_path: Path) -> None:
    place = tmp_path / "data"

    def cancel(state: Progress) -> None:
        if state.phase == "sweep" and kept_in(place):
            budget.cancel()

    with Budget().active() as budget, pytest.raises(BuildInterruptedError):
        run_build(PLAN, place, progress=cancel)
    run_build(plan_of("2000x256"), place)
    census, (rows, _, _) = stored(place)
    assert len(census) == 2_001
    assert rows[0] == 256


@pytest.fixture(scope="module")
def made() -> list[Checkpoint]:
    """The checkpoints of a small census, as its sweep makes them."""
    found: list[Checkpoint] = []
    sweep(1_000, spacing=128, sink=found.append)
    return found


def test_kept_checkpoints_are_taken_up(made: list[Checkpoint], tmp_path: Path) -> None:
    kept = KeptCheckpoints(tmp_path, 128)
    for each in made:
        kept.add(each)
    found = KeptCheckpoints(tmp_path, 128)
    assert len(found) == len(made)
    first = found.columns(range(1, 3))["first_x"]
    np.testing.assert_array_equal(first, [each.first for each in made[1:3]])
    assert list(found.blocks(1)) == [range(k, k + 1) for k in range(len(made))]
    assert list(found.blocks(1 << 20)) == [range(len(made))]
    assert len(KeptCheckpoints(tmp_path, 256)) == 0


def test_kept_checkpoints_are_written_in_blocks_of_some_size(
    made: list[Checkpoint], tmp_path: Path
) -> None:
    """A block ends with the checkpoint that makes it large enough, or with the last one."""
    kept = KeptCheckpoints(tmp_path, 128)
    for each in made:
        kept.add(each)
    sizes = [(tmp_path / f"{k + 1}.checkpoint").stat().st_size for k in range(len(made))]
    for most in (sizes[0], sizes[0] + 1, sum(sizes[:3]), sum(sizes) - 1, sum(sizes)):
        blocks = list(kept.blocks(most))
        assert [k for block in blocks for k in block] == list(range(len(made)))
        for block in blocks:
            filled = sum(sizes[k] for k in block)
            assert filled >= most or block is blocks[-1]
            assert filled - sizes[block[-1]] < most


def test_a_checkpoint_made_again_replaces_those_behind_it(
    made: list[Checkpoint], tmp_path: Path
) -> None:
    kept = KeptCheckpoints(tmp_path, 128)
    for each in (*made, *made[3:5]):
        kept.add(each)
    assert len(kept) == 5
    heads = kept.columns(range(5))
    np.testing.assert_array_equal(heads["first_x"], [each.first for each in made[:5]])
    np.testing.assert_array_equal(heads["states"], [each.states for each in made[:5]])
    np.testing.assert_array_equal(heads["row"], [each.row for each in made[:5]])


@pytest.mark.parametrize("place", [0, 8, 40, -1])
def test_damaged_checkpoints_are_made_again(
    made: list[Checkpoint], tmp_path: Path, place: int
) -> None:
    """The damage is in the length of the journal, in the journal, or in the data."""
    kept = KeptCheckpoints(tmp_path, 128)
    for each in made:
        kept.add(each)
    content = bytearray((tmp_path / "3.checkpoint").read_bytes())
    content[place] ^= 4
    (tmp_path / "3.checkpoint").write_bytes(content)
    found = KeptCheckpoints(tmp_path, 128)
    assert len(found) == 2
    again: list[Checkpoint] = []
    sweep(1_000, spacing=128, sink=again.append, resume=found.resumption())
    assert [each.data for each in again] == [each.data for each in made[-len(again) :]]
    assert len(again) >= len(made) - 2


def test_the_file_holds_its_checkpoints_once(whole: Path) -> None:
    _, (_, offsets, _) = stored(whole)
    with Snapshot.open(whole) as snapshot:
        size = snapshot.path.stat().st_size
    assert size < 1.2 * int(offsets[-1]) + (4 << 20)


def test_fewer_positions_are_swept_where_sweeps_are_expensive() -> None:
    assert swept_positions(1_000_000, 1_024) == MAX_SWEPT
    assert swept_positions(3_000_000, 1_024) < MAX_SWEPT
    assert swept_positions(10_000_000, 1 << 20) == LEAST_SWEPT


def test_verify_passes_what_was_built(whole: Path) -> None:
    with Snapshot.open(whole) as snapshot:
        report = verify_build(snapshot, "chomp3", kind="census", sample=Sample(60))
    assert report.passed
    assert "answers by sweeping keep the rules of the game" in {each.name for each in report.checks}


@contextmanager
def changed(place: Path, copy: Path, statement: str) -> Iterator[Path]:
    shutil.copytree(place, copy)
    file = copy / (copy / "CURRENT").read_text().strip()
    with duckdb.connect(str(file)) as connection:
        connection.execute(statement)
    yield copy


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE checkpoint SET data = data || '\\x00'::BLOB WHERE row = 1280",
        "UPDATE checkpoint SET states = states + 1 WHERE row = 1280",
        "UPDATE census SET diagonal_z = diagonal_z + 1 WHERE x = 17",
    ],
)
def test_a_changed_table_is_noticed(whole: Path, tmp_path: Path, statement: str) -> None:
    with changed(whole, tmp_path / "copy", statement) as copy, Snapshot.open(copy) as snapshot:
        with pytest.raises(CorruptTableError):
            _ = read_census(snapshot, "chomp3"), read_checkpoints(snapshot, "chomp3")
        with pytest.raises(TableFileError):
            snapshot.verify_all()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a small census, and the tables of some of its sheets."""
    place = tmp_path_factory.mktemp("small") / "data"
    run_build(BuildPlan.of("chomp3", "300"), place)
    run_build(plan_of("400x128"), place)
    return place


@pytest.mark.parametrize("name", [field.name for field in fields(Census)])
def test_a_false_column_is_found_behind_correct_checksums(
    small: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The checks of the whole census find the change, also beyond the tables of sheets."""
    with Snapshot.open(small) as snapshot:
        census = read_census(snapshot, "chomp3")
        values = getattr(census, name)
        for place in (17, len(values) - 1):
            false = values.copy()
            false[place] += 1
            changed = replace(census, **{name: false})
            monkeypatch.setattr(census_checks, "read_census", lambda *_, it=changed: it)
            checks = census_checks.census_checks(
                snapshot, parse_game("chomp3"), "400x128", Sample(3)
            )
            assert any(not found.passed for found in islice(checks, 6))


@given(st.lists(st.lists(st.integers(0, 2), max_size=6), min_size=1, max_size=4))
def test_a_period_that_is_not_the_least_is_found(tails: list[list[int]]) -> None:
    period = np.array([len(tail) for tail in tails], np.int32)
    found = census_checks._ladders(
        Census(
            **dict.fromkeys(("prefix_length", "diagonal_z", "max_z", "lower", "upper"), period),
            tail_period=period,
            tail_offset=offsets_of(period),
            tail_z=np.array([z for tail in tails for z in tail], np.int32),
        )
    )
    repeats = [
        any(tail == tail[:p] * (len(tail) // p) for p in range(1, len(tail))) for tail in tails
    ]
    assert found.passed == (not any(repeats))
    assert found.count == sum(len(tail) > 1 for tail in tails)


@pytest.mark.parametrize(
    ("game", "limit", "says"),
    [
        ("chomp3{passes=1}", "100", "chomp3 only"),
        ("chomp3", "10000001", "largest x"),
        ("chomp3", "1000x100", "multiple of 128"),
        ("chomp3", "1000x2097152", "multiple of 128"),
        ("chomp3", "a", "largest x"),
    ],
)
def test_what_cannot_be_built(game: str, limit: str, says: str) -> None:
    with pytest.raises(NotationError, match=says):
        BuildPlan.of(parse_game(game), limit, "census")


def test_fewer_answers_do_not_replace_more(whole: Path) -> None:
    for limit in (f"{LIMIT}x0", f"{LIMIT - 1}x128"):
        with pytest.raises(BuildError, match="answers more"):
            plan_of(limit).check_loses_nothing(Store.at(whole))


@pytest.mark.slow
def test_without_vector_instructions_the_tables_are_the_same(whole: Path, tmp_path: Path) -> None:
    place = tmp_path / "data"
    command = [sys.executable, "-m", "position_oracle", "build", "chomp3", "--kind", "census"]
    plain = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    subprocess.run(
        [*command, "--limit", PLAN.limit, "--db", str(place)],
        env={**os.environ, **plain},
        capture_output=True,
        check=True,
    )
    assert_same_tables(whole, place)
