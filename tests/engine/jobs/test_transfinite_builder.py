"""Transfinite Chomp as jobs: grids of ordinals and the frontier, stored, checked and sorted."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from position_oracle.engine.budget import Budget
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.plan import BuildPlan
from position_oracle.engine.jobs.report import Sample
from position_oracle.engine.jobs.run import run_build
from position_oracle.engine.jobs.transfinite.fragments import FRAGMENTS
from position_oracle.engine.jobs.transfinite.frontier import FRONTIER
from position_oracle.engine.jobs.transfinite.frontier import columns_of as frontier_columns
from position_oracle.engine.jobs.transfinite.grids import FragmentPlan
from position_oracle.engine.jobs.verify import verify_build
from position_oracle.engine.solvers.frontier import solve
from position_oracle.engine.theory.transfinite.ordinal_text import parse_ordinal
from position_oracle.oracle.cli.main import run as run_command
from position_oracle.schema.errors import BuildInterruptedError, NotationError, ResourceLimitError
from position_oracle.schema.snapshot import Snapshot

GAME = GameSpec("transfinite")


@pytest.fixture(scope="module")
def snapshot(store: Path) -> Iterator[Snapshot]:
    with Snapshot.open(store) as opened:
        yield opened


@pytest.fixture(scope="module")
def sql(snapshot: Snapshot) -> duckdb.DuckDBPyConnection:
    return snapshot.cursor()


def test_the_usual_grid_has_100_000_rows() -> None:
    plan = BuildPlan.of(GAME)
    assert (plan.kind, plan.limit) == ("fragments", "2x3x2")
    assert plan.estimate().rows >= 100_000
    assert plan.estimate().seconds <= 120


@pytest.mark.parametrize("kind", ["fragments", "frontier"])
@pytest.mark.parametrize("sample", [Sample(300), Sample(None)])
def test_verification_passes(snapshot: Snapshot, kind: str, sample: Sample) -> None:
    report = verify_build(snapshot, GAME, kind, sample=sample)
    assert report.passed, [check for check in report.checks if not check.passed]
    assert len(report.checks) >= 3


def test_every_position_of_the_grid_is_there(sql: duckdb.DuckDBPyConnection) -> None:
    (count,) = sql.execute("SELECT count(DISTINCT position) FROM transfinite_positions").fetchall()
    assert count == (len(FragmentPlan.of("1x1x1")),)


def test_keys_sort_ordinals(sql: duckdb.DuckDBPyConnection) -> None:
    rows = sql.execute("SELECT size, grundy_unrestricted FROM transfinite_position").fetchall()
    for column, key in (("size", "size_key"), ("grundy_unrestricted", "grundy_key")):
        query = f"SELECT {column} FROM transfinite_position WHERE {key} IS NOT NULL ORDER BY {key}"  # noqa: S608
        found = [parse_ordinal(text) for (text,) in sql.execute(query).fetchall()]
        assert found == sorted(found)
    assert len(rows) > 100


def test_grundy_values_in_both_conventions(sql: duckdb.DuckDBPyConnection) -> None:
    query = "SELECT outcome, grundy, grundy_unrestricted FROM transfinite_position WHERE grundy"
    for outcome, grundy, unrestricted in sql.execute(f"{query} IS NOT NULL").fetchall():
        value = parse_ordinal(unrestricted)
        assert grundy == (str(int(value) - 1) if value.is_finite else unrestricted)
        assert (outcome == "P") == (grundy == "0")


def test_rules_add_up(sql: duckdb.DuckDBPyConnection) -> None:
    query = "SELECT sum(p_positions + n_positions + undecided) FROM transfinite_rules"
    assert sql.execute(query).fetchall() == [(len(FragmentPlan.of("1x1x1")),)]


FALSIFIED: dict[str, tuple[str, dict[str, Any]]] = {
    "outcome": ("decided as", {"outcome": "N", "bite": ["0", "1"]}),
    "grundy": ("Grundy value", {"grundy_unrestricted": "w^5"}),
    "size": ("has size", {"size": "w^7"}),
    "heights": ("keys of other heights", {"heights": ["5", "4"]}),
    "bite of P": ("with a winning bite", {"bite": ["0", "1"]}),
}


@pytest.mark.parametrize("name", FALSIFIED)
def test_falsified_rows_are_found(
    snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    part, change = FALSIFIED[name]
    rows = _table(snapshot, "transfinite_position").to_pylist()
    wrong = next(row for row in rows if row["outcome"] == "P")
    wrong.update(change)
    assert part in " ".join(_failures(snapshot, monkeypatch, rows))


def test_a_wrong_bite_is_found(snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = _table(snapshot, "transfinite_position").to_pylist()
    wrong = next(row for row in rows if row["position"] == "transfinite:2xw^2")
    assert wrong["bite"] == ["0", "w"]
    wrong["bite"] = ["0", "5"]
    assert "which is not P" in " ".join(_failures(snapshot, monkeypatch, rows))


def test_rows_out_of_order_are_found(snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = _table(snapshot, "transfinite_position").to_pylist()
    rows[0], rows[1] = rows[1], rows[0]
    assert "not in order" in " ".join(_failures(snapshot, monkeypatch, rows))


def _table(snapshot: Snapshot, name: str) -> pa.Table:
    return snapshot.read_table(name, GAME.text)


def _failures(
    snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch, rows: list[dict[str, Any]]
) -> list[str]:
    wrong = pa.Table.from_pylist(rows, schema=_table(snapshot, "transfinite_position").schema)
    monkeypatch.setattr(Snapshot, "read_table", lambda *_, **__: wrong)
    checks = FRAGMENTS.checks(snapshot, GAME, "1x1x1", Sample(None))
    return [check.detail for check in checks if not check.passed]


def test_the_frontier_is_what_the_solver_gives(snapshot: Snapshot) -> None:
    assert _table(snapshot, "frontier").to_pydict() == frontier_columns(solve(41))


def test_members_of_l(sql: duckdb.DuckDBPyConnection) -> None:
    found = solve(41)
    rows = sql.execute("SELECT g, box_a, side_top_a, found FROM frontier_members").fetchall()
    assert [row[0] for row in rows] == list(range(1, 100))
    for g, box_a, side_top_a, is_found in rows:
        boxes = [a for a, value in enumerate(found.boxes.tolist()) if value == g]
        tops = [a for a, value in enumerate(found.side_tops.tolist()) if value == g]
        assert box_a == min(boxes, default=None)
        assert side_top_a == min(tops, default=None)
        assert is_found == bool(boxes or tops)


def test_a_falsified_frontier_is_found(snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch) -> None:
    for column, a, part in (("box_value", 7, "G(4 x 7)"), ("side_top_value", 3, "shorter scan")):
        stored = _table(snapshot, "frontier")
        values = stored[column].to_pylist()
        place = stored.schema.get_field_index(column)
        values[a] = 99
        wrong = stored.set_column(place, column, pa.array(values, stored[column].type))
        with monkeypatch.context() as patch:
            patch.setattr(Snapshot, "read_table", lambda *_, wrong=wrong, **__: wrong)
            checks = list(FRONTIER.checks(snapshot, GAME, "40", Sample(10)))
        assert part in " ".join(check.detail for check in checks if not check.passed)


@pytest.mark.parametrize("limit", ["", "0", "2x3", "2x0x2", "axbxc", "-1", "1x2x3x4", "13", "999"])
def test_invalid_limits_of_grids_are_refused(limit: str) -> None:
    with pytest.raises(NotationError, match="2x3x2"):
        BuildPlan.of(GAME, limit)


def test_limits_of_grids() -> None:
    assert BuildPlan.of(GAME, " 02 ").limit == "2x2x2"
    with pytest.raises(ResourceLimitError, match="at most"):
        BuildPlan.of(GAME, "9")


@pytest.mark.parametrize("limit", ["", "0", "1501", "10x10", "w"])
def test_invalid_limits_of_the_frontier_are_refused(limit: str) -> None:
    with pytest.raises(NotationError, match="1 to 1500"):
        BuildPlan.of(GAME, limit, "frontier")


@pytest.mark.parametrize(("kind", "limit"), [("fragments", "2x2x2"), ("frontier", "1000")])
def test_a_build_can_be_stopped(tmp_path: Path, kind: str, limit: str) -> None:
    plan = BuildPlan.of(GAME, limit, kind)
    with Budget().active() as budget, pytest.raises(BuildInterruptedError):
        run_build(plan, tmp_path / "data", progress=lambda _: budget.cancel())
    assert not list(tmp_path.glob("data/*.duckdb"))


def test_the_command_line_says_what_a_build_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, rows in (([], 100_110), (["--kind", "frontier"], 401)):
        command = ["build", "transfinite", *arguments, "--estimate", "--json"]
        assert run_command([*command, "--db", str(tmp_path)]) == 0
        assert json.loads(capsys.readouterr().out)["rows"] == rows
