"""A table file gives access to no other file, has the recorded content, and arrives whole."""

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest

from position_oracle.schema import migrations, store, tables
from position_oracle.schema.connections import connect, translated
from position_oracle.schema.errors import (
    CorruptTableError,
    DiskFullError,
    FileTooNewError,
    FileTooOldError,
    MemoryFullError,
)
from position_oracle.schema.sheets import LoserSheets
from position_oracle.schema.snapshot import (
    GameRow,
    Snapshot,
    Store,
    begin_draft,
    current_file,
    upgrade,
)

PASSED = GameRow(12, "chomp3{passes=1}", "chomp3", passes=1)


# Access from a file


@contextmanager
def changed(place: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(current_file(place)) as connection:
        yield connection


@pytest.mark.parametrize("table", ["grundy", "checksum", "p_position"])
def test_a_view_in_place_of_a_table_is_refused(published: Path, tmp_path: Path, table: str) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("not for tables")
    with changed(published) as connection:
        connection.execute(f"DROP TABLE {table}")
        connection.execute(f"CREATE VIEW {table} AS FROM read_text('{secret}')")
    with pytest.raises(CorruptTableError, match=f"{table} is a view, not a table"):
        Snapshot.open(published)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_text('{path}')",
        "SELECT * FROM '{path}'",
        "COPY p_position TO '{path}.copy'",
        "ATTACH '{path}.duckdb'",
        "INSTALL httpfs",
        "LOAD '{path}'",
    ],
)
def test_nothing_is_reached_from_an_open_file(
    published: Path, tmp_path: Path, statement: str
) -> None:
    path = tmp_path / "other.csv"
    path.write_text("a\n1\n")
    with Snapshot.open(published) as snapshot, pytest.raises(duckdb.Error):
        snapshot.cursor().execute(statement.format(path=path))


def test_what_is_shut_stays_shut(published: Path) -> None:
    with Snapshot.open(published) as snapshot:
        for setting in ("enable_external_access", "autoload_known_extensions"):
            with pytest.raises(duckdb.Error):
                snapshot.cursor().execute(f"SET {setting} = true")


