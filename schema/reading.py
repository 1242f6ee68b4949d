"""Reads table files."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import DTypeLike, NDArray
from sqlalchemy import Select, func, select

from position_oracle.schema import tables
from position_oracle.schema.connections import HEADER_BYTES, connect, sql, translated
from position_oracle.schema.digests import DIGITS, ColumnDigest, TableDigest, combined
from position_oracle.schema.errors import (
    CorruptTableError,
    FileTooNewError,
    FileTooOldError,
    UnknownGameError,
)
from position_oracle.schema.games import Build
from position_oracle.schema.records import ChecksumRecord, FileInfo, GameRow
from position_oracle.schema.sheet_rows import sheets_of_rows
from position_oracle.schema.sheets import LoserSheets
from position_oracle.schema.store import Store

_BATCH_ROWS = 1_000_000


def _nothing() -> None:
    pass


def identity_of(builds: Iterable[Build]) -> str:
    """Return 16 hexadecimal digits of the results of builds: games, kinds, limits, checksums."""
    lines = sorted(f"{b.game} {b.kind} {b.limit} {b.checksum}\n" for b in builds)
    return hashlib.sha256("".join(lines).encode()).hexdigest()[:DIGITS]


class Snapshot:
    """A table file, open for reading.

    The file never changes while it is open: a later publication writes another file. Methods may be
    called from several threads; each call uses its own cursor.

    Attributes:
        path: the file.
        info: the format and dates of the file.
    """

    def __init__(self, path: Path, memory_limit: str | None = None) -> None:
        self.path = path
        self._connection = connect(path, read_only=True, memory_limit=memory_limit)
        try:
            self.info = self._checked_info()
        except BaseException:
            self.close()
            raise

    @classmethod
    def open(cls, place: Store | Path | str | None = None) -> Self:
        """Open the current file of a store, or one file; by default of the default store.

        Raises:
            MissingTableError: the store has no published file.
            CorruptTableError: the file is not a table file, damaged, incomplete, or never finished.
            FileTooOldError, FileTooNewError: the format of the file cannot be read.
        """
        return cls(Store.at(place).require_current())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; arrays that were read stay valid."""
        self._connection.close()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Return a DuckDB cursor on the open file, for SQL; threads must not share it."""
        return self._connection.cursor()

    def games(self) -> list[GameRow]:
        """Return the games with results in the file, by name."""
        return list(self._games)

    def game(self, name: str) -> GameRow:
        """Return the game with this canonical text.

        Raises:
            UnknownGameError: the file has no results for the game.
        """
        for record in self._games:
            if record.name == name:
                return record
        known = ", ".join(record.name for record in self._games) or "none"
        raise UnknownGameError(f"{self.path.name} has no tables for {name}; it has: {known}")

    def builds(self) -> list[Build]:
        """Return the provenance of the results, by number of the build."""
        build, game = tables.build.c, tables.game.c
        statement = (
            select(tables.build, game.name.label("game"))
            .join(tables.game, build.game_id == game.game_id)
            .order_by(build.build_id)
        )
        return [_build_record(row) for row in self._records(statement)]

    def checksums(self, name: str, kind: str) -> list[ChecksumRecord]:
        """Return the stored checksums of the columns of a game and kind."""
        column = tables.checksum.c
        statement = select(column.table_name, column.column_name, column.rows, column.digest).where(
            column.game_id == self.game(name).game_id, column.kind == kind
        )
        return [ChecksumRecord(**row) for row in self._records(statement)]

    def stream(
        self, table_name: str, name: str, columns: Sequence[str], batch_rows: int = _BATCH_ROWS
    ) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a game in a result table, in stored order, as Arrow batches.

        Raises:
            UnknownGameError: the file has no results for the game.
            CorruptTableError: the file is damaged.
        """
        table = tables.result_tables()[table_name]
        statement = select(*(table.c[column] for column in columns)).where(
            table.c.game_id == self.game(name).game_id
        )
        schema = tables.arrow_schema(table)
        with translated(self.path), self.cursor() as cursor:
            # DuckDB keeps the order of insertion in a scan of one table, unless told otherwise.
            reader = cursor.execute(sql(statement)).to_arrow_reader(batch_rows)
            for field in reader.schema:
                if field.type != (written := schema.field(field.name).type):
                    raise CorruptTableError(
                        f"{self.path}: {table_name}.{field.name} has the type {field.type},"
                        f" not {written}"
                    )
            yield from reader

    def row_count(self, table_name: str, name: str) -> int:
        """Return the number of rows of a game in a result table."""
        table = tables.result_tables()[table_name]
        statement = select(func.count()).where(table.c.game_id == self.game(name).game_id)
        return int(self._rows(statement)[0][0])

    def read_column(
        self,
        table_name: str,
        column: str,
        name: str,
        *,
        check: bool = True,
        dtype: DTypeLike | None = None,
    ) -> NDArray[Any]:
        """Return a column of numbers of a game, in stored order, as one array.

        Args:
            table_name: the result table.
            column: the column.
            name: canonical text of the game.
            check: whether to compare the values with their checksum.
            dtype: type of the array, which must fit the values; None for the stored type.

        Raises:
            UnknownGameError: the file has no results for the game.
            CorruptTableError: the file is damaged, or the checksum differs.
        """
        field = tables.arrow_schema(tables.result_tables()[table_name]).field(column)
        stored = field.type.to_pandas_dtype()
        values = np.empty(self.row_count(table_name, name), stored if dtype is None else dtype)
        digest, done = ColumnDigest(), 0
        for batch in self.stream(table_name, name, [column]):
            part = batch.column(0)
            values[done : done + len(part)] = part.to_numpy(zero_copy_only=False)
            done += len(part)
            if check:
                digest.update(part)
        if check:
            self._compare(name, ChecksumRecord(table_name, column, done, digest.hexdigest()))
        return values

    def read_table(self, table_name: str, name: str, *, check: bool = True) -> pa.Table:
        """Return all rows of a game in a result table, in stored order.

        Args:
            table_name: the result table.
            name: canonical text of the game.
            check: whether to compare the columns with their checksums.

        Raises:
            UnknownGameError: the file has no results for the game.
            CorruptTableError: the file is damaged, or a checksum differs.
        """
        schema = tables.arrow_schema(tables.result_tables()[table_name])
        batches = list(self.stream(table_name, name, schema.names))
        rows = pa.Table.from_batches(batches).cast(schema) if batches else schema.empty_table()
        if check and len(rows):
            digest = TableDigest(table_name, schema)
            digest.update(rows)
            for record in digest.records():
                self._compare(name, record)
        return rows

    def read_sheets(self, name: str, *, check: bool = True, compact: bool = False) -> LoserSheets:
        """Return the loser sheets of a game.

        Args:
            name: canonical text of the game.
            check: whether to compare the data with their checksums.
            compact: whether to return the z of the prefixes as uint16 if none is above 65534.

        Raises:
            UnknownGameError: the file has no sheets of the game.
            CorruptTableError: the file is damaged, or its parts do not fit together.
        """
        summary = self.read_table(tables.sheet.name, name, check=check)
        if not len(summary):
            raise UnknownGameError(f"{self.path.name} has no sheets of {name}")
        largest = pc.max(summary.column("max_z")).as_py() or 0
        dtype = np.uint16 if compact and largest < np.iinfo(np.uint16).max else np.int32
        z = self.read_column(tables.p_position.name, "z", name, check=check, dtype=dtype)
        try:
            return sheets_of_rows(summary, z)
        except CorruptTableError as error:
            raise CorruptTableError(f"{self.path}: {name}: {error}") from None

    @property
    def identity(self) -> str:
        """16 hexadecimal digits that are equal exactly for files with equal results."""
        return identity_of(self.builds())

    def verify_all(self, between: Callable[[], None] = _nothing) -> None:
        """Recompute the checksums of all contents of the file.

        Args:
            between: callback between batches of rows; an exception from it ends the work.

        Raises:
            CorruptTableError: a count or a checksum differs, or the file is damaged.
        """
        self.check_builds()
        for build in self.builds():
            if (found := self.verify(build.game, build.kind, between)) != build.checksum:
                raise CorruptTableError(
                    f"{self.path}: {build.game} {build.kind} has checksum {found}, and"
                    f" {build.checksum} in its provenance"
                )

    def check_builds(self) -> None:
        """Check that the tables `game`, `build` and `checksum` have the same results.

        Raises:
            CorruptTableError: a row is missing, or is there twice.
        """
        build, checksum = tables.build.c, tables.checksum.c
        built = sorted(self._rows(select(build.game_id, build.kind)))
        summed = self._rows(select(checksum.game_id, checksum.kind).distinct())
        games = sorted(game.game_id for game in self._games)
        if built != sorted(summed) or games != sorted({of for of, _ in built}):
            raise CorruptTableError(
                f"{self.path}: the tables game, build and checksum have different results"
            )

    def verify(self, name: str, kind: str, between: Callable[[], None] = _nothing) -> str:
        """Recompute the checksums of all results of a game and kind from the stored rows.

        Args:
            name: canonical text of the game.
            kind: the kind of results.
            between: callback between batches of rows; an exception from it ends the work.

        Returns:
            The checksum of all columns, as in `Build.checksum`.

        Raises:
            CorruptTableError: a count or a checksum differs, or the file is damaged.
        """
        expected = self.checksums(name, kind)
        if not expected:
            raise CorruptTableError(f"{self.path}: no checksums of {name} {kind}")
        found: list[ChecksumRecord] = []
        for table_name in dict.fromkeys(record.table_name for record in expected):
            if table_name not in tables.result_tables():
                raise CorruptTableError(f"{self.path}: checksums of no table {table_name[:40]!r}")
            digest = TableDigest(
                table_name, tables.arrow_schema(tables.result_tables()[table_name])
            )
            for batch in self.stream(table_name, name, digest.columns):
                between()
                digest.update(batch)
            found += digest.records()
        for record in found:
            self._compare(name, record)
        return combined(found)

    def _compare(self, name: str, found: ChecksumRecord) -> None:
        game_id, column = self.game(name).game_id, (found.table_name, found.column_name)
        if self._checksums.get((game_id, *column)) != [(found.rows, found.digest)]:
            raise CorruptTableError(
                f"{self.path}: {name}: {found.table_name}.{found.column_name} has {found.rows} rows"
                f" with checksum {found.digest}, which is not what was written"
            )

    @cached_property
    def _games(self) -> tuple[GameRow, ...]:
        return tuple(map(_game_record, self._records(select(tables.game).order_by("name"))))

    @cached_property
    def _checksums(self) -> dict[tuple[int, str, str], list[tuple[int, str]]]:
        """Rows and digest, by game, table and column; one of each if the file is intact."""
        found: dict[tuple[int, str, str], list[tuple[int, str]]] = defaultdict(list)
        column = tables.checksum.c
        key, value = (column.game_id, column.table_name, column.column_name), column.digest
        for *place, rows, digest in self._rows(select(*key, column.rows, value)):
            found[tuple(place)].append((rows, digest))
        return found

    def _rows(self, statement: Select[Any]) -> list[tuple[Any, ...]]:
        with translated(self.path), self.cursor() as cursor:
            return cursor.execute(sql(statement)).fetchall()

    def _records(self, statement: Select[Any]) -> list[dict[str, Any]]:
        """Return rows with the names of their columns."""
        names = statement.selected_columns.keys()
        return [dict(zip(names, row, strict=True)) for row in self._rows(statement)]

    def _checked_info(self) -> FileInfo:
        names = set(self._names("SELECT table_name FROM duckdb_tables()"))
        self._check_no_views()
        if tables.file_info.name not in names:
            raise CorruptTableError(
                f"{self.path} is a DuckDB file, but not a table file of this program"
            )
        versions = self._rows(select(tables.file_info.c.format_version))
        if len(versions) != 1:
            raise CorruptTableError(f"{self.path} does not name its format")
        version = int(versions[0][0])
        if version > tables.FORMAT_VERSION:
            raise FileTooNewError(
                f"{self.path} has format {version}; this program reads up to"
                f" {tables.FORMAT_VERSION}: update it"
            )
        if version < tables.OLDEST_READABLE:
            raise FileTooOldError(
                f"{self.path} has format {version}; this program reads from"
                f" {tables.OLDEST_READABLE} on: build the tables again"
            )
        info = FileInfo(**self._records(select(tables.file_info))[0])
        missing = {table.name for table in tables.DESCRIPTIVE} - names
        if info.finished_at is None or missing:
            raise CorruptTableError(f"{self.path} is half-written: its build never finished")
        self._check_size()
        return info

    def _check_no_views(self) -> None:
        """Check that no view has the name of a table, because a view could read other data."""
        views = self._names("SELECT view_name FROM duckdb_views() WHERE NOT internal")
        if wrong := sorted(set(tables.metadata.tables).intersection(views)):
            raise CorruptTableError(f"{self.path}: {', '.join(wrong)} is a view, not a table")

    def _names(self, query: str) -> list[str]:
        with translated(self.path), self.cursor() as cursor:
            return [row[0] for row in cursor.execute(query).fetchall()]

    def _check_size(self) -> None:
        """Detect an incomplete file before a read fails."""
        query = "SELECT block_size, used_blocks FROM pragma_database_size()"
        with translated(self.path), self.cursor() as cursor:
            block, used = map(int, cursor.execute(query).fetchall()[0])
        whole, rest = divmod(self.path.stat().st_size - HEADER_BYTES, block)
        if rest or whole < used:
            raise CorruptTableError(
                f"{self.path} is cut off: it has {whole} whole blocks of {used}"
                + (f" and {rest} bytes of another" if rest else "")
            )


def _game_record(row: dict[str, Any]) -> GameRow:
    return GameRow(**row | {"declared": tuple(map(tuple, row["declared"]))})


def _build_record(row: dict[str, Any]) -> Build:
    row.pop("game_id")
    return Build(limit=row.pop("limit_text"), **row)
