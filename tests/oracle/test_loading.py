"""Arrays mapped from a folder beside the table file: made once, and used only if trusted."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from position_oracle.engine.jobs.plan import BuildPlan
from position_oracle.engine.jobs.run import run_build
from position_oracle.oracle import core
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.families.resources import Arrays, StoredTable
from position_oracle.oracle.loading import arrange, load_tables, maps_of
from position_oracle.schema.errors import CorruptTableError, TableFileError
from position_oracle.schema.store import current_file, remove
from tests.conftest import STORE_LIMIT

QUESTIONS = ("chomp3:[120,30,4]", "chomp3:[299,0,0]", "chomp3:[7,8,9;1]", "chomp:9/8/7")
PROGRAM = """
import sys
from position_oracle.oracle.core import Oracle
from pathlib import Path
oracle = Oracle.open(Path(sys.argv[1]))
print([str(oracle.winning_moves(text)) for text in sys.argv[2:]])
heavy = {"duckdb", "sqlalchemy", "pyarrow", "numba"} & set(sys.modules)
print(sorted(heavy))
"""


@pytest.fixture(scope="module")
def two_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two tables that load faster than those of the common store."""
    place = tmp_path_factory.mktemp("two") / "data"
    run_build(BuildPlan.of("chomp3", STORE_LIMIT), place)
    run_build(BuildPlan.of("chomp3", 12, "grundy"), place)
    return place


@pytest.fixture
def place(two_tables: Path, tmp_path: Path) -> Path:
    """A copy of the store without its folder of arrays."""
    copy = tmp_path / "data"
    shutil.copytree(two_tables, copy)
    return copy


def maps(place: Path) -> Path:
    return maps_of(current_file(place))


def answers(tables: Sequence[StoredTable]) -> list[str]:
    oracle = Oracle(tables)
    return [str(oracle.winning_moves(text)) for text in QUESTIONS]


def moves(tables: Sequence[StoredTable]) -> list[object]:
    """Return the winning moves of all questions."""
    oracle = Oracle(tables)
    return [oracle.winning_moves(text).winning_moves for text in QUESTIONS]


def made_at(place: Path) -> int:
    return (maps(place) / "index").stat().st_mtime_ns


def is_mapped(table: StoredTable) -> bool:
    """Return whether the arrays come from the folder, and not from rows read now."""
    return all(array.size == 0 or _is_of_a_file(array) for array in table.arrays.values())


def _is_of_a_file(array: object) -> bool:
    return _file_of(array) is not None


def _file_of(array: object) -> Path | None:
    while isinstance(array, np.ndarray) and not isinstance(array, np.memmap):
        array = array.base
    return Path(str(array.filename)) if isinstance(array, np.memmap) else None


def inodes(tables: Sequence[StoredTable]) -> dict[tuple[str, str], set[int]]:
    """Return the files on disk that the arrays of each table are mapped from."""
    return {
        (table.build.game, table.build.kind): {
            file.stat().st_ino for array in table.arrays.values() if (file := _file_of(array))
        }
        for table in tables
    }


def test_the_second_program_maps_what_the_first_wrote(place: Path) -> None:
    """The first program maps the arrays, too, so that both share the memory."""
    first = load_tables(place)
    made = made_at(place)
    second = load_tables(place)
    assert made_at(place) == made
    assert all(map(is_mapped, (*first, *second)))
    assert [table.build for table in first] == [table.build for table in second]
    for one, other in zip(first, second, strict=True):
        assert list(one.arrays) == list(other.arrays)
        for name, array in one.arrays.items():
            assert array.dtype == other.arrays[name].dtype
            np.testing.assert_array_equal(array, other.arrays[name])
    assert answers(first) == answers(second)


def test_another_process_lays_them_out(place: Path) -> None:
    expected = answers(load_tables(place))
    shutil.rmtree(maps(place))
    arrange(place)
    made = made_at(place)
    tables = load_tables(place)
    assert made_at(place) == made
    assert all(map(is_mapped, tables))
    assert answers(tables) == expected


