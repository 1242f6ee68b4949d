"""Exports tables and views of a table file as Parquet or CSV, with a datasheet.

A folder holds one file for each table and view, with the rows of all games, or a folder of files
with so many rows each (`sheet/part-00000.parquet`), which programs read in parallel; and

    datasheet.json     the file they come from, builds, columns with their meaning, rows, checksums
    DATASHEET.md       the same for people

The folder appears when it is complete, and is never written over.
"""

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from position_oracle.schema import tables
from position_oracle.schema.connections import translated
from position_oracle.schema.description import Described, describe
from position_oracle.schema.errors import MissingTableError, TableFileError
from position_oracle.schema.reading import Snapshot

GAME: Final = "game"
"""Name of the column with the game of a row; the other columns are those of the table."""

_GAME_MEANING: Final = "canonical text of the game"
_BATCH_ROWS: Final = 1_000_000


class Format(StrEnum):
    """The format of exported tables."""

    PARQUET = "parquet"
    CSV = "csv"


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """One file of an export.

    Attributes:
        name: name of the file in the folder of the export.
        table: name of the table or view.
        about: a description of the table or view.
        rows: number of rows.
        size: bytes.
        sha256: SHA-256 of the file.
        columns: names, types and meanings.
    """

    name: str
    table: str
    about: str
    rows: int
    size: int
    sha256: str
    columns: tuple[tuple[str, str, str], ...]

    def as_json(self) -> dict[str, object]:
        """Return JSON values with stable keys."""
        keys = ("name", "type", "meaning")
        return {
            "file": self.name,
            "table": self.table,
            "about": self.about,
            "rows": self.rows,
            "bytes": self.size,
            "sha256": self.sha256,
            "columns": [dict(zip(keys, column, strict=True)) for column in self.columns],
        }


def export(
    snapshot: Snapshot,
    folder: Path,
    form: Format,
    names: Sequence[str] = (),
    games: Sequence[str] = (),
    most_rows: int | None = None,
) -> tuple[ExportedFile, ...]:
    """Write tables and views into a new folder.

    Args:
        snapshot: the table file.
        folder: the folder, which must be missing or empty.
        form: the format of the files.
        names: names of tables and views; empty for all that have rows.
        games: canonical texts of games; empty for all. Views without a column `game` are exported
            completely.
        most_rows: the most rows of a file; None for one file for each table and view.

    Raises:
        TableFileError: the folder is not empty, or cannot be written.
        MissingTableError: a table or view does not exist.
        UnknownGameError: the file has no results of a game.
    """
    results = tables.result_tables()
    with snapshot.cursor() as cursor:
        known = {d.name: d for d in describe(cursor) if d.kind == "view" or d.name in results}
    for name in names:
        if name not in known:
            raise MissingTableError(
                f"there is no table or view {name[:40]!r}; there are {', '.join(known)}"
            )
    named = [snapshot.game(game).name for game in dict.fromkeys(games)]
    chosen = named or [game.name for game in snapshot.games()]
    with _new_folder(folder) as draft:
        files = []
        for name in dict.fromkeys(names or known):
            written = _write(snapshot, draft, form, known[name], chosen, most_rows)
            if written[0].rows or names:
                files += written
            else:
                (draft / written[0].name).unlink()
                if most_rows is not None:
                    (draft / name).rmdir()
        sheet = _datasheet(snapshot, files, chosen)
        (draft / "datasheet.json").write_text(json.dumps(sheet, indent=2) + "\n")
        (draft / "DATASHEET.md").write_text(_for_people(sheet, files))
    return tuple(files)


@contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    """Provide a temporary folder that becomes the requested one if no error occurs."""
    with translated(folder):
        is_empty = folder.is_dir() and not any(folder.iterdir())
        if folder.exists() and not (is_empty and folder.name):
            why = "cannot be replaced" if is_empty else "is not empty"
            raise TableFileError(f"{folder} exists and {why}; name a new folder")
        draft = folder.with_name(f".{folder.name}.{os.getpid()}.partial")
        try:
            draft.mkdir(parents=True)
            yield draft
            if folder.exists():
                folder.rmdir()
            draft.rename(folder)
        except OSError as error:
            raise TableFileError(
                f"{folder} cannot be written: {error.strerror or error}"
            ) from error
        finally:
            shutil.rmtree(draft, ignore_errors=True)


_Rows: TypeAlias = tuple[pa.Schema, Iterator[pa.RecordBatch]]
"""The columns of a table or view, and its rows in batches."""


class _Writer(Protocol):
    def write_batch(self, batch: pa.RecordBatch) -> None: ...
    def close(self) -> None: ...


def _write(
    snapshot: Snapshot,
    folder: Path,
    form: Format,
    source: Described,
    games: Sequence[str],
    most_rows: int | None,
) -> list[ExportedFile]:
    """Write the rows of a table or view into one file, or into files with so many rows each."""
    stored, batches = (_table_rows if source.kind == "table" else _view_rows)(
        snapshot, source, games
    )
    schema = pa.schema([_plain(field) for field in stored]) if form is Format.CSV else stored
    meanings = {GAME: _GAME_MEANING} | {c.name: c.meaning for c in source.columns}
    columns = tuple((field.name, str(field.type), meanings[field.name]) for field in schema)
    files = []
    for number, part in groupby(_numbered(batches, stored, most_rows), key=itemgetter(0)):
        name = f"{source.name}.{form}"
        if most_rows is not None:
            (folder / source.name).mkdir(exist_ok=True)
            name = f"{source.name}/part-{number:05}.{form}"
        path = folder / name
        rows = _write_file(path, schema, form, (batch for _, batch in part))
        size, sha256 = path.stat().st_size, _digest(path)
        files.append(ExportedFile(name, source.name, source.about, rows, size, sha256, columns))
    return files


