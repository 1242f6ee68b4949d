"""docs/tables.md: every example runs, and every table, view and column is described."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from sqlalchemy import Table

from engine.jobs.plan import BuildPlan
from engine.jobs.run import run_build
from schema import tables
from schema.snapshot import Snapshot

TEXT = (Path(__file__).parents[2] / "docs" / "tables.md").read_text()
EXAMPLES = re.findall(r"^```sql\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def sql(
    store: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[duckdb.DuckDBPyConnection]:
    """The store of all tests, and a census beside it."""
    place = tmp_path_factory.mktemp("docs") / "data"
    shutil.copytree(store, place)
    run_build(BuildPlan.of("chomp3", "1000x128", "census"), place)
    with Snapshot.open(place) as snapshot:
        yield snapshot.cursor()


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_run_and_find_something(sql: duckdb.DuckDBPyConnection, example: str) -> None:
    assert sql.execute(example).fetchall()


def section(name: str) -> str:
    """The section whose heading names a table or view."""
    found = re.search(rf"^###? [^\n]*`{name}`.*?(?=^##|\Z)", TEXT, re.MULTILINE | re.DOTALL)
    assert found is not None, f"docs/tables.md has no section on {name}"
    return found[0]


@pytest.mark.parametrize("table", tables.metadata.sorted_tables, ids=lambda table: table.name)
def test_every_table_and_column_is_described(table: Table) -> None:
    described = section(table.name)
    if table.name == "build":
        described += section("builds")
    for column in table.columns:
        assert f"`{column.name}`" in described, f"{table.name}.{column.name}"


def test_every_view_and_its_columns_are_described(sql: duckdb.DuckDBPyConnection) -> None:
    query = """
        SELECT table_name, column_name FROM duckdb_columns()
        WHERE table_name IN (SELECT view_name FROM duckdb_views() WHERE NOT internal)
        AND table_name NOT LIKE 'base_%'
    """
    found = sql.execute(query).fetchall()
    assert found
    for view, column in found:
        assert f"`{column}`" in section(view), f"{view}.{column}"


def test_every_macro_is_described(sql: duckdb.DuckDBPyConnection) -> None:
    query = "SELECT function_name FROM duckdb_functions() WHERE NOT internal"
    query += " AND function_name NOT LIKE 'base_%'"
    macros = sql.execute(query).fetchall()
    assert macros
    for (name,) in macros:
        assert f"`{name}(" in TEXT
