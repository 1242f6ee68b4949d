"""What writes down which test is running: when it reaches a fault's place, and how long it took."""

import json
import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import pytest

RECORD: Final = "MUTANTS_RECORD"
"""The variable of the environment that names the file; processes that tests start inherit it."""

_seen: set[tuple[int, str]] = set()


def mark(number: int) -> None:
    """A place is reached: by the running test, or by none, while modules are imported."""
    running = os.environ.get("PYTEST_CURRENT_TEST", "")
    if (number, running) not in _seen:
        _seen.add((number, running))
        test, _, step = running.rpartition(" (")
        _write(number, test, step.removesuffix(")"))


def pytest_runtest_logreport(report: "pytest.TestReport") -> None:
    """A step of a test is over; called by pytest, of which this is a plugin."""
    _write(report.duration, report.nodeid, report.when)


def _write(what: float, test: str, step: str) -> None:
    with open(os.environ[RECORD], "a", encoding="utf-8") as file:  # noqa: PTH123, short lines whole
        file.write(json.dumps([what, test, step]) + "\n")
