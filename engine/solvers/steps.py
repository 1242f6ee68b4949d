"""Long work in steps: the budget is checked before each step, and progress is reported."""

from collections.abc import Callable, Iterator
from typing import Final

from position_oracle.engine.budget import current

StepCallback = Callable[[int, int], None]
"""Called with (done, total) about 64 times."""

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
        StoppedError: the current budget is spent; checked before each range.
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
