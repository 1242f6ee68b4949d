"""An oracle in this process, from the tables at hand."""

from functools import cache
from pathlib import Path

from position_oracle.oracle.cli.options import DEFAULT_DB
from position_oracle.oracle.core import Oracle
from position_oracle.schema.store import Store


def open_oracle(db: Path) -> Oracle:
    """The oracle of a store; where the default store is empty, one without tables.

    Raises:
        TableFileError: a store that was named has no tables, or they cannot be used.
    """
    if db == DEFAULT_DB and Store.at(db).current() is None:
        return without_tables()
    return Oracle.open(db)


@cache
def without_tables() -> Oracle:
    """An oracle of theorems and searches alone."""
    return Oracle()