def test_a_program_may_open_the_same_file_beside_us(published: Path) -> None:
    path = current_file(published)
    with Snapshot(path), duckdb.connect(path, read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM sheet").fetchall() == [(4,)]


def test_a_file_can_be_exported_and_imported(published: Path, tmp_path: Path) -> None:
    folder = tmp_path / "export"
    with duckdb.connect(current_file(published), read_only=True) as connection:
        connection.execute(f"EXPORT DATABASE '{folder}'")
    copy = tmp_path / "copy.duckdb"
    with duckdb.connect(copy) as connection:
        connection.execute(f"IMPORT DATABASE '{folder}'")
        assert connection.execute("SELECT count(*) FROM openings").fetchone()
        assert connection.execute("SELECT chomp3_z('chomp3', 1, 0)").fetchone() == (2,)
    with Snapshot(copy) as snapshot, Snapshot.open(published) as before:
        snapshot.verify_all()
        assert snapshot.identity == before.identity


# Identity and checksums


def test_files_with_equal_results_have_equal_identities(
    tmp_path: Path, first_sheets: LoserSheets, publish: Callable[..., Any]
) -> None:
    found = []
    for name, games in (("a", [None, PASSED]), ("b", [PASSED, None]), ("c", [None])):
        for game in games:
            publish(tmp_path / name, first_sheets, *([game] if game else []))
        with Snapshot.open(tmp_path / name) as snapshot:
            found.append(snapshot.identity)
    assert found[0] == found[1] != found[2]
    assert all(len(identity) == 16 for identity in found)


@pytest.mark.parametrize(
    "change",
    ["UPDATE sheet SET max_z = 7 WHERE x = 2", "UPDATE build SET checksum = '0123456789abcdef'"],
)
def test_a_changed_row_is_found_by_checking_everything(published: Path, change: str) -> None:
    with Snapshot.open(published) as snapshot:
        snapshot.verify_all()
    with changed(published) as connection:
        connection.execute(change)
    with Snapshot.open(published) as snapshot, pytest.raises(CorruptTableError, match="checksum"):
        snapshot.verify_all()


def test_checking_everything_can_be_ended(published: Path) -> None:
    def enough() -> None:
        raise TimeoutError

    with Snapshot.open(published) as snapshot, pytest.raises(TimeoutError):
        snapshot.verify_all(enough)


# A stop until the very end


def test_a_stop_before_publication_leaves_everything(
    published: Path, first_sheets: LoserSheets, publish: Callable[..., Any]
) -> None:
    before, calls = current_file(published), []

    def count() -> None:
        calls.append(1)

    publish(published, first_sheets, PASSED, between=count)
    after = current_file(published)
    assert after != before
    for stopped_at in range(len(calls)):
        left = [stopped_at]

        def stop(left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise TimeoutError

        with pytest.raises(TimeoutError):
            publish(published, first_sheets, PASSED, between=stop)
        assert current_file(published) == after


def test_the_last_question_whether_to_stop_comes_after_every_check(
    published: Path,
    first_sheets: LoserSheets,
    publish: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done: list[str] = []
    verify, switch = Snapshot.verify, Store.publish

    def verified(self: Snapshot, name: str, kind: str, between: Callable[[], None]) -> str:
        found = verify(self, name, kind, between)
        done.append("verified")
        return found

    def published_now(self: Store, draft: Path) -> Path:
        done.append("published")
        return switch(self, draft)

    monkeypatch.setattr(Snapshot, "verify", verified)
    monkeypatch.setattr(Store, "publish", published_now)
    publish(published, first_sheets, PASSED, between=lambda: done.append("asked"))
    assert done[-3:] == ["verified", "asked", "published"]


# A full disk and full memory


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), DiskFullError),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), DiskFullError),
        (duckdb.IOException("IO Error: Could not write: No space left on device"), DiskFullError),
        (duckdb.OutOfMemoryException("Out of Memory Error: could not allocate"), MemoryFullError),
        (duckdb.InternalException("INTERNAL Error: std::bad_alloc"), MemoryFullError),
        (MemoryError(), MemoryFullError),
        (duckdb.IOException("IO Error: Corrupt database file"), CorruptTableError),
    ],
)
def test_a_full_disk_and_full_memory_are_named(error: Exception, expected: type[Exception]) -> None:
    with pytest.raises(expected), translated(Path("oracle.duckdb")):
        raise error


def test_other_errors_of_the_system_are_left_alone() -> None:
    with pytest.raises(PermissionError), translated(Path("oracle.duckdb")):
        raise PermissionError(errno.EACCES, "Permission denied")


def test_too_little_memory_is_not_called_corrupt(tmp_path: Path) -> None:
    connection = connect(tmp_path / "a.duckdb", read_only=False, memory_limit="20MiB")
    with pytest.raises(MemoryFullError), translated(tmp_path / "a.duckdb"):
        connection.execute("SELECT list(range) FROM range(50000000)").fetchall()
    connection.close()


