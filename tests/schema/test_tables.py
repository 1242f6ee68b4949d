"""Tables in a file agree with their declarations."""

import json
from pathlib import Path

import duckdb
import pytest

from position_oracle.oracle.cli.main import run
from position_oracle.schema import tables
from position_oracle.schema.description import HELPER, create, describe
from position_oracle.schema.snapshot import Snapshot


def test_results_have_no_keys_or_indexes() -> None:
    for table in tables.result_tables().values():
        assert not table.indexes
        assert not list(table.primary_key)
        assert next(iter(table.columns)).name == "game_id"


def test_everything_in_a_file_has_a_comment(published: Path) -> None:
    """Every table, view and macro, and every column, helpers included."""
    query = """
        SELECT table_name || '.' || column_name, comment FROM duckdb_columns() WHERE NOT internal
        UNION ALL SELECT table_name, comment FROM duckdb_tables() WHERE NOT internal
        UNION ALL SELECT view_name, comment FROM duckdb_views() WHERE NOT internal
        UNION ALL SELECT function_name, comment FROM duckdb_functions() WHERE NOT internal
    """
    with Snapshot.open(published) as snapshot:
        comments = dict(snapshot.cursor().execute(query).fetchall())
    assert {"sheet.x", "sheet", "sheets.tail", "openings", "chomp3_z"} <= comments.keys()
    assert [name for name, comment in comments.items() if not comment] == []


def test_the_description_names_everything_but_helpers(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["tables", "--describe", "--json"]) == 0
    found = {each["name"]: each for each in map(json.loads, capsys.readouterr().out.splitlines())}
    assert set(tables.metadata.tables) <= found.keys()
    assert found["chomp3_z"]["kind"] == "macro"
    assert {
        "name": "place",
        "type": "INTEGER",
        "meaning": "columns of height 3 after the move",
    } in (found["openings_measured"]["columns"])
    assert not any(name.startswith(HELPER) for name in found)


def test_helpers_of_older_programs_go_with_the_next_build() -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE VIEW base_old AS SELECT 1 AS x")
        create(connection)
        views = connection.execute("SELECT view_name FROM duckdb_views()").fetchall()
    assert ("openings",) in views
    assert ("base_old",) not in views


def test_definitions_are_made_once_and_again_if_somebody_drops_one() -> None:
    with duckdb.connect() as connection:
        create(connection)
        before = describe(connection)
        connection.execute("CREATE OR REPLACE VIEW openings AS SELECT 1 AS own")
        create(connection)
        assert connection.execute("SELECT own FROM openings").fetchone() == (1,)
        connection.execute("DROP VIEW openings; DROP VIEW base_sheets; DROP TABLE board_count")
        connection.execute("CREATE TABLE base_mine (own INTEGER)")
        create(connection)
        assert connection.execute("SELECT count(*) FROM base_mine").fetchone() == (0,)
        connection.execute("DROP TABLE base_mine")
        assert describe(connection) == before


def test_a_plain_connection_may_read_the_same_file_in_the_same_process(published: Path) -> None:
    with (
        Snapshot.open(published) as snapshot,
        duckdb.connect(str(snapshot.path), read_only=True) as connection,
    ):
        assert connection.execute("SELECT count(*) FROM sheets").fetchall() == [(4,)]


def test_sqlalchemy_reads_the_file(published: Path) -> None:
    from sqlalchemy import create_engine, func, select

    with Snapshot.open(published) as snapshot:
        path, positions = snapshot.path, snapshot.row_count("p_position", "chomp3")
    engine = create_engine(f"duckdb:///{path}")
    with engine.connect() as connection:
        count = connection.execute(select(func.sum(tables.sheet.c.p_count))).scalar_one()
    engine.dispose()
    assert count == positions
