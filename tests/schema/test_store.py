"""Stores: the pointer, the lock, and the removal of old files."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from position_oracle.schema.errors import BuildError, CorruptTableError, MissingTableError
from position_oracle.schema.snapshot import (
    Snapshot,
    Store,
    begin_draft,
    current_file,
    default_place,
)

REPOSITORY = Path(__file__).parents[2]

HOLD_LOCK = """
import sys
from position_oracle.schema.snapshot import Store
with Store.at(sys.argv[1]).locked("a build of chomp3"):
    print("locked", flush=True)
    sys.stdin.read()
"""


def holder(place: Path) -> "subprocess.Popen[str]":
    """Start a process that holds the lock of a store until its standard input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD_LOCK, str(place)],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "locked\n"
    return process


def test_the_default_place_is_data_unless_the_environment_names_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ORACLE_DB", raising=False)
    assert default_place() == Path("data")
    monkeypatch.setenv("ORACLE_DB", "/elsewhere")
    assert Store.at().place == Path("/elsewhere")


def test_the_pointer_names_the_current_file(published: Path) -> None:
    assert (published / "CURRENT").read_text() == "oracle-000001.duckdb\n"
    assert current_file(published) == published / "oracle-000001.duckdb"


@pytest.mark.parametrize("place", ["nowhere", "nowhere.duckdb", "empty"])
def test_a_place_without_tables_is_missing(tmp_path: Path, place: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(MissingTableError, match="oracle build writes one"):
        Snapshot.open(tmp_path / place)


@pytest.mark.parametrize(
    "text", ["", "../../etc/passwd", "oracle-1.duckdb", "\x00\xff", "x" * 9999]
)
def test_a_damaged_pointer_is_reported(published: Path, text: str) -> None:
    (published / "CURRENT").write_text(text)
    with pytest.raises(CorruptTableError, match="it should name a file like"):
        Snapshot.open(published)


@pytest.mark.parametrize("kind", ["pipe", "folder", "endless", "itself"])
def test_a_pointer_that_is_not_a_file_is_reported(tmp_path: Path, kind: str) -> None:
    pointer = tmp_path / "CURRENT"
    if kind == "pipe":
        os.mkfifo(pointer)
    elif kind == "folder":
        pointer.mkdir()
    else:
        pointer.symlink_to("/dev/zero" if kind == "endless" else "CURRENT")
    with pytest.raises(CorruptTableError, match=r"CURRENT .*; it should name"):
        current_file(tmp_path)


def test_a_pointer_to_a_file_that_is_gone_is_reported(published: Path) -> None:
    (published / "oracle-000001.duckdb").unlink()
    with pytest.raises(MissingTableError, match="which is not in"):
        Snapshot.open(published)


def test_two_drafts_of_one_process_do_not_collide(tmp_path: Path) -> None:
    with (
        begin_draft(tmp_path, purpose="a build of chomp3"),
        pytest.raises(BuildError, match=rf"a build of chomp3, process {os.getpid()} since"),
        begin_draft(tmp_path),
    ):
        pass


def test_a_second_writer_is_told_who_is_writing(published: Path) -> None:
    with holder(published) as process:
        with (
            pytest.raises(BuildError, match=f"a build of chomp3, process {process.pid} since"),
            begin_draft(published),
        ):
            pass
        with Snapshot.open(published) as snapshot:
            assert len(snapshot.games()) == 1


def test_the_lock_of_a_dead_writer_is_taken_over(published: Path) -> None:
    with holder(published) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert str(process.pid) in (published / ".lock").read_text()
        with begin_draft(published) as draft:
            draft.publish()
    assert current_file(published).name == "oracle-000002.duckdb"


def test_a_lock_file_with_any_content_is_not_a_lock(published: Path) -> None:
    (published / ".lock").write_text("process 1 was here")
    with begin_draft(published) as draft:
        draft.publish()


def test_only_our_own_unfinished_files_are_removed(published: Path) -> None:
    ours = [".draft-000002.duckdb", ".draft-000002.duckdb.wal", ".CURRENT.new"]
    theirs = ["notes.txt", ".draft.duckdb", "draft-000002.duckdb", "mine.duckdb", ".hidden"]
    for name in ours + theirs:
        (published / name).write_text("left over")
    (published / ".draft-000007.duckdb.tmp").mkdir()
    with begin_draft(published) as draft:
        draft.publish()
    left = {path.name for path in published.iterdir()}
    assert left >= set(theirs)
    assert not [name for name in left if name.startswith(".draft-")]
    assert ".CURRENT.new" not in left


def test_a_number_is_not_used_again_for_a_file_that_was_never_current(published: Path) -> None:
    (published / "oracle-000009.duckdb").write_bytes(b"published, but for the pointer")
    with begin_draft(published) as draft:
        assert draft.publish().name == "oracle-000010.duckdb"


def test_going_back_leads_to_the_file_before_whatever_follows(published: Path) -> None:
    """Newer files stay, the oldest two are kept, and no number is used again."""
    store = Store.at(published)

    def names() -> list[str]:
        return [path.name[-8] for path in store.published()]

    assert _publish(published) == store.current()
    assert _publish(published).name == "oracle-000003.duckdb"
    for before in ("2", "1"):
        assert store.roll_back() == store.current()
        assert store.require_current().name == f"oracle-00000{before}.duckdb"
    with pytest.raises(MissingTableError, match="no table file before oracle-000001"):
        store.roll_back()
    assert names() == ["1", "2", "3"]
    assert _publish(published).name == "oracle-000004.duckdb"
    assert names() == ["2", "3", "4"]
    assert store.roll_back().name == "oracle-000003.duckdb"


# Symbolic links made by others


def _publish(place: Path) -> Path:
    with begin_draft(place) as draft:
        return draft.publish()


@pytest.mark.parametrize("what", ["link", "second name", "folder", "pipe", "dangling link"])
def test_a_lock_that_leads_elsewhere_is_refused(published: Path, tmp_path: Path, what: str) -> None:
    other, lock = tmp_path / "other.txt", published / ".lock"
    other.write_text("precious")
    lock.unlink()
    if what == "link":
        lock.symlink_to(other)
    elif what == "dangling link":
        lock.symlink_to(tmp_path / "nothing.txt")
    elif what == "second name":
        lock.hardlink_to(other)
    elif what == "folder":
        lock.mkdir()
    else:
        os.mkfifo(lock)
    with pytest.raises(BuildError, match="not a lock file of its own"):
        _publish(published)
    assert other.read_text() == "precious"
    assert not (tmp_path / "nothing.txt").exists()


@pytest.mark.parametrize(
    "name", [".CURRENT.new", ".draft-000002.duckdb", ".draft-000002.duckdb.wal"]
)
def test_what_a_build_writes_does_not_go_through_a_link(
    published: Path, tmp_path: Path, name: str
) -> None:
    other = tmp_path / "other.txt"
    other.write_text("precious")
    (published / name).symlink_to(other)
    assert _publish(published).name == "oracle-000002.duckdb"
    assert other.read_text() == "precious"
    assert (published / "CURRENT").read_text() == "oracle-000002.duckdb\n"


def test_a_pointer_that_is_a_link_is_not_read(published: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("not for messages")
    (published / "CURRENT").unlink()
    (published / "CURRENT").symlink_to(secret)
    with pytest.raises(CorruptTableError, match="symbolic links") as told:
        current_file(published)
    assert "not for messages" not in str(told.value)


@pytest.mark.parametrize("limit", ["10", "20"])
def test_a_scratch_folder_that_is_a_link_is_not_used(
    published: Path, tmp_path: Path, limit: str
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "1.data").write_text("precious")
    (published / ".work-census-10").symlink_to(other)
    store = Store.at(published)
    assert not store.scratch("census", limit).exists()
    assert (other / "1.data").read_text() == "precious"


@pytest.mark.parametrize("name", [".draft-000002.duckdb.tmp", "oracle-000001.maps"])
def test_folders_that_are_links_are_removed_and_not_emptied(
    published: Path, tmp_path: Path, name: str
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "precious.txt").write_text("precious")
    (published / name).symlink_to(other)
    for _ in range(3):  # until the oldest file is removed
        _publish(published)
    assert (other / "precious.txt").read_text() == "precious"
    assert not (published / name).is_symlink()
