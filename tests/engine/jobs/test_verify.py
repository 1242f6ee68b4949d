"""Verification accepts correct tables and finds errors, also behind correct checksums."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.jobs.plan import BuildPlan, game_record
from position_oracle.engine.jobs.report import MAX_SAMPLE, Check, Sample, VerifyReport
from position_oracle.engine.jobs.run import run_build
from position_oracle.engine.jobs.verify import verify_build
from position_oracle.schema.errors import NotationError, StoppedError, UnknownGameError
from position_oracle.schema.sheets import NO_Z
from position_oracle.schema.snapshot import (
    LoserSheets,
    Snapshot,
    begin_draft,
    current_file,
    rows_of_sheets,
    utc_now,
)

WHOLE = Sample(None)
GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture(autouse=True)
def small_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take samples that are just large enough to find errors in sheets as small as these."""
    monkeypatch.setattr("position_oracle.engine.jobs.report.WHOLE_SAMPLE", 300)


@pytest.fixture(scope="module")
def sheets(store: Path) -> LoserSheets:
    """The sheets of plain three-row Chomp up to x = 300."""
    with Snapshot.open(store) as snapshot:
        return snapshot.read_sheets("chomp3")


def publish(place: Path, sheets: LoserSheets, game: str = "chomp3") -> None:
    """Publish sheets with correct checksums, even if their values are wrong."""
    with begin_draft(place) as draft:
        writer = draft.replace(game_record(parse_game(game)), "sheets", ["p_position", "sheet"])
        for table_name, rows in rows_of_sheets(sheets).items():
            writer.append(table_name, rows)
        writer.finish(
            limit=str(len(sheets) - 1), started_at=utc_now(), seconds=1.0, environment="{}"
        )
        draft.publish()


def verify(place: Path, game: str = "chomp3", sample: Sample = WHOLE) -> VerifyReport:
    with Snapshot.open(place) as snapshot:
        return verify_build(snapshot, game, sample=sample)


def failed(report: VerifyReport) -> list[str]:
    return [f"{check.name}: {check.detail}" for check in report.checks if not check.passed]


@pytest.mark.parametrize(
    ("game", "sample"),
    [("chomp3", Sample(500)), ("chomp3", WHOLE), ("chomp3{passes=1}", WHOLE)],
)
def test_what_was_built_passes(store: Path, game: str, sample: Sample) -> None:
    report = verify(store, game, sample)
    assert failed(report) == []
    assert report.passed
    assert (report.game, report.kind, report.limit) == (game, "sheets", "300")
    assert all(check.count > 0 for check in report.checks)


@pytest.mark.parametrize(
    ("game", "limit"),
    [
        ("chomp3{declared=[0,0,3]+[2,3,1]}", "80"),
        ("chomp3{declared=[1,1,0]}", "80"),
        ("chomp3{passes=1,declared=[0,0,3]}", "80"),
        ("chomp3{noise=geometric(0.5),seed=7}", "60x50"),
        ("chomp3{noise=normal(8),seed=1}", "60"),
    ],
)
def test_variants_pass(tmp_path: Path, game: str, limit: str) -> None:
    run_build(BuildPlan.of(game, limit), tmp_path)
    assert failed(verify(tmp_path, game)) == []


def with_value(sheets: LoserSheets, x: int, y: int, z: int) -> LoserSheets:
    """Return a copy of the sheets with another z in one column of a prefix."""
    prefix_z = sheets.prefix_z.copy()
    prefix_z[sheets.prefix_offset[x] + y] = z
    return replace(sheets, prefix_z=prefix_z)


def value(sheets: LoserSheets, x: int, y: int) -> int:
    return int(sheets.prefix_z[sheets.prefix_offset[x] + y])


