"""Garbage collection in processes that answer."""

import asyncio
import gc
import weakref
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest

from position_oracle.oracle.server import garbage, process
from tests.clock import PATIENCE

MANY = 200_000
"""Number of containers of which Python's own thresholds look through all, more than once."""


@pytest.fixture(autouse=True)
def _thresholds() -> Iterator[None]:
    before, is_enabled = gc.get_threshold(), gc.isenabled()
    gc.enable()
    gc.set_threshold(700, 10, 10)
    gc.freeze()
    gc.collect()  # so that new objects are many in relation to older ones
    yield
    gc.set_threshold(*before)
    if not is_enabled:
        gc.disable()


@pytest.fixture
def full() -> Iterator[list[Any]]:
    """The full collections so far."""
    found: list[Any] = []

    def note(phase: str, about: dict[str, int]) -> None:
        if phase == "start" and about["generation"] == 2:
            found.append(about)

    gc.callbacks.append(note)
    yield found
    gc.callbacks.remove(note)


class Node:
    """An object that refers to itself, so that only the collector frees it."""

    def __init__(self) -> None:
        self.itself = self


def test_a_large_question_is_not_interrupted_by_full_collections(full: list[Any]) -> None:
    garbage.exempt_present()
    made = [[] for _ in range(MANY)]  # type: ignore[var-annotated]
    assert len(made) == MANY
    assert not full


def test_without_it_there_are_full_collections(full: list[Any]) -> None:
    made = [[] for _ in range(MANY)]  # type: ignore[var-annotated]
    assert len(made) == MANY
    assert full


def test_cycles_of_a_large_question_are_freed_after_it() -> None:
    garbage.exempt_present()
    node = Node()
    made = [[] for _ in range(MANY)]  # type: ignore[var-annotated]
    left, node = weakref.ref(node), Node()  # the first one is old now
    made += [[] for _ in range(MANY)]
    assert left() is not None
    garbage.collect()
    assert left() is None


def test_nothing_is_collected_after_small_questions(full: list[Any]) -> None:
    garbage.exempt_present()
    gc.collect()
    full.clear()
    garbage.collect()
    assert not full


def test_the_server_collects_while_no_call_is_in_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    collected: list[bool] = []
    monkeypatch.setattr(process, "collect", lambda: collected.append(True))
    monkeypatch.setattr(process, "_BEAT_SECONDS", 0)
    admission: Any = SimpleNamespace(active_calls=1)

    async def moments() -> None:
        for _ in range(5):
            await asyncio.sleep(0)

    async def test() -> None:
        collecting = asyncio.create_task(process.collect_between_calls(admission))
        await moments()
        assert not collected
        admission.active_calls = 0
        await moments()
        assert collected
        collecting.cancel()

    asyncio.run(test())


def test_exempt_objects_that_have_become_garbage_are_freed() -> None:
    node = Node()
    left = weakref.ref(node)
    garbage.exempt_present()
    del node
    gc.collect()
    assert left() is not None
    garbage.free_exempt()
    assert left() is None


@pytest.mark.parametrize(("deadline", "freed"), [(0.0, [0, 0, 1, 2, 2]), (3600.0, [0, 0, 1, 1, 1])])
def test_replaced_tables_are_freed_at_once_and_after_the_last_call_that_may_use_them(
    monkeypatch: pytest.MonkeyPatch, deadline: float, freed: list[int]
) -> None:
    """A look for damage, which finds none, frees nothing."""
    settled: list[object] = []
    monkeypatch.setattr(process, "_settle", settled.append)
    reasons, before = [None, "loaded", None, None, None], list[int]()

    async def test() -> None:
        loop, look, done = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()
        server: Any = Mock(read_again=AsyncMock())
        server.settings = SimpleNamespace(
            reload_seconds=0, scrub_seconds=0, deadline_seconds=deadline
        )

        def refresh(*, scrub: bool) -> str | None:
            assert scrub
            before.append(len(settled))
            loop.call_soon_threadsafe((look if len(before) < len(reasons) else done).set)
            return reasons[len(before) - 1]

        look.set()
        source: Any = Mock(refresh=refresh)
        reloading = asyncio.create_task(process._reload(source, Mock(), look, server))
        await asyncio.wait_for(done.wait(), PATIENCE)
        reloading.cancel()

    asyncio.run(test())
    assert before == freed
