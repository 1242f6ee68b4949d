"""A plugin of pytest: after each step of a test, it writes down the blocks that were reached."""

import time
from collections.abc import Generator

import pytest

from tests.mutation import probes


def pytest_collection_finish() -> None:
    """Record the blocks reached so far, when modules were imported."""
    probes.is_collecting[0] = True
    probes.unseen[:] = b"\1" * probes.BLOCKS


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    """Record the setup of a test, perhaps with data for other tests."""
    return (yield from _timed(item.nodeid, "setup"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Record the run of a test."""
    return (yield from _timed(item.nodeid, "call"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """Record the end of a test."""
    return (yield from _timed(item.nodeid, "teardown"))


def _timed(test: str, step: str) -> Generator[None, object, object]:
    begun = time.perf_counter()
    try:
        return (yield)
    finally:
        _end_step(test, step, time.perf_counter() - begun)


def _end_step(test: str, step: str, seconds: float) -> None:
    numbers = probes.collected.copy()
    probes.collected.clear()
    for number in numbers:
        probes.unseen[number] = 1
    probes.write(numbers, test, step, seconds)
