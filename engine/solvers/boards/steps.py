"""Long work in steps: telling how far it is, stopping when asked."""

from collections.abc import Callable, Iterator
from typing import Final

from schema.errors import BuildInterruptedError

Progress = Callable[[int, int], None]
"""Told after each step how many of how many boards are done."""

Stop = Callable[[], bool]
"""Asked before each step; true ends the work with BuildInterruptedError."""

STEPS: Final = 64


def steps(
    first: int, last: int, smallest: int, progress: Progress | None, stop: Stop | None
) -> Iterator[tuple[int, int]]:
    """Cut the ranks first .. last - 1 into at most about 64 consecutive ranges.

    Args:
        first: the first rank.
        last: one more than the last rank.
        smallest: no range but the last is shorter than this.
        progress: called with (ranks done, `last`) after each range.
        stop: asked before each range.

    Raises:
        BuildInterruptedError: `stop` said so.
    """
    size = max(smallest, -(-(last - first) // STEPS))
    for start in range(first, last, size):
        if stop is not None and stop():
            raise BuildInterruptedError(f"stopped on request, {start} of {last} boards done")
        end = min(start + size, last)
        yield start, end
        if progress is not None:
            progress(end, last)
