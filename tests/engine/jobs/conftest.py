"""Helpers shared by the tests of jobs."""

from collections.abc import Iterator

import pytest

from position_oracle.engine.budget import Budget


@pytest.fixture
def spent_budget() -> Iterator[Budget]:
    """Make a cancelled budget the current one."""
    with Budget().active() as budget:
        budget.cancel()
        yield budget
