"""Long work in steps: check the budget before each step, and report progress."""

from collections.abc import Callable, Iterator
from typing import Final

from position_oracle.engine.budget import current

StepCallback = Callable[[int, int], None]
"""Callback with (done, total), called about 64 times."""

REPORTS: Final = 64


def steps(
    first: int, last: int, size: int = 1, progress: StepCallback | None = None
) -> Iterator[tuple[int, int]]:
    """Yield consecutive ranges of the numbers first .. last - 1, each some milliseconds of work.

    Args:
        first: the first number.
        last: one more than the last one.
        size: length of each range except the last.
        progress: called with (numbers done, `last`) after some of the ranges and after the last.
    """
    budget = current()
    told = first
    for start in range(first, last, max(1, size)):
        budget.check()
        end = min(start + max(1, size), last)
        yield start, end
        if progress is not None and (end == last or (end - told) * REPORTS >= last - first):
            told = end
            progress(end, last)
