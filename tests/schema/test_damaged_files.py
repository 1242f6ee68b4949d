"""Files that cannot be used are refused, with an error that gives the reason."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from position_oracle.schema.errors import (
    CorruptTableError,
    FileTooNewError,
    FileTooOldError,
    MissingTableError,
    TableFileError,
    UnknownGameError,
)
from position_oracle.schema.snapshot import GameRow, LoserSheets, Snapshot, begin_draft


@pytest.fixture
def file(published: Path, tmp_path: Path) -> Path:
    """A copy of a sound table file."""
    return Path(shutil.copy(published / "oracle-000001.duckdb", tmp_path / "copy.duckdb"))


def change(path: Path, statement: str) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(statement)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a DuckDB file"),
        (b"x, y, z\n1, 2, 3\n", "not a DuckDB file"),
        (b"\x00" * 100_000, "not a DuckDB file"),
        (b"\x00" * 8 + b"DUCK" + b"\x40", "cut off"),
        (b"\x00" * 8 + b"DUCK" + b"\x40" * 20_000, "cannot be read"),
    ],
)
def test_other_files_than_table_files_are_refused(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "tables.duckdb"
    path.write_bytes(content)
    with pytest.raises(CorruptTableError, match=message):
        Snapshot.open(path)


def test_a_folder_in_place_of_the_file_is_refused(published: Path) -> None:
    (published / "oracle-000001.duckdb").unlink()
    (published / "oracle-000001.duckdb").mkdir()
    with pytest.raises(MissingTableError):
        Snapshot.open(published)


@pytest.mark.parametrize("share", [0.002, 0.1, 0.5, 0.9, 0.999])
def test_a_file_that_lost_its_end_is_refused(file: Path, share: float) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(CorruptTableError):
        Snapshot.open(file)


def test_no_flipped_byte_passes_as_a_table(file: Path, first_sheets: LoserSheets) -> None:
    sound = file.read_bytes()
    with Snapshot.open(file) as snapshot:
        expected = snapshot.read_sheets("chomp3").prefix_z.tolist()
    for at in range(100, len(sound), len(sound) // 40):
        damaged = bytearray(sound)
        damaged[at] ^= 0x55
        file.write_bytes(damaged)
        try:
            with Snapshot.open(file) as snapshot:
                found = snapshot.read_sheets("chomp3").prefix_z.tolist()
        except CorruptTableError:
            continue
        assert found == expected  # this byte is not used


def test_a_duckdb_file_of_someone_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.duckdb"
    change(path, "CREATE TABLE t AS SELECT 1 AS x")
    with pytest.raises(CorruptTableError, match="not a table file of this program"):
        Snapshot.open(path)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE file_info SET finished_at = NULL",
        "DELETE FROM file_info",
        "DROP TABLE build",
        "ALTER TABLE file_info DROP COLUMN program",
    ],
)
def test_a_half_written_file_is_refused(file: Path, statement: str) -> None:
    change(file, statement)
    with pytest.raises(CorruptTableError):
        Snapshot.open(file)


@pytest.mark.parametrize(("version", "error"), [(2, FileTooNewError), (0, FileTooOldError)])
def test_other_formats_are_refused(file: Path, version: int, error: type[Exception]) -> None:
    change(file, f"UPDATE file_info SET format_version = {version}")  # noqa: S608
    with pytest.raises(error, match=rf"has format {version}; this program reads"):
        Snapshot.open(file)


def test_a_newer_format_may_change_everything_but_the_version(tmp_path: Path) -> None:
    path = tmp_path / "future.duckdb"
    change(path, "CREATE TABLE file_info AS SELECT 99 AS format_version, 'x' AS something_else")
    with pytest.raises(FileTooNewError, match="format 99"):
        Snapshot.open(path)


def test_a_file_in_use_by_a_writer_is_not_called_corrupt(file: Path) -> None:
    with (
        duckdb.connect(str(file)),
        pytest.raises(TableFileError, match="open for writing") as caught,
    ):
        Snapshot.open(file)
    assert not isinstance(caught.value, CorruptTableError)


def test_a_file_that_another_process_writes_is_not_called_corrupt(file: Path) -> None:
    script = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print(1, flush=True); input()"
    command = [sys.executable, "-c", script, str(file)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        with pytest.raises(TableFileError, match="open for writing") as caught:
            Snapshot.open(file)
        writer.communicate("\n")
    assert not isinstance(caught.value, CorruptTableError)


@pytest.mark.parametrize(
    "falsify",
    [
        "UPDATE p_position SET z = z + 1 WHERE x = 3 AND y = 1",
        "DELETE FROM p_position WHERE x = 2 AND y = 3",
        "INSERT INTO p_position SELECT game_id, 3, 3, 7 FROM game",
        "UPDATE p_position SET y = 9 WHERE x = 3 AND y = 1",
        "UPDATE sheet SET tail_z = [5] WHERE x = 2",
        "UPDATE sheet SET prefix_length = 1, p_count = 1 WHERE x = 1",
        "DELETE FROM sheet WHERE x = 3",
        "CREATE OR REPLACE TABLE p_position AS FROM p_position ORDER BY z",
        "DELETE FROM checksum",
        "UPDATE checksum SET table_name = 'nonsense' WHERE column_name = 'tail_z'",
    ],
)
def test_falsified_tables_do_not_verify(file: Path, falsify: str) -> None:
    change(file, falsify)
    with Snapshot.open(file) as snapshot, pytest.raises(CorruptTableError):
        snapshot.verify("chomp3", "sheets")


@pytest.mark.parametrize("column", ["tail_z", "max_z"])
def test_a_column_of_another_type_is_reported(file: Path, column: str) -> None:
    change(file, f"ALTER TABLE sheet ALTER {column} TYPE VARCHAR")
    with Snapshot.open(file) as snapshot:
        for read in (snapshot.read_sheets, lambda name: snapshot.verify(name, "sheets")):
            with pytest.raises(CorruptTableError, match=f"sheet.{column} has the type string, not"):
                read("chomp3")


@pytest.mark.parametrize("table", ["game", "build", "checksum"])
def test_a_missing_row_about_results_is_noticed(file: Path, table: str) -> None:
    change(file, f"DELETE FROM {table}")  # noqa: S608
    with Snapshot.open(file) as snapshot, pytest.raises(CorruptTableError, match="different"):
        snapshot.verify_all()


def test_sheets_in_the_wrong_order_are_not_read(file: Path) -> None:
    change(file, "CREATE OR REPLACE TABLE p_position AS FROM p_position ORDER BY z")
    with Snapshot.open(file) as snapshot:
        with pytest.raises(CorruptTableError, match="not what was written"):
            snapshot.read_sheets("chomp3")
        with pytest.raises(CorruptTableError, match="differ"):
            snapshot.read_sheets("chomp3", check=False)


def test_a_game_that_is_not_there_is_unknown(file: Path) -> None:
    with Snapshot.open(file) as snapshot:
        for read in (snapshot.game, snapshot.read_sheets):
            with pytest.raises(UnknownGameError, match=r"has no tables for .*; it has: chomp3"):
                read("chomp3{passes=1}")


@pytest.mark.parametrize("damage", [lambda b: b[:5000], lambda b: b"\x00" * len(b)])
def test_a_damaged_current_file_is_not_carried_over(
    published: Path, damage: Callable[[bytes], bytes]
) -> None:
    path = published / "oracle-000001.duckdb"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(CorruptTableError), begin_draft(published) as draft:
        draft.replace(GameRow(1, "chomp3", "chomp3"), "sheets", ["sheet"])
    assert path.exists()
