"""Descriptions of the tables, views and macros of a table file, from the comments in it."""

import re
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib import resources
from typing import Final

import duckdb
from sqlalchemy import Table
from sqlalchemy.schema import CreateTable, DDLElement, SetColumnComment, SetTableComment

from position_oracle.schema import tables
from position_oracle.schema.connections import DIALECT

HELPER: Final = "base_"
"""Prefix of the names of views and macros that only other views use."""

_WRITTEN: Final = f"{HELPER}definitions"
"""Helper view whose comment is a digest of all definitions of the file."""

_PRESENT: Final = """
SELECT view_name, coalesce(comment, '') FROM duckdb_views() WHERE NOT internal
UNION ALL SELECT table_name, NULL FROM duckdb_tables() WHERE NOT internal
"""

_NAMES: Final = re.compile(
    r'^\s*CREATE (?:OR REPLACE VIEW|TABLE IF NOT EXISTS) "?(\w+)', re.MULTILINE
)
"""Finds the names of views and tables in their definitions."""


@dataclass(frozen=True, slots=True)
class DescribedColumn:
    """A column of a table or view: its name, SQL type and meaning."""

    name: str
    type: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Described:
    """A table, view or macro.

    Attributes:
        kind: table, view or macro.
        name: the name in SQL.
        about: the comment.
        columns: the columns in order; a macro has none.
    """

    kind: str
    name: str
    about: str
    columns: tuple[DescribedColumn, ...]


def create(connection: duckdb.DuckDBPyConnection) -> None:
    """Create all tables, views and macros that are missing, and replace older views and macros.

    It takes longer than small tables, and does nothing if the file was given these definitions and
    has each table and view.
    """
    found, wanted = dict(connection.execute(_PRESENT).fetchall()), definitions()
    digest = blake2b(wanted.encode(), digest_size=8).hexdigest()
    if found.get(_WRITTEN) == digest and found.keys() >= set(_NAMES.findall(wanted)):
        return
    helpers = (  # tables have no comment here
        name for name, comment in found.items() if comment is not None and name.startswith(HELPER)
    )
    dropped = "".join(f'DROP VIEW "{name}"; ' for name in helpers)
    # One transaction for several hundred statements.
    connection.execute(
        f"BEGIN; {dropped}{wanted}; CREATE VIEW {_WRITTEN} AS SELECT 0 AS nothing;"
        f" COMMENT ON VIEW {_WRITTEN} IS '{digest}';"
        f" COMMENT ON COLUMN {_WRITTEN}.nothing IS 'always 0'; COMMIT"
    )


def definitions() -> str:
    """Return the SQL text of all tables, views and macros, with their comments."""
    return f"{_tables_text(tuple(tables.metadata.sorted_tables))}; {_views_text()}"


@cache
def _tables_text(all_tables: tuple[Table, ...]) -> str:
    """Return the SQL text of the tables and their comments."""
    statements: list[DDLElement] = []
    for table in all_tables:
        statements += [CreateTable(table, if_not_exists=True), SetTableComment(table)]
        statements += [SetColumnComment(column) for column in table.columns if column.comment]
    return ";".join(str(each.compile(dialect=DIALECT)) for each in statements)


@cache
def _views_text() -> str:
    """Return the SQL text of the views and macros for analysts."""
    folder = resources.files("position_oracle.schema")
    return folder.joinpath("views.sql").read_text(encoding="utf-8")


def describe(connection: duckdb.DuckDBPyConnection) -> tuple[Described, ...]:
    """Return the views, macros and tables of an open file by name, without helpers."""
    columns: dict[str, list[DescribedColumn]] = {}
    query = "SELECT table_name, column_name, data_type, coalesce(comment, '') FROM duckdb_columns()"
    query += " WHERE NOT internal ORDER BY table_oid, column_index"
    for table, *column in connection.execute(query).fetchall():
        columns.setdefault(table, []).append(DescribedColumn(*column))
    found = connection.execute(
        """
        SELECT 'view', view_name, comment FROM duckdb_views() WHERE NOT internal
        UNION ALL
        SELECT 'macro', function_name, comment FROM duckdb_functions() WHERE NOT internal
        UNION ALL
        SELECT 'table', table_name, comment FROM duckdb_tables() WHERE NOT internal
        ORDER BY 1 DESC, 2
        """
    ).fetchall()
    return tuple(
        Described(kind, name, comment or "", tuple(columns.get(name, ())))
        for kind, name, comment in found
        if not name.startswith(HELPER)
    )


def own() -> tuple[Described, ...]:
    """Return the tables, views and macros of the files that this program writes."""
    with duckdb.connect() as connection:
        create(connection)
        return describe(connection)


def markdown(described: tuple[Described, ...]) -> str:
    """Return a Markdown page with a section for each view, macro and table."""
    lines = [
        "# Tables and columns",
        "",
        "For analysts: every view, macro and table of a table file, with the type and meaning of",
        "its columns. [tables.md](tables.md) has queries. `oracle tables --describe` prints this",
        "page.",
    ]
    for each in described:
        lines += ["", f"## `{each.name}` ({each.kind})", "", f"{each.about}."]
        if each.columns:
            lines += ["", "| column | type | meaning |", "|---|---|---|"]
            lines += [f"| `{c.name}` | {c.type} | {c.meaning} |" for c in each.columns]
    return "\n".join(lines) + "\n"