def with_prefix(
    sheets: LoserSheets, x: int, z: list[int], period: int | None = None
) -> LoserSheets:
    """Return a copy of the sheets with another prefix in one sheet."""
    begin, end = sheets.prefix_offset[x], sheets.prefix_offset[x + 1]
    offset = sheets.prefix_offset.copy()
    offset[x + 1 :] += len(z) - (end - begin)
    prefix_z = np.concatenate(
        [sheets.prefix_z[:begin], np.array(z, np.int32), sheets.prefix_z[end:]]
    )
    return replace(sheets, prefix_offset=offset, prefix_z=prefix_z)


def prefix(sheets: LoserSheets, x: int) -> list[int]:
    begin, end = sheets.prefix_offset[x : x + 2]
    return [int(z) for z in sheets.prefix_z[begin:end]]


def with_tail(sheets: LoserSheets, x: int, change: int) -> LoserSheets:
    tail_z = sheets.tail_z.copy()
    tail_z[sheets.tail_offset[x]] += change
    return replace(sheets, tail_z=tail_z)


STOPPING, TAILED = 199, 198

FALSIFICATIONS: dict[str, Callable[[LoserSheets], LoserSheets]] = {
    "a larger z": lambda s: with_value(s, 150, 20, value(s, 150, 20) + 1),
    "a smaller z": lambda s: with_value(s, 150, 20, value(s, 150, 20) - 1),
    "two values exchanged": lambda s: with_value(
        with_value(s, 150, 20, value(s, 150, 21)), 150, 21, value(s, 150, 20)
    ),
    "a row dropped at the end": lambda s: with_prefix(s, STOPPING, prefix(s, STOPPING)[:-1]),
    "a row dropped inside": lambda s: with_prefix(
        s, STOPPING, prefix(s, STOPPING)[:10] + prefix(s, STOPPING)[11:]
    ),
    "a P-position added after the stop": lambda s: with_prefix(
        s, STOPPING, [*prefix(s, STOPPING), 1]
    ),
    "a higher tail": lambda s: with_tail(s, TAILED, 1),
    "a lower tail": lambda s: with_tail(s, TAILED, -1),
    "a deadly diagonal moved": lambda s: with_value(s, 100, 0, value(s, 100, 0) + 1),
    "a rectangle": lambda s: with_value(s, 299, 0, 0),
}


def test_the_sheets_chosen_to_falsify_are_of_both_kinds(sheets: LoserSheets) -> None:
    assert sheets.tail_period[STOPPING] == 0
    assert sheets.tail_period[TAILED] == 1


@pytest.mark.parametrize("name", FALSIFICATIONS)
def test_false_sheets_are_found_behind_correct_checksums(
    tmp_path: Path, sheets: LoserSheets, name: str
) -> None:
    publish(tmp_path, FALSIFICATIONS[name](sheets))
    report = verify(tmp_path)
    assert not report.passed
    assert report.checks[0].passed  # the checksums
    assert any("computing the tables again" in text for text in failed(report))


@pytest.mark.parametrize(
    "falsify",
    [
        "UPDATE p_position SET z = z + 1 WHERE x = 150 AND y = 20",
        "DELETE FROM p_position WHERE x = 150 AND y = 20",
        "INSERT INTO p_position SELECT game_id, 150, 999, 3 FROM game LIMIT 1",
        "UPDATE build SET checksum = '0'",
    ],
)
def test_rows_changed_in_the_file_are_found(
    tmp_path: Path, sheets: LoserSheets, falsify: str
) -> None:
    import duckdb

    publish(tmp_path, sheets)
    with Snapshot.open(tmp_path) as snapshot:
        path = snapshot.path
    with duckdb.connect(str(path)) as connection:
        connection.execute(falsify)
    report = verify(tmp_path, sample=Sample(10))
    assert not report.checks[0].passed
    assert not report.passed


def test_a_declared_p_position_is_found(tmp_path: Path, sheets: LoserSheets) -> None:
    publish(tmp_path, sheets, "chomp3{declared=[2,0,2]}")
    report = verify(tmp_path, "chomp3{declared=[2,0,2]}")
    assert any("[2, 0, 2] is a P-position and declared N" in text for text in failed(report))