def test_a_disk_that_is_full_at_any_step_changes_nothing(
    published: Path,
    first_sheets: LoserSheets,
    publish: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Copying, writing, making durable and renaming fail once each for lack of room."""
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    before = current_file(published)
    steps: list[int] = []
    fail_at = [-1]

    def counted(call: Callable[..., object]) -> Callable[..., object]:
        def wrapper(*arguments: Any, **options: Any) -> object:
            steps.append(1)
            if len(steps) - 1 == fail_at[0]:
                raise full
            return call(*arguments, **options)

        return wrapper

    monkeypatch.setattr(shutil, "copyfile", counted(shutil.copyfile))
    monkeypatch.setattr(store, "_sync", counted(store._sync))
    for name in ("replace", "write_text"):
        monkeypatch.setattr(Path, name, counted(getattr(Path, name)))
    for step in range(4):
        steps.clear()
        fail_at[0] = step
        with pytest.raises(DiskFullError):
            publish(published, first_sheets, PASSED)
        assert current_file(published) == before
        with Snapshot.open(published) as snapshot:
            snapshot.verify_all()
            assert [build.game for build in snapshot.builds()] == ["chomp3"]
    fail_at[0] = -1
    publish(published, first_sheets, PASSED)
    with Snapshot.open(published) as snapshot:
        assert len(snapshot.builds()) == 2


# Migration to the next format


@pytest.fixture
def next_format(monkeypatch: pytest.MonkeyPatch) -> None:
    """A format 2 with a note of the migration."""

    def migrate(connection: duckdb.DuckDBPyConnection) -> None:
        connection.execute("CREATE TABLE note (text VARCHAR)")
        connection.execute("INSERT INTO note VALUES ('from format 1')")

    monkeypatch.setattr(tables, "FORMAT_VERSION", 2)
    monkeypatch.setitem(migrations.MIGRATIONS, 1, migrate)


@pytest.mark.usefixtures("next_format")
def test_an_upgrade_keeps_every_build(
    published: Path, first_sheets: LoserSheets, publish: Callable[..., Any]
) -> None:
    with Snapshot.open(published) as snapshot:
        before = snapshot.identity, snapshot.builds()
        assert snapshot.info.format_version == 1
    upgraded = upgrade(published)
    assert upgraded == current_file(published)
    assert upgrade(published) is None
    with Snapshot.open(published) as snapshot:
        assert snapshot.info.format_version == 2
        assert (snapshot.identity, snapshot.builds()) == before
        snapshot.verify_all()
        assert snapshot.cursor().execute("FROM note").fetchall() == [("from format 1",)]
    publish(published, first_sheets, PASSED)
    with Snapshot.open(published) as snapshot:
        assert len(snapshot.builds()) == 2
        assert snapshot.cursor().execute("FROM note").fetchall() == [("from format 1",)]


@pytest.mark.usefixtures("next_format")
def test_the_next_build_upgrades_too(
    published: Path, first_sheets: LoserSheets, publish: Callable[..., Any]
) -> None:
    publish(published, first_sheets, PASSED)
    with Snapshot.open(published) as snapshot:
        assert snapshot.info.format_version == 2
        assert [build.game for build in snapshot.builds()] == ["chomp3", PASSED.name]
        assert snapshot.cursor().execute("FROM note").fetchall() == [("from format 1",)]


@pytest.mark.parametrize(
    "harm",
    [
        "DELETE FROM build",
        "DELETE FROM sheet WHERE x = 1",
        "UPDATE sheet SET max_z = max_z + 1 WHERE max_z IS NOT NULL",
    ],
)
def test_an_upgrade_that_loses_something_is_not_published(
    published: Path, monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    before = current_file(published)
    monkeypatch.setattr(tables, "FORMAT_VERSION", 2)
    monkeypatch.setitem(migrations.MIGRATIONS, 1, lambda connection: connection.execute(harm))
    with pytest.raises(CorruptTableError):
        upgrade(published)
    assert current_file(published) == before
    with Snapshot.open(published) as snapshot:
        snapshot.verify_all()


def test_without_a_way_a_file_is_neither_stamped_nor_lost(
    published: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = current_file(published)
    monkeypatch.setattr(tables, "FORMAT_VERSION", 2)
    with pytest.raises(FileTooOldError, match="no way from format 1 to 2"):
        upgrade(published)
    with pytest.raises(FileTooOldError), begin_draft(published):
        pass
    assert current_file(published) == before
    monkeypatch.setattr(tables, "FORMAT_VERSION", 1)
    with Snapshot.open(published) as snapshot:
        snapshot.verify_all()


def test_a_file_of_the_format_after_is_too_new(published: Path) -> None:
    with changed(published) as connection:
        connection.execute("UPDATE file_info SET format_version = 2")
    with pytest.raises(FileTooNewError):
        upgrade(published)
