"""The oracle is replaced exactly when another file is published."""

import asyncio
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest

from position_oracle.oracle.server import ServerSettings, process
from position_oracle.oracle.server.process import OracleSource
from tests.clock import PATIENCE
from tests.oracle.server.doubles import SlowOracle


class Place:
    """A published file, and the oracles loaded from it so far."""

    def __init__(self, folder: Path) -> None:
        self.current = folder / "a"
        self.current.write_text("a")
        self.loaded: list[Path] = []

    def find(self) -> Path:
        return self.current

    def load(self, path: Path) -> SlowOracle:
        if path.read_text() == "damaged":
            raise OSError("damaged")
        self.loaded.append(path)
        return SlowOracle()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_the_same_file_is_not_loaded_again(place: Place) -> None:
    source = OracleSource(place.find, place.load)
    oracle = source.current()
    assert not source.refresh()
    assert source.current() is oracle
    assert place.loaded == [place.current]


def test_another_file_is_loaded_once(place: Place) -> None:
    source = OracleSource(place.find, place.load)
    old, place.current = source.current(), place.current.with_name("b")
    place.current.write_text("b")
    assert source.refresh()
    assert not source.refresh()
    assert source.current() is not old
    assert source.path == place.current


def test_a_file_replaced_under_its_name_is_another_file(place: Place, tmp_path: Path) -> None:
    source = OracleSource(place.find, place.load)
    (tmp_path / "new").write_text("b")
    (tmp_path / "new").replace(place.current)
    assert source.refresh()


def test_a_damaged_file_changes_nothing_and_is_tried_again(place: Place) -> None:
    source = OracleSource(place.find, place.load)
    oracle, place.current = source.current(), place.current.with_name("b")
    place.current.write_text("damaged")
    for _ in range(2):
        with pytest.raises(OSError, match="damaged"):
            source.refresh()
    assert source.current() is oracle
    place.current.write_text("mended")
    assert source.refresh()


def test_a_missing_file_changes_nothing(place: Place) -> None:
    source = OracleSource(place.find, place.load)
    oracle, place.current = source.current(), place.current.with_name("missing")
    with pytest.raises(FileNotFoundError):
        source.refresh()
    assert source.current() is oracle


def test_a_source_says_that_it_is_loading(place: Place) -> None:
    """A process that ends can tell that a thread is loading, and does not wait for it."""
    told: list[bool] = []

    def load(path: Path) -> SlowOracle:
        if path.name == "b":
            told.append(source.is_loading)
        return place.load(path)

    source = OracleSource(place.find, load)
    assert not source.is_loading
    place.current = place.current.with_name("b")
    place.current.write_text("b")
    assert source.refresh()
    assert told == [True]
    assert not source.is_loading


def test_a_file_published_while_another_is_loaded_comes_next(place: Place) -> None:
    """After the file that it was loading, the server loads the file published meanwhile."""
    folder = place.current.parent

    def load(path: Path) -> SlowOracle:
        oracle = place.load(path)
        if path.name == "b":
            place.current = folder / "c"
            place.current.write_text("c")
        return oracle

    source = OracleSource(place.find, load)
    place.current = folder / "b"
    place.current.write_text("b")
    assert source.refresh()
    assert source.path == folder / "b"
    assert source.refresh()
    assert source.path == folder / "c"
    assert not source.refresh()
    assert [path.name for path in place.loaded] == ["a", "b", "c"]


def test_a_file_published_while_the_first_is_loaded_comes_next(place: Place) -> None:
    folder = place.current.parent

    def load(path: Path) -> SlowOracle:
        oracle = place.load(path)
        if path.name == "a":
            place.current = folder / "b"
            place.current.write_text("b")
        return oracle

    source = OracleSource(place.find, load)
    assert source.path == folder / "a"
    assert source.refresh()
    assert source.path == folder / "b"


def test_a_damaged_oracle_is_loaded_again_when_it_is_checked(place: Place) -> None:
    sound = [True, False, True]
    source = OracleSource(place.find, place.load, lambda _: sound.pop(0))
    oracle = source.current()
    assert source.refresh() is None
    assert source.refresh(scrub=True) is None
    assert source.refresh(scrub=True) == "repaired"
    assert source.current() is not oracle
    assert source.refresh(scrub=True) is None


@pytest.mark.parametrize(
    ("reload_seconds", "scrub_seconds", "expected"),
    [(0.01, 3600, [False] * 3 + [True]), (0.01, 0, [False] * 3 + [True]), (0, 0.01, [True] * 4)],
)
def test_arrays_are_checked_when_it_is_time_or_on_request(
    monkeypatch: pytest.MonkeyPatch,
    reload_seconds: float,
    scrub_seconds: float,
    expected: list[bool],
) -> None:
    """Three times it is time to look for new tables; the fourth look was asked for."""
    monkeypatch.setattr(process, "_settle", lambda _: None)
    settings = ServerSettings(reload_seconds=reload_seconds, scrub_seconds=scrub_seconds)
    server = Mock(settings=settings, read_again=AsyncMock())
    scrubs: list[bool] = []

    async def serve() -> None:
        now, done = asyncio.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()

        def refresh(*, scrub: bool) -> None:
            scrubs.append(scrub)
            if len(scrubs) == 3:
                loop.call_soon_threadsafe(now.set)
            elif len(scrubs) == 4:
                loop.call_soon_threadsafe(done.set)

        source: Any = Mock(refresh=refresh)
        reloading = asyncio.create_task(process._reload(source, Mock(), now, server))
        await asyncio.wait_for(done.wait(), PATIENCE)
        reloading.cancel()

    asyncio.run(serve())
    assert scrubs == expected
