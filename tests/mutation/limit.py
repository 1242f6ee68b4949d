"""A plugin of pytest: a test that takes much more processor time than without a fault ends all."""

import os
import signal
from collections.abc import Generator
from typing import Final

import pytest

SECONDS: Final = "MUTANTS_SECONDS"
"""The environment variable with the processor time that a test may take."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    """Let a signal end the process when the time of the test is over."""
    signal.setitimer(signal.ITIMER_PROF, float(os.environ[SECONDS]))
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
