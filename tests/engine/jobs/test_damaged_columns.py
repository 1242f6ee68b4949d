"""A change of any one value in any column of a table is noticed when the table is verified."""

import random
import shutil
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.jobs import report
from position_oracle.engine.jobs.job import job_for
from position_oracle.engine.jobs.report import Sample
from position_oracle.engine.jobs.verify import verify_build
from position_oracle.schema import tables
from position_oracle.schema.errors import CorruptTableError
from position_oracle.schema.snapshot import Snapshot, current_file
from tests.builds import build_all

BUILDS = (
    ("chomp3", "12", "sheets"),
    ("chomp3", "300x128", "census"),
    ("chomp3", "6", "random_play"),
    ("chomp3", "100x10", "sensitivity"),
    ("chomp3", "6", "grundy"),
    ("chomp3", "6", "remoteness"),
    ("nim{heaps=2,passes=1}", "5", "values"),
    ("nim{heaps=3,passes=1}", "6", "sheets"),
    ("chomp", "3x3", "outcomes"),
    ("transfinite", "1x1x1", "fragments"),
    ("transfinite", "9", "frontier"),
    ("kayles{misere}", "200", "misere_quotient"),
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("columns") / "data"
    build_all(BUILDS, place)
    return place


@dataclass(frozen=True)
class Column:
    """A column of the tables of one build."""

    game: str
    kind: str
    table: str
    name: str


def columns(place: Path) -> list[Column]:
    with Snapshot.open(place) as snapshot:
        return [
            Column(build.game, build.kind, each.table_name, each.column_name)
            for build in snapshot.builds()
            for each in snapshot.checksums(build.game, build.kind)
        ]


def damage(place: Path, column: Column, chance: random.Random) -> bool:
    """Change one value of a column. Return false if the column has no values."""
    held = f'"{column.table}"."{column.name}"'
    query = f'SELECT "{column.table}".rowid, typeof({held}) FROM "{column.table}"'  # noqa: S608
    query += f" JOIN game USING (game_id) WHERE game.name = ? AND {held} IS NOT NULL ORDER BY 1"
    with duckdb.connect(current_file(place)) as connection:
        found = connection.execute(query, [column.game]).fetchall()
        if not found:
            return False
        row, kind = chance.choice(found)
        changed = next(text for part, text in CHANGES.items() if part in kind or not part)
        update = f'UPDATE "{column.table}" SET "{column.name}" = {changed.format(column.name)}'  # noqa: S608
        connection.execute(f"{update} WHERE rowid = {row}")
    return True


CHANGES = {
    "VARCHAR[]": "list_append(\"{0}\", 'x')",
    "[]": 'list_append("{0}", 1)',
    "BOOLEAN": 'NOT "{0}"',
    "VARCHAR": "\"{0}\" || 'x'",
    "BLOB": "\"{0}\" || '\\x00'::BLOB",
    "": 'CASE WHEN "{0}" > 0 THEN "{0}" - 1 ELSE "{0}" + 1 END',
}
"""Functions that change a value, by a part of the name of its type."""


def test_every_column_of_every_table_has_a_checksum(place: Path) -> None:
    checked = {(column.table, column.name) for column in columns(place)}
    every = {
        (table.name, column.name)
        for table in tables.result_tables().values()
        for column in table.columns
        if column.name != "game_id"
    }
    assert checked == every


@pytest.mark.slow
def test_a_full_check_computes_every_table_again(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "WHOLE_SAMPLE", 100)
    with Snapshot.open(place) as snapshot:
        for game, _, kind in BUILDS:
            found = verify_build(snapshot, game, kind, sample=Sample(None))
            assert found.passed, found
            assert found.checks[-1].name == "computing the tables again gives the same"


def test_a_full_check_with_a_damaged_limit_is_a_failed_check(place: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(place, tmp_path / "copy"))
    with duckdb.connect(current_file(copy)) as connection:
        connection.execute("UPDATE build SET limit_text = '99x99' WHERE kind = 'outcomes'")
    with Snapshot.open(copy) as snapshot:
        found = verify_build(snapshot, "chomp", "outcomes", sample=Sample(None))
    assert not found.passed
    assert "99x99" in found.checks[-1].detail


@pytest.mark.parametrize("most", [10, pytest.param(1000, marks=pytest.mark.slow)])
def test_a_changed_value_is_noticed(place: Path, tmp_path: Path, most: int) -> None:
    chance = random.Random(29)
    found = columns(place)
    damaged = 0
    for number, column in enumerate(chance.sample(found, min(most, len(found)))):
        copy = Path(shutil.copytree(place, tmp_path / str(number)))
        if damage(copy, column, chance):
            damaged += 1
            with Snapshot.open(copy) as snapshot, pytest.raises(CorruptTableError):
                snapshot.verify(column.game, column.kind)
        shutil.rmtree(copy)
    assert damaged > most / 2 or most > len(found)


LIMITED_OTHERWISE = {"sensitivity", "misere_quotient"}
"""Kinds whose limit is rounded down, or that hold for heaps beyond it."""


def test_a_limit_that_is_not_the_one_of_the_rows_is_noticed(place: Path) -> None:
    """Whichever of its numbers is one larger or smaller, or more than there should be."""
    with Snapshot.open(place) as snapshot:
        for build in (each for each in snapshot.builds() if each.kind not in LIMITED_OTHERWISE):
            game = parse_game(build.game)
            job, numbers = job_for(game, build.kind), build.limit.split("x")
            limits = [
                "x".join([*numbers[:at], str(int(number) + by), *numbers[at + 1 :]])
                for at, number in enumerate(numbers)
                for by in (1, -1)
            ]
            for limit in [*limits, f"{build.limit}x6"]:
                try:
                    checks = list(job.checks(snapshot, game, limit, Sample(20)))
                except (CorruptTableError, ValueError):
                    continue
                assert not all(each.passed for each in checks), (build.game, build.kind, limit)