def test_tables_without_arrays_are_reported_when_they_are_loaded(tmp_path: Path) -> None:
    (tmp_path / "oracle.duckdb").write_bytes(b"no table file")
    arrange(tmp_path / "oracle.duckdb")
    with pytest.raises(TableFileError):
        load_tables(tmp_path / "oracle.duckdb")


@pytest.mark.parametrize("error", [IndexError, KeyError, OverflowError, NotImplementedError])
def test_rows_of_which_no_arrays_can_be_made_are_a_damaged_file(
    place: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def load(*_: object) -> Arrays:
        raise error

    monkeypatch.setattr(core.prober_of("chomp3"), "loaders", {"sheets": load})
    with pytest.raises(CorruptTableError, match="chomp3 sheets cannot be loaded"):
        load_tables(place)


def test_mapped_arrays_are_those_of_the_rows(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mapped = load_tables(place)
    assert all(map(is_mapped, mapped))
    monkeypatch.setattr("position_oracle.oracle.loading._mapped", lambda *_: None)
    read = load_tables(place)
    assert not any(map(is_mapped, read))
    for one, other in zip(mapped, read, strict=True):
        assert one.build == other.build
        for name, array in one.arrays.items():
            np.testing.assert_array_equal(array, other.arrays[name])


def test_a_small_question_needs_neither_database_nor_compiler(place: Path) -> None:
    load_tables(place)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(place), *QUESTIONS[:2]],
        capture_output=True,
        text=True,
        check=True,
    )
    said, heavy = done.stdout.splitlines()
    assert said == str(answers(load_tables(place))[:2])
    assert heavy == "[]"


def test_a_folder_of_an_earlier_file_is_made_again(place: Path) -> None:
    expected = answers(load_tables(place))
    made = made_at(place)
    path = current_file(place)
    copy = path.with_name("copy")
    shutil.copyfile(path, copy)
    copy.replace(path)  # gives another inode and another time
    assert answers(load_tables(place)) == expected
    assert made_at(place) > made


def record_of(index: Path) -> dict[str, Any]:
    """Return the record in an index, without the digest before it."""
    record: dict[str, Any] = json.loads(index.read_bytes()[32:])
    return record


def write_record(index: Path, record: dict[str, Any]) -> None:
    text = json.dumps(record).encode()
    index.write_bytes(sha256(text).hexdigest()[:32].encode() + text)


@pytest.mark.parametrize(
    "damage", ["short", "gone", "bit", "index", "index bit", "format", "outside"]
)
def test_a_damaged_folder_is_made_again(place: Path, damage: str) -> None:
    expected = answers(load_tables(place))
    made, index = made_at(place), maps(place) / "index"
    record = record_of(index)
    stored = record["tables"][0]
    array = maps(place) / stored["file"]
    if damage == "short":
        array.write_bytes(array.read_bytes()[:100])
    elif damage == "gone":
        array.unlink()
    elif damage == "bit":
        array.write_bytes(bytes([array.read_bytes()[0] ^ 1]) + array.read_bytes()[1:])
    elif damage == "index":
        index.write_text(index.read_text()[:50])
    elif damage == "index bit":
        index.write_bytes(index.read_bytes().replace(b'"limit": "', b'"limit": "9'))
    elif damage == "format":
        write_record(index, record | {"format": 0})
    else:
        stored["file"] = "../" + array.name
        write_record(index, record)
    time.sleep(0.01)
    assert answers(load_tables(place)) == expected
    assert made_at(place) > made
    assert all(map(is_mapped, load_tables(place)))


