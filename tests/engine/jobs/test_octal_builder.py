"""Misere quotients as a job: stored and checked; damage of any column is found."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from sqlalchemy import Boolean, Column, Integer, String

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.jobs.octal import JOBS, TABLES
from position_oracle.engine.jobs.plan import BuildPlan
from position_oracle.engine.jobs.report import Sample
from position_oracle.engine.jobs.run import run_build
from position_oracle.engine.jobs.verify import verify_build
from position_oracle.oracle.cli.main import run as run_command
from position_oracle.schema import tables
from position_oracle.schema.errors import NotationError, PositionOracleError
from position_oracle.schema.snapshot import Snapshot

GAME = parse_game("kayles{misere}")
COLUMNS = [
    (name, column)
    for name in TABLES
    for column in tables.value_columns(tables.result_tables()[name])
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("quotients") / "data"
    run_build(BuildPlan.of(GAME, "200"), folder)
    return folder


@pytest.fixture
def snapshot(place: Path) -> Iterator[Snapshot]:
    with Snapshot.open(place) as opened:
        yield opened


def test_all_checks_hold(snapshot: Snapshot) -> None:
    report = verify_build(snapshot, GAME)
    assert report.passed
    assert any("proves the quotient" in check.name for check in report.checks)


def test_the_table_says_what_is_known_of_kayles(snapshot: Snapshot) -> None:
    query = 'SELECT code, "order", p_classes, period, preperiod, is_tame FROM misere_quotient'
    assert snapshot.cursor().execute(query).fetchall() == [("0.77", 40, 9, 12, 71, False)]
    losing = "SELECT list(heap ORDER BY heap) FROM misere_heap WHERE is_p"
    assert snapshot.cursor().execute(losing).fetchall() == [([1, 4, 9, 12, 20],)]


@pytest.mark.parametrize(("name", "column"), COLUMNS, ids=lambda each: getattr(each, "name", each))
def test_damage_of_any_column_is_seen(
    snapshot: Snapshot,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    column: Column[Any],
) -> None:
    """The checks notice a changed value of any column without the help of checksums."""
    whole = Snapshot.read_table

    def damaged(self: Snapshot, table: str, game: str, *, check: bool = True) -> object:
        rows = whole(self, table, game, check=check)
        if table != name:
            return rows
        values = rows.column(column.name).to_pylist()
        place = len(values) // 2
        match column.type:
            case Boolean():
                values[place] = not values[place]
            case String():
                values[place] = "0.7"
            case Integer():
                values[place] += 1
            case _:
                values[place] = [*values[place][:-1], values[place][-1] + 1]
        index = rows.schema.get_field_index(column.name)
        field = rows.schema.field(index)
        return rows.set_column(index, field, pa.array(values, field.type))

    monkeypatch.setattr(Snapshot, "read_table", damaged)
    try:
        checks = list(JOBS[0].checks(snapshot, GAME, "200", Sample()))
    except (PositionOracleError, ValueError):
        return
    assert not all(check.passed for check in checks)


def test_a_period_that_is_left_out_is_seen(
    snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a period nothing false is claimed; but one is certain."""
    whole = Snapshot.read_table

    def without(self: Snapshot, table: str, game: str, *, check: bool = True) -> pa.Table:
        rows = whole(self, table, game, check=check)
        for name in {"period", "preperiod"} & set(rows.schema.names):
            index = rows.schema.get_field_index(name)
            rows = rows.set_column(index, rows.schema.field(index), pa.array([0], pa.int32()))
        return rows

    monkeypatch.setattr(Snapshot, "read_table", without)
    checks = list(JOBS[0].checks(snapshot, GAME, "200", Sample()))
    failing = [check.name for check in checks if not check.passed]
    assert failing == ["the period is the one that is certain"]


def test_verify_reports_damage(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["verify", "--db", str(place), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["kind"] == "misere_quotient"


@pytest.mark.parametrize(
    ("game", "limit"),
    [
        ("kayles", "100"),
        ("octal{code=0.77,passes=1,misere}", "100"),
        ("kayles{misere}", "0"),
        ("kayles{misere}", "100000"),
        ("kayles{misere}", "3x4"),
    ],
)
def test_other_games_and_limits_are_refused(game: str, limit: str) -> None:
    with pytest.raises(NotationError):
        BuildPlan.of(game, limit, "misere_quotient")
