"""Progress of a job: its parts, one after another, as one whole."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of one phase of a job.

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

Report = Callable[..., None]
"""The callback of `Reporter.part`: takes (done, of) and optionally the P-positions so far."""


class Reporter:
    """Turns the progress of the parts of a job, one after another, into that of the whole.

    Attributes:
        p_positions: P-positions of the parts that are finished.
        scratch: a folder in which a job may keep what it can go on from after it was stopped.
        scheduler: address of the Dask scheduler whose workers do the work; None: this machine.
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
        """Takes the progress of one part as (done, of) or (done, of, P-positions found).

        Args:
            phase: what is done.
            total: units of work of the whole; None: those of the part.
            first: share of the whole that is done before this part; a part that begins at 0
                begins the count of time anew.
            last: share that is done after it.
            power: time goes with this power of the work done.
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
