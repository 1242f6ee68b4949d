"""Writes table files: a draft beside the current file, checked, then published."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from sqlalchemy import Table, delete, func, insert, select
from sqlalchemy.sql.dml import UpdateBase

from position_oracle.schema import tables
from position_oracle.schema.connections import connect, sql, translated
from position_oracle.schema.description import create, definitions
from position_oracle.schema.digests import TableDigest, combined
from position_oracle.schema.errors import BuildError, CorruptTableError
from position_oracle.schema.files import copy_new, write_new
from position_oracle.schema.games import Build
from position_oracle.schema.migrations import migrate
from position_oracle.schema.reading import Snapshot
from position_oracle.schema.records import GameRow
from position_oracle.schema.store import Store, remove

ROW_GROUP: Final = 122_880
"""Number of rows that DuckDB stores together; batches of this size are written in parallel, in
order."""

WRITER_MEMORY: Final = "512MiB"
"""Memory limit of DuckDB while it writes and checks; without it DuckDB caches everything it
reads."""


def _nothing() -> None:
    pass


@cache
def program() -> str:
    """Return name and version of this program, as stored in files."""
    try:
        return f"position-oracle {version('position-oracle')}"
    except PackageNotFoundError:
        return "position-oracle (not installed)"


def utc_now() -> datetime:
    """Return the present time in UTC, without zone, as DuckDB stores it."""
    return datetime.now(UTC).replace(tzinfo=None)


@contextmanager
def begin_draft(
    place: Store | Path | str | None = None, *, purpose: str = "a build"
) -> Iterator["Draft"]:
    """Begin a new file beside the current one, with a copy of all its results.

    Leaving the block without `Draft.publish` removes the draft. The current file never changes, and
    stays current if this process is killed at any moment; the next draft then removes the
    leftovers.

    Args:
        place: the store; None for the default one.
        purpose: a description of the build, which other writers see in their error.

    Raises:
        BuildError: another process is writing to this store.
        CorruptTableError, FileTooOldError, FileTooNewError: the current file cannot be copied.
    """
    store = Store.at(place)
    with store.locked(purpose):
        path = store.begin_draft()
        draft = None
        try:
            draft = Draft(store, path)
            yield draft
        finally:
            if draft is not None:
                draft.close()
            remove(path)


def rows_for(table: Table, columns: pa.Table | Mapping[str, Any]) -> pa.Table:
    """Return rows of a result table with the types of its columns."""
    schema = tables.arrow_schema(table)
    rows = columns if isinstance(columns, pa.Table) else pa.table(dict(columns))
    return rows.select(schema.names).cast(schema)


_empty_files: Final[dict[str, bytes]] = {}
"""Content of files without rows, by the definitions in them."""


def _write_empty(path: Path) -> None:
    """Write a file without rows; a process makes the definitions in it once."""
    with translated(path):
        if (known := _empty_files.get(definitions())) is not None:
            write_new(path, known)
            return
        with connect(path, read_only=False, memory_limit=WRITER_MEMORY) as connection:
            create(connection)
        _empty_files[definitions()] = path.read_bytes()


class Draft:
    """An unfinished table file; made by `begin_draft`."""

    def __init__(self, store: Store, path: Path) -> None:
        self._store = store
        self._path = path
        self._written: list[TableWriter] = []
        written_in = tables.FORMAT_VERSION
        current = store.current()
        self._has_earlier_results = current is not None
        if current is not None:
            with Snapshot(current) as snapshot:
                written_in = snapshot.info.format_version
            with translated(path):
                copy_new(current, path)
        else:
            _write_empty(path)
        self._connection = connect(path, read_only=False, memory_limit=WRITER_MEMORY)
        try:
            self._prepare(written_in)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file; `begin_draft` calls it."""
        self._connection.close()

    def replace(self, game: GameRow, kind: str, table_names: Sequence[str]) -> "TableWriter":
        """Begin the results of a game; earlier results in these tables of this kind are deleted.

        Args:
            game: the game.
            kind: the kind of results, e.g. `sheets`.
            table_names: the result tables that will be written.
        """
        written = [tables.result_tables()[name] for name in table_names]
        checksum, build = tables.checksum, tables.build
        self.execute(delete(tables.game).where(tables.game.c.game_id == game.game_id))
        self.execute(insert(tables.game).values(**asdict(game)))
        for described in (checksum, build):
            column = described.c
            self.execute(
                delete(described).where(column.game_id == game.game_id, column.kind == kind)
            )
        for table in written:
            self.execute(delete(table).where(table.c.game_id == game.game_id))
        if self._has_earlier_results:
            # The space of deleted rows can be used again only after a checkpoint.
            with translated(self._path):
                self._connection.execute("CHECKPOINT")
        writer = TableWriter(self, game, kind, written)
        self._written.append(writer)
        return writer

    def publish(self, between: Callable[[], None] = _nothing) -> Path:
        """Finish the file, check it, and make it the current one.

        The check reads every result written, and compares counts and checksums.

        Args:
            between: callback several times a second, and last before the file becomes current;
                after an exception from it nothing has changed.

        Returns:
            The path of the published file.

        Raises:
            BuildError: results are not finished.
            CorruptTableError: the contents of the file differ from the written data.
        """
        for writer in self._written:
            if writer.record is None:
                raise BuildError(f"the results of {writer.game.name} were not finished")
        self._finish()
        with Snapshot(self._path, WRITER_MEMORY) as snapshot:
            for writer in self._written:
                snapshot.verify(writer.game.name, writer.kind, between)
        between()
        with translated(self._path):
            return self._store.publish(self._path)

    def publish_all(self, builds: Sequence[Build]) -> Path:
        """Publish a file that holds all results of these builds, after checking each of them.

        Raises:
            CorruptTableError: a build is missing, or its rows differ from the written data.
        """
        self._finish()
        with Snapshot(self._path, WRITER_MEMORY) as snapshot:
            kept = {(build.game, build.kind) for build in snapshot.builds()}
            for build in builds:
                if (build.game, build.kind) not in kept:
                    raise CorruptTableError(f"{self._path} has lost {build.game} {build.kind}")
            snapshot.verify_all()
        with translated(self._path):
            return self._store.publish(self._path)

    def _finish(self) -> None:
        self.execute(tables.file_info.update().values(finished_at=utc_now()))
        with translated(self._path):
            self._connection.execute("CHECKPOINT")
        self.close()

    def execute(self, statement: UpdateBase) -> None:
        """Run one small statement."""
        with translated(self._path):
            self._connection.execute(sql(statement))

    def next_build_id(self) -> int:
        """Return the number of the next build in this file."""
        query = sql(select(func.coalesce(func.max(tables.build.c.build_id), 0)))
        with translated(self._path):
            return int(self._connection.execute(query).fetchall()[0][0]) + 1

    def insert_rows(self, table: Table, game_id: int, rows: pa.Table) -> None:
        """Append rows in bulk, in order."""
        source = pa.Table.from_batches(rows.to_batches(max_chunksize=ROW_GROUP), rows.schema)
        columns = ", ".join(f'"{name}"' for name in rows.schema.names)
        with translated(self._path):
            self._connection.register("new_rows", source)
            try:
                self._connection.execute(
                    f'INSERT INTO "{table.name}" (game_id, {columns})'  # noqa: S608 - own names
                    f" SELECT {game_id}, {columns} FROM new_rows"
                )
            finally:
                self._connection.unregister("new_rows")

    def _prepare(self, written_in: int) -> None:
        with translated(self._path):
            migrate(self._connection, written_in, tables.FORMAT_VERSION)
            create(self._connection)
        info = tables.file_info
        self.execute(delete(info))
        self.execute(
            insert(info).values(
                format_version=tables.FORMAT_VERSION, program=program(), created_at=utc_now()
            )
        )


