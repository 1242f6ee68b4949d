"""Helpers that the tests of jobs share."""

from collections.abc import Iterator

import pytest

from position_oracle.engine.budget import Budget


@pytest.fixture
def spent_budget() -> Iterator[Budget]:
    """Make a cancelled budget the current one."""
    with Budget().active() as budget:
        budget.cancel()
        yield budget
