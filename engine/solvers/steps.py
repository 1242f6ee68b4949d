"""Long work in steps: looking at the budget before each, telling how far it is."""

from collections.abc import Callable, Iterator
from typing import Final

from position_oracle.engine.budget import current

StepCallback = Callable[[int, int], None]
"""Told some dozens of times how much of how much is done."""

REPORTS: Final = 64


def steps(
    first: int, last: int, size: int = 1, progress: StepCallback | None = None
) -> Iterator[tuple[int, int]]:
    """Cut the numbers first .. last - 1 into consecutive ranges, each a few milliseconds of work.

    Args:
        first: the first number.
        last: one more than the last one.
        size: length of each range but the last.
        progress: called with (numbers done, `last`) after some of the ranges and after the last.

    Raises:
        StoppedError: the current budget is spent; looked at before each range.
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
