"""The tables as declared and as they are in a file."""

from pathlib import Path

import pytest

from position_oracle.schema import tables
from position_oracle.schema.snapshot import Snapshot


def test_every_table_and_column_says_what_it_is() -> None:
    for table in tables.metadata.sorted_tables:
        assert table.comment
        for column in table.columns:
            assert column.comment, f"{table.name}.{column.name}"


def test_results_have_no_keys_or_indexes() -> None:
    for table in tables.result_tables().values():
        assert not table.indexes
        assert not list(table.primary_key)
        assert next(iter(table.columns)).name == "game_id"


def test_the_comments_are_in_the_file(published: Path) -> None:
    with Snapshot.open(published) as snapshot:
        found = snapshot.cursor().execute(
            "SELECT table_name, column_name, comment FROM duckdb_columns() WHERE NOT internal"
        )
        comments = {(table, column): comment for table, column, comment in found.fetchall()}
    for table in tables.metadata.sorted_tables:
        for column in table.columns:
            assert comments[table.name, column.name] == column.comment


def test_every_view_says_what_it_is(published: Path) -> None:
    with Snapshot.open(published) as snapshot:
        views = (
            snapshot.cursor()
            .execute("SELECT view_name, comment FROM duckdb_views() WHERE NOT internal")
            .fetchall()
        )
    assert len(views) >= 9
    assert all(comment for _, comment in views)


def test_a_plain_connection_may_read_the_same_file_in_the_same_process(published: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
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
