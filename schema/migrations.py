"""Migration of table files from one format to the next.

If a table or column changes its meaning or is removed, `schema.tables.FORMAT_VERSION` increases by
one. A function here then converts a file of the previous format and keeps every build: it changes
the tables, and the checksums of the columns that it rewrites. Files are migrated when they are
copied, by the next build or by `schema.snapshot.upgrade`; the old file does not change.
"""

from collections.abc import Callable
from typing import Final

import duckdb

from position_oracle.schema.errors import FileTooOldError

Migration = Callable[[duckdb.DuckDBPyConnection], None]

MIGRATIONS: Final[dict[int, Migration]] = {}
"""Migrations by the format that they read; each writes the next format."""


def migrate(connection: duckdb.DuckDBPyConnection, written_in: int, wanted: int) -> None:
    """Migrate an open file from one format to a later one, step by step.

    Raises:
        FileTooOldError: there is no migration between the formats.
    """
    for version in range(written_in, wanted):
        if version not in MIGRATIONS:
            raise FileTooOldError(
                f"there is no way from format {version} to {version + 1}: build the tables again"
            )
        MIGRATIONS[version](connection)