def _numbered(
    batches: Iterator[pa.RecordBatch], schema: pa.Schema, most_rows: int | None
) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Yield batches with the numbers of their files; first an empty one, as a file may be empty."""
    yield 0, pa.record_batch([pa.array([], field.type) for field in schema], schema=schema)
    before = 0
    for batch in batches:
        rest = batch
        while len(rest):
            number, filled = divmod(before, most_rows or sys.maxsize)
            part = rest.slice(0, (most_rows or sys.maxsize) - filled)
            yield number, part
            rest, before = rest.slice(len(part)), before + len(part)


def _write_file(
    path: Path, schema: pa.Schema, form: Format, batches: Iterator[pa.RecordBatch]
) -> int:
    """Write one file and return the number of its rows."""
    writer, rows = _writer(path, schema, form), 0
    try:
        for batch in filter(len, batches):
            rows += len(batch)
            arrays = map(_as_field, batch.columns, schema)
            writer.write_batch(pa.record_batch(list(arrays), schema=schema))
    finally:
        writer.close()
    return rows


def _table_rows(snapshot: Snapshot, source: Described, games: Sequence[str]) -> _Rows:
    """Return the rows of a result table, with the text of the game instead of its number."""
    table = tables.result_tables()[source.name]
    fields = list(tables.arrow_schema(table))

    def batches() -> Iterator[pa.RecordBatch]:
        for game in games:
            for batch in snapshot.stream(table.name, game, [field.name for field in fields]):
                names = pa.array([game] * len(batch), pa.string())
                yield pa.record_batch([names, *batch.columns], [GAME, *batch.schema.names])

    return pa.schema([pa.field(GAME, pa.string(), nullable=False), *fields]), batches()


def _view_rows(snapshot: Snapshot, source: Described, games: Sequence[str]) -> _Rows:
    """Return the rows of a view, in its order."""
    query = f'FROM "{source.name}"'
    parameters = []
    if GAME in {column.name for column in source.columns}:
        query, parameters = f"{query} WHERE {GAME} IN (SELECT unnest(?))", [list(games)]
    with translated(snapshot.path):
        reader = snapshot.cursor().execute(query, parameters).to_arrow_reader(_BATCH_ROWS)
    return reader.schema, iter(reader)


def _writer(path: Path, schema: pa.Schema, form: Format) -> _Writer:
    if form is Format.PARQUET:
        import pyarrow.parquet as pq

        writer: _Writer = pq.ParquetWriter(path, schema, compression="zstd")
    else:
        from pyarrow import csv

        writer = csv.CSVWriter(path, schema)
    return writer


def _plain(field: pa.Field) -> pa.Field:
    """Return the field of a CSV file, in which lists and bytes are texts."""
    nested = pa.types.is_list(field.type) or pa.types.is_binary(field.type)
    return pa.field(field.name, pa.string(), field.nullable) if nested else field


def _as_field(column: Any, field: pa.Field) -> Any:
    """Convert a column to the type of a field: lists become JSON, bytes hexadecimal digits."""
    kind = field.type
    if column.type == kind:
        return column
    if pa.types.is_list(column.type):
        texts = [None if value is None else json.dumps(value) for value in column.to_pylist()]
        return pa.array(texts, pa.string())
    if pa.types.is_binary(column.type):
        return pa.array([None if v is None else v.hex() for v in column.to_pylist()], pa.string())
    return pc.cast(column, kind)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _datasheet(
    snapshot: Snapshot, files: Sequence[ExportedFile], games: Sequence[str]
) -> dict[str, Any]:
    builds = [build for build in snapshot.builds() if build.game in games]
    return {
        "source": {
            "file": snapshot.path.name,
            "identity": snapshot.identity,
            "format": snapshot.info.format_version,
            "program": snapshot.info.program,
        },
        "games": list(games),
        "builds": [build.as_json() for build in builds],
        "files": [each.as_json() for each in files],
    }


def _for_people(sheet: dict[str, Any], files: Sequence[ExportedFile]) -> str:
    source = sheet["source"]
    which = f"identity {source['identity']}, format {source['format']}"
    origin = f"From `{source['file']}` ({which}), written by {source['program']}."
    lines = [
        "# Datasheet",
        "",
        f"{origin} Equal results have equal identities.",
        "",
        "## Where the numbers come from",
        "",
        "| game | kind | limit | begun (UTC) | rows | checksum | computed by |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| `{b['game']}` | {b['kind']} | {b['limit']} | {b['started_at'][:16]} | {b['rows']:,}"
        f" | {b['checksum']} | {b['program']} |"
        for b in sheet["builds"]
    ]
    for table, group in groupby(files, key=attrgetter("table")):
        parts = list(group)
        lines += ["", f"## {table}", "", f"{parts[0].about}."]
        lines += ["", "| file | rows | bytes | SHA-256 |", "|---|---|---|---|"]
        lines += [f"| {p.name} | {p.rows:,} | {p.size:,} | `{p.sha256}` |" for p in parts]
        lines += ["", "| column | type | meaning |", "|---|---|---|"]
        lines += [f"| `{name}` | {kind} | {meaning} |" for name, kind, meaning in parts[0].columns]
    return "\n".join(lines) + "\n"