class TableWriter:
    """Writes the results of one game and kind; made by `Draft.replace`.

    Attributes:
        game: the game.
        kind: the kind of results.
        record: the provenance, after `finish`.
    """

    def __init__(self, draft: Draft, game: GameRow, kind: str, written: list[Table]) -> None:
        self.game = game
        self.kind = kind
        self.record: Build | None = None
        self._draft = draft
        self._tables = {table.name: table for table in written}
        self._digests = {
            table.name: TableDigest(table.name, tables.arrow_schema(table)) for table in written
        }

    def append(self, table_name: str, columns: pa.Table | Mapping[str, Any]) -> None:
        """Append rows to a result table, in sorted order.

        Args:
            table_name: one of the tables named when the writer was made.
            columns: an Arrow table, or arrays by column name; numpy arrays are not copied if
                they have the type of the column.

        Raises:
            BuildError: columns are missing, or values do not fit their column.
        """
        table = self._tables[table_name]
        try:
            rows = rows_for(table, columns)
        except (pa.ArrowInvalid, KeyError) as error:
            raise BuildError(f"{self.game.name}: rows do not fit {table_name}: {error}") from error
        self._digests[table_name].update(rows)
        self._draft.insert_rows(table, self.game.game_id, rows)

    def finish(
        self, *, limit: str, started_at: datetime, seconds: float, environment: str
    ) -> Build:
        """Store checksums and provenance; after this the results are complete.

        Args:
            limit: the requested limit.
            started_at: start of the computation (UTC).
            seconds: wall-clock time since then.
            environment: JSON text, see `Build.environment`.
        """
        checksums = [r for digest in self._digests.values() for r in digest.records()]
        game_id = self.game.game_id
        # One bulk statement, because one statement for each row takes longer than small tables.
        rows = [{"kind": self.kind, **asdict(checksum)} for checksum in checksums]
        self._draft.insert_rows(tables.checksum, game_id, pa.Table.from_pylist(rows))
        self.record = Build(
            build_id=self._draft.next_build_id(),
            game=self.game.name,
            kind=self.kind,
            limit=limit,
            started_at=started_at,
            seconds=seconds,
            rows=max(checksum.rows for checksum in checksums),
            checksum=combined(checksums),
            program=program(),
            environment=environment,
        )
        values = asdict(self.record)
        del values["game"]
        values |= {"game_id": game_id, "limit_text": values.pop("limit")}
        self._draft.execute(insert(tables.build).values(**values))
        return self.record


def upgrade(place: Store | Path | str | None = None) -> Path | None:
    """Convert the current file of a store to the format of this program, with every build.

    All checksums are compared before the new file becomes the current one.

    Returns:
        The path of the new file; None if the current one already has this format.

    Raises:
        MissingTableError: the store has no published file.
        CorruptTableError: the file is damaged, or a migration did not keep a build.
        FileTooOldError, FileTooNewError: the format of the file cannot be read.
        BuildError: another process is writing to the store.
    """
    store = Store.at(place)
    with Snapshot.open(store) as before:
        if before.info.format_version == tables.FORMAT_VERSION:
            return None
        builds = before.builds()
    with begin_draft(store, purpose="an upgrade") as draft:
        return draft.publish_all(builds)