@pytest.mark.parametrize("kind", ["pipe", "file", "link", "index", "other index", "draft"])
def test_what_stands_in_the_place_of_a_folder_is_replaced(place: Path, kind: str) -> None:
    expected, folder = answers(load_tables(place)), maps(place)
    shutil.rmtree(folder)
    if kind == "pipe":
        os.mkfifo(folder)
    elif kind == "file":
        folder.touch()
    elif kind == "link":
        folder.symlink_to("/nowhere")
    elif kind == "draft":
        os.mkfifo(folder.parent / ".maps-left")
    else:
        if kind == "other index":
            folder = folder.with_stem("oracle-000099")
        folder.mkdir()
        os.mkfifo(folder / "index")
    assert answers(load_tables(place)) == expected
    assert all(map(is_mapped, load_tables(place)))


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_a_folder_that_others_may_write_is_not_trusted(place: Path, mode: int) -> None:
    expected = answers(load_tables(place))
    made, folder = made_at(place), maps(place)
    folder.chmod(mode)
    time.sleep(0.01)
    assert answers(load_tables(place)) == expected
    assert made_at(place) > made
    assert folder.stat().st_mode & 0o022 == 0


def test_a_folder_of_another_user_is_not_trusted(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_tables(place)
    made = made_at(place)
    if os.getuid() == 0:  # everybody would trust a folder of root
        os.chown(maps(place), 12345, -1)
    else:
        monkeypatch.setattr("os.getuid", lambda: 12345)
    time.sleep(0.01)
    load_tables(place)
    assert made_at(place) > made


def test_where_nothing_can_be_written_the_arrays_stay_in_memory(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("position_oracle.oracle.loading.tempfile.mkdtemp", refuse)
    tables = load_tables(place)
    assert not maps(place).exists()
    assert not any(map(is_mapped, tables))
    monkeypatch.undo()
    assert answers(tables) == answers(load_tables(place))


def test_a_full_disk_leaves_nothing_behind(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("position_oracle.oracle.loading._written", full)
    before = sorted(place.iterdir())
    tables = load_tables(place)
    assert sorted(place.iterdir()) == before
    assert not any(map(is_mapped, tables))


def test_programs_that_start_at_once_do_not_disturb_each_other(place: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, str(place), *QUESTIONS[:2]]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = []
    for process in running:
        out, err = process.communicate(timeout=120)
        assert (process.returncode, err) == (0, "")
        said.append(out.splitlines()[0])
    assert said[0] == said[1] == str(answers(load_tables(place))[:2])
    assert not list(place.glob(".maps-*"))


def test_what_a_publication_does_not_change_is_not_laid_out_again(place: Path) -> None:
    before, expected = inodes(first := load_tables(place)), moves(first)
    run_build(BuildPlan.of("nim{heaps=3}", 8), place)
    after = inodes(second := load_tables(place))
    assert set(after) == {*before, ("nim{heaps=3}", "sheets")}
    assert {table: after[table] for table in before} == before
    assert moves(second) == expected


def test_what_a_publication_replaces_is_laid_out_again(place: Path) -> None:
    before = inodes(load_tables(place))
    run_build(BuildPlan.of("chomp3", STORE_LIMIT + 1), place)
    after = inodes(load_tables(place))
    changed = {table for table in after if not after[table] & before[table]}
    assert changed == {("chomp3", "sheets")}


@pytest.mark.parametrize("touched", ["array", "file"])
def test_arrays_of_changed_files_are_not_linked(place: Path, touched: str) -> None:
    expected = moves(load_tables(place))
    array = maps(place) / "0.bin"
    os.utime({"array": array, "file": current_file(place)}[touched])
    run_build(BuildPlan.of("nim{heaps=3}", 8), place)
    tables = load_tables(place)
    assert moves(tables) == expected
    assert array.stat().st_ino not in set().union(*inodes(tables).values())


def test_few_files_stay_open(place: Path) -> None:
    """Each table has one open file for all its arrays. A process may have only some hundreds."""
    load_tables(place)
    before = len(list(Path("/proc/self/fd").iterdir()))
    tables = load_tables(place)
    assert len(list(Path("/proc/self/fd").iterdir())) - before <= len(tables)


def test_what_a_killed_program_left_goes(place: Path) -> None:
    left = place / ".maps-abc"
    left.mkdir()
    (left / "0.bin").write_bytes(b"half")
    load_tables(place)
    assert not left.exists()


def test_the_folder_goes_with_its_file(place: Path) -> None:
    load_tables(place)
    path, folder = current_file(place), maps(place)
    assert folder.is_dir()
    remove(path)
    assert not path.exists()
    assert not folder.exists()
