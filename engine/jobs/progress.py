"""How a job tells how far it is, and how it is told to stop."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from engine.budget import Budget
from schema.errors import BuildInterruptedError, StoppedError


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is.

    Attributes:
        phase: what is being done now: `solve`, `check`, ...
        done: units of work done in this phase.
        total: units of work in this phase.
        p_positions: P-positions found so far.
        seconds_left: estimated time to the end of the phase; None while nothing is known.
    """

    phase: str
    done: int
    total: int
    p_positions: int = 0
    seconds_left: float | None = None


ProgressCallback = Callable[[Progress], None]
"""Takes a `Progress`, a few times a second at most; may be called from another thread."""


class StopFlag(Protocol):
    """What a `threading.Event` offers: whether the work should stop."""

    def is_set(self) -> bool:
        """Whether to stop."""


class _StopBudget(Budget):
    """Spent once a flag is set."""

    def __init__(self, stop: StopFlag) -> None:
        super().__init__()
        self._stop = stop

    def check(self) -> None:
        if self._stop.is_set():
            self.cancel()
        super().check()


@contextmanager
def stopped_by(stop: StopFlag) -> Iterator[Budget]:
    """Make a budget current that a flag stops.

    Raises:
        BuildInterruptedError: the work ended because the flag was set.
    """
    try:
        with _StopBudget(stop).active() as budget:
            yield budget
    except StoppedError as error:
        raise BuildInterruptedError(str(error)) from error


def time_left(elapsed: float, share: float) -> float | None:
    """Seconds left when `share` (0 to 1) of the work took `elapsed` seconds."""
    return None if share <= 0 else elapsed * max(0.0, 1 - share) / share
