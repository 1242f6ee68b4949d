"""Connections to DuckDB files, and conversion of their errors.

Every connection is opened without options, so that a program may open the same file by itself while
we hold it: DuckDB refuses two connections of one process that differ in their options. Right after
opening, the connection is restricted: SQL can access no other file and no network, and no content
of the file can change that.
"""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import duckdb
from duckdb_sqlalchemy import Dialect
from sqlalchemy.sql import ClauseElement

from position_oracle.schema.errors import (
    CorruptTableError,
    DiskFullError,
    FileTooNewError,
    MemoryFullError,
    MissingTableError,
    TableFileError,
)

HEADER_BYTES: Final = 3 * 4096
"""Bytes of a DuckDB file before its blocks."""

_MAGIC: Final = b"DUCK"
_RESTRICTIONS: Final = (
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)
_DISK_FULL: Final = (errno.ENOSPC, errno.EDQUOT)
DIALECT: Final = Dialect(paramstyle="qmark")


def connect(
    path: Path, *, read_only: bool, memory_limit: str | None = None
) -> duckdb.DuckDBPyConnection:
    """Open a DuckDB file, whose SQL cannot access anything else.

    Args:
        path: the file.
        read_only: whether the file is only read.
        memory_limit: the memory limit of DuckDB, e.g. `512MiB`; without one it caches everything it
            reads.

    Raises:
        MissingTableError: the file does not exist (when reading).
        CorruptTableError: the file is not a complete DuckDB file.
        FileTooNewError: a later version of DuckDB wrote it.
        TableFileError: another process has the file open for writing, or it cannot be read.
    """
    if read_only:
        _check_header(path)
    with translated(path):
        connection = duckdb.connect(str(path), read_only=read_only)
        # Connections of one process to one file share their settings, and these may be locked.
        locked = connection.execute("SELECT current_setting('lock_configuration')").fetchone()
        if locked == (True,):
            return connection
        if memory_limit is not None:
            connection.execute(f"SET memory_limit = '{memory_limit}'")
        for restriction in _RESTRICTIONS:
            connection.execute(restriction)
    return connection


def sql(statement: ClauseElement) -> str:
    """Return the text of a SQLAlchemy statement with its values.

    Values given separately would make DuckDB look for pandas, each time.
    """
    return str(statement.compile(dialect=DIALECT, compile_kwargs={"literal_binds": True}))


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn errors of DuckDB and of the system about a file into errors of this project."""
    try:
        yield
    except TableFileError:
        raise
    except MemoryError as error:
        raise MemoryFullError(f"not enough memory for {path}: {_first_line(error)}") from error
    except OSError as error:
        if error.errno in _DISK_FULL:
            raise DiskFullError(f"the disk has no room for {path}: {error.strerror}") from error
        raise
    except duckdb.Error as error:
        raise _translation(path, error) from error


def _translation(path: Path, error: BaseException) -> TableFileError:
    text = _first_line(error)
    if isinstance(error, duckdb.OutOfMemoryException) or "bad_alloc" in text:
        # DuckDB also reports a full temporary folder as out of memory.
        return MemoryFullError(f"not enough memory for {path}: {text}")
    if "No space left" in text or "quota exceeded" in text:
        return DiskFullError(f"the disk has no room for {path}: {text}")
    if "version number" in text:
        return FileTooNewError(f"{path} needs another version of DuckDB: {text}")
    if "Could not set lock" in text or "different configuration" in text:
        return TableFileError(f"{path} is open for writing elsewhere: {text}")
    return CorruptTableError(f"{path} cannot be read: {text}")


def _check_header(path: Path) -> None:
    try:
        with path.open("rb") as file:
            start: Any = file.read(HEADER_BYTES)
    except FileNotFoundError:
        raise MissingTableError(f"no table file {path}") from None
    except OSError as error:
        raise TableFileError(f"{path} cannot be opened: {error.strerror}") from error
    if start[8:12] != _MAGIC:
        raise CorruptTableError(f"{path} is not a DuckDB file")
    if len(start) < HEADER_BYTES:
        raise CorruptTableError(f"{path} is cut off: {len(start)} bytes are no whole header")


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)
