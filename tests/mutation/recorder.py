"""A plugin of pytest: it writes down the blocks that each test and each fixture reaches."""

import os
from collections.abc import Generator
from typing import Any

import pytest

from tests.mutation import probes
from tests.mutation.probes import FIXTURE, STEP

_last = [0.0]
"""Processor time at the end of the last step, with that of processes that have ended."""


def pytest_collection_finish() -> None:
    """Record the blocks reached so far, when modules were imported."""
    probes.recorded_process[0] = os.getpid()
    probes.unseen[:] = b"\1" * probes.BLOCKS


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Record a test, and which fixtures it uses."""
    assert isinstance(item, pytest.Function)
    found = item._fixtureinfo.name2fixturedefs.values()
    uses = [_name(fixture) for fixtures in found for fixture in fixtures]
    probes.write(item.nodeid, [], fixtures=uses)
    return (yield from _step(item.nodeid))


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
    """Record a fixture."""
    return (yield from _step(_name(fixturedef)))


def _name(fixture: pytest.FixtureDef[Any]) -> str:
    return f"{FIXTURE}{fixture.baseid}::{fixture.argname}"


def _step(name: str) -> Generator[None, object, object]:
    outer = os.environ.get(STEP, "")
    _end(outer)
    os.environ[STEP] = name
    try:
        return (yield)
    finally:
        _end(name)
        os.environ[STEP] = outer


def _end(name: str) -> None:
    """Record what happened since the last step began or ended."""
    numbers, now = probes.collected.copy(), sum(os.times()[:4])
    probes.collected.clear()
    for number in numbers:
        probes.unseen[number] = 1
    if name:
        probes.write(name, numbers, now - _last[0])
    _last[0] = now