def test_p_positions_that_can_be_passed_on_are_found(tmp_path: Path, sheets: LoserSheets) -> None:
    publish(tmp_path, sheets, "chomp3{passes=1}")
    assert any("passed to one" in text for text in failed(verify(tmp_path, "chomp3{passes=1}")))


def test_a_sample_finds_sheets_that_are_wrong_all_over(tmp_path: Path, sheets: LoserSheets) -> None:
    publish(tmp_path, replace(sheets, prefix_z=sheets.prefix_z + np.int32(1)))
    names = failed(verify(tmp_path, sample=Sample(300)))
    assert any("every N-position of a sample" in name for name in names)


@settings(max_examples=200)
@given(st.integers(0, 300), st.integers(0, 2000))
def test_look_ups_agree_with_the_arrays(sheets: LoserSheets, x: int, y: int) -> None:
    length, period = int(sheets.prefix_length[x]), int(sheets.tail_period[x])
    if y < length:
        expected = int(sheets.prefix_z[sheets.prefix_offset[x] + y])
    elif period:
        expected = int(sheets.tail_z[sheets.tail_offset[x] + (y - length) % period])
    else:
        expected = NO_Z
    assert int(sheets.look_up(x, y)) == expected


def test_results_under_the_name_of_another_game_are_noticed(
    tmp_path: Path, sheets: LoserSheets
) -> None:
    publish(tmp_path, sheets)
    other = "chomp3{declared=[1,1,0]}"
    with duckdb.connect(current_file(tmp_path)) as connection:
        connection.execute("UPDATE game SET name = ?", [other])
    assert failed(verify(tmp_path, other, Sample(10)))[0].startswith("the row of the game")


def test_another_number_of_rows_is_noticed(tmp_path: Path, sheets: LoserSheets) -> None:
    publish(tmp_path, sheets)
    with duckdb.connect(current_file(tmp_path)) as connection:
        connection.execute("UPDATE build SET rows = rows + 1")
    assert failed(verify(tmp_path, sample=Sample(10)))[0].startswith("rows and checksums")


def test_each_check_is_reported_when_it_is_done(store: Path) -> None:
    told: list[Check] = []
    with Snapshot.open(store) as snapshot:
        report = verify_build(snapshot, "chomp3", sample=Sample(10), observer=told.append)
    assert tuple(told) == report.checks


def test_a_sample_is_the_same_for_the_same_seed(store: Path) -> None:
    first, again = (verify(store, sample=Sample(200, seed=3)) for _ in range(2))
    assert first == again


def test_unknown_results_and_empty_samples_are_refused(store: Path) -> None:
    with pytest.raises(UnknownGameError):
        verify(store, "chomp3{passes=2}")
    for size in (0, MAX_SAMPLE + 1):
        with pytest.raises(NotationError, match=f"a sample of {size} positions"):
            Sample(size)
    assert (Sample(1).draws, Sample(MAX_SAMPLE).draws) == (1, MAX_SAMPLE)
    with pytest.raises(NotationError, match="the seed -1 is negative"):
        Sample(seed=-1)


@pytest.mark.usefixtures("spent_budget")
def test_verification_can_be_stopped(store: Path) -> None:
    with Snapshot.open(store) as snapshot, pytest.raises(StoppedError):
        verify_build(snapshot, "chomp3")


@pytest.mark.slow
def test_a_table_up_to_10000_is_verified(tmp_path: Path) -> None:
    record = run_build(BuildPlan.of("chomp3", 10_000), tmp_path)
    report = verify(tmp_path)
    assert failed(report) == []
    assert all(check.count > 0 for check in report.checks)
    facts = json.loads((GOLDEN / "facts.json").read_text())
    rows = facts["measured"]["p_positions_in_prefixes_and_one_tail_period_x<=10000"]
    assert record.rows == rows
