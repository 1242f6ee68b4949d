"""Progress of a job: its parts in sequence, combined into one whole."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of one phase of a job.

    Attributes:
        phase: name of the current work: `solve`, `check`, ...
        done: units of work done in this phase.
        total: units of work in this phase.
        p_positions: P-positions found so far.
        seconds_left: estimated time to the end of the phase; None if not known yet.
    """

    phase: str
    done: int
    total: int
    p_positions: int = 0
    seconds_left: float | None = None


ProgressCallback = Callable[[Progress], None]
"""Callback that takes a `Progress`, at most a few times a second; another thread may call it."""

Report = Callable[..., None]
"""Callback made by `Reporter.part` that takes (done, total) and optionally the P-positions so
far."""


class Reporter:
    """Combines the progress of the parts of a job, one after another, into that of the whole.

    Attributes:
        p_positions: P-positions of the finished parts.
        scratch: a folder for data from which a stopped job can resume.
        scheduler: address of the Dask scheduler whose workers do the work; None for this machine.
    """

    def __init__(
        self, callback: ProgressCallback, scratch: Path, scheduler: str | None = None
    ) -> None:
        self.scratch = scratch
        self.scheduler = scheduler
        self.p_positions = 0
        self._callback = callback
        self._begun = time.monotonic()

    def part(
        self,
        phase: str,
        total: int | None = None,
        first: float = 0.0,
        last: float = 1.0,
        power: float = 1.0,
    ) -> Report:
        """Return a callback for one part, with arguments (done, total) and P-positions found.

        Args:
            phase: name of the work.
            total: units of work of the whole; None for those of the part.
            first: fraction of the whole that is done before this part; 0 restarts the clock.
            last: fraction that is done after this part.
            power: time is proportional to this power of the work done.
        """
        if first == 0.0:
            self._begun = time.monotonic()

        def report(done: int, of: int, p_positions: int = 0) -> None:
            share = done / max(1, of)
            units = of if total is None else total
            spent = first + (last - first) * share**power
            elapsed = time.monotonic() - self._begun
            self._callback(
                Progress(
                    phase=phase,
                    done=round((first + (last - first) * share) * units),
                    total=units,
                    p_positions=self.p_positions + p_positions,
                    seconds_left=elapsed * (1 - spent) / spent if spent > 0 else None,
                )
            )

        return report
