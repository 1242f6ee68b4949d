"""Flipped bits in the files of a store change no answer: arrays are made again from the rows."""

import os
import random
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from position_oracle.oracle.array_digest import array_digest
from position_oracle.oracle.cli.main import run
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.loading import is_sound, maps_of
from position_oracle.schema.errors import PositionOracleError
from position_oracle.schema.files import remove_all
from position_oracle.schema.store import current_file

QUESTIONS = 100


@pytest.fixture
def place(store: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "data"
    shutil.copytree(store, copy)
    Oracle.open(copy)
    return copy


def flip(file: Path, place: int, bit: int) -> None:
    """Flip one bit of a file and keep the file's time, as a faulty disk does."""
    status = file.stat()
    with file.open("r+b") as stream:
        stream.seek(place)
        (byte,) = stream.read(1)
        stream.seek(place)
        stream.write(bytes([byte ^ 1 << bit]))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def drawn(rng: random.Random) -> Iterator[tuple[str, str]]:
    """Questions to the tables of the store, and some that need no table."""
    while True:
        x, y, z = sorted((rng.randrange(1, 300) for _ in range(3)), reverse=True)
        yield "winning_moves", f"chomp3:[{x},{y},{z}]"
        yield "outcome", f"chomp3:[{x % 90},{y % 90},{z % 30};{x % 2}]"
        yield "outcome", f"nim:[{x},{y},{z}]"


def answer(oracle: Oracle, question: tuple[str, str]) -> str:
    name, text = question
    try:
        return str(getattr(oracle, name)(text))
    except PositionOracleError as error:
        return str(error)


@pytest.mark.parametrize("flips", [3, pytest.param(2000, marks=pytest.mark.slow)])
def test_a_flipped_bit_changes_no_answer(place: Path, flips: int) -> None:
    rng = random.Random(27)
    questions = drawn(rng)
    asked = [next(questions) for _ in range(2 * QUESTIONS)]
    oracle = Oracle.open(place)
    expected = {question: answer(oracle, question) for question in asked}
    path = current_file(place)
    for _ in range(flips):
        files = [file for file in (path, *sorted(maps_of(path).iterdir())) if file.stat().st_size]
        file = rng.choice(files)
        where = rng.randrange(file.stat().st_size), rng.randrange(8)
        flip(file, *where)
        oracle = Oracle.open(place)
        for question in rng.sample(asked, QUESTIONS):
            assert answer(oracle, question) == expected[question]
        if file == path:  # rows are read again to replace arrays, so they must be right
            flip(file, *where)


def test_a_flipped_bit_in_rows_of_which_arrays_are_made_is_an_error(place: Path) -> None:
    rng, path = random.Random(28), current_file(place)
    expected = str(Oracle.open(place).winning_moves("chomp3:[299,0,0]"))
    for _ in range(10):
        where = rng.randrange(path.stat().st_size), rng.randrange(8)
        flip(path, *where)
        remove_all(maps_of(path))
        with suppress(PositionOracleError):
            assert str(Oracle.open(place).winning_moves("chomp3:[299,0,0]")) == expected
        flip(path, *where)


def test_verify_reads_the_arrays(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = current_file(place)
    assert is_sound(path)
    flip(maps_of(path) / "0.bin", 77, 3)
    assert not is_sound(path)
    command = ["verify", "transfinite", "--sample", "10", "--db", str(place)]
    assert run(command) == 1
    assert "FAIL mapped arrays" in capsys.readouterr().out
    Oracle.open(place)
    assert run(command) == 0
    assert "ok   mapped arrays" in capsys.readouterr().out


def test_a_link_in_the_place_of_the_folder_is_not_followed(place: Path, tmp_path: Path) -> None:
    folder = maps_of(current_file(place))
    folder.rename(tmp_path / "other")
    folder.symlink_to(tmp_path / "other")
    Oracle.open(place)
    assert not folder.is_symlink()
    assert (tmp_path / "other" / "index").exists()


@pytest.mark.parametrize("size", [1, 8, 4096, 4097, (1 << 20) + 5])
def test_the_digest_depends_on_every_bit(tmp_path: Path, size: int) -> None:
    file, rng = tmp_path / "array", random.Random(size)
    file.write_bytes(rng.randbytes(size))
    before = array_digest(file)
    for place in (0, size - 1, rng.randrange(size)):
        flip(file, place, rng.randrange(8))
        assert array_digest(file) != before
        before = array_digest(file)


def test_two_bits_in_one_column_of_a_page_are_seen(tmp_path: Path) -> None:
    """The sums of all words of the page are equal, but not those for each place in pages."""
    file = tmp_path / "array"
    file.write_bytes(bytes(8) + bytes([1]) + bytes(4087))
    before = array_digest(file)
    flip(file, 0, 0)  # from 0 to 1
    flip(file, 8, 0)  # from 1 to 0
    assert array_digest(file) != before
