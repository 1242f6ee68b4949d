"""Grundy values and remoteness of every position up to a limit: solved, stored, checked."""

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from engine.games.spec import GameSpec
from engine.jobs.progress import Progress, ProgressCallback, StopFlag, time_left
from engine.jobs.report import Check, Sample
from engine.jobs.resources import Estimate
from schema.errors import BuildInterruptedError
from schema.snapshot import Snapshot, TableWriter
from schema.value_rows import rows_of_values

if TYPE_CHECKING:
    from engine.solvers.value_layouts import Layout

# Models fitted to runs on two cores; `make bench` prints what they are compared with.
_START_SECONDS: Final = 2.5
_STEP_NANOSECONDS: Final = 2.0
_WRITE_NANOSECONDS: Final = 600.0
_BASE_BYTES: Final = 900 << 20
_BYTES_A_POSITION: Final = 24
_ROW_BYTES: Final = 6.0
_EMPTY_FILE_BYTES: Final = 3 << 20


class PositionValues:
    """Builds the table `grundy` or `remoteness` of one family.

    What limits mean is in `engine.solvers.value_layouts`.
    """

    def __init__(self, family: str, kind: str) -> None:
        """The builder of one family and kind, `grundy` or `remoteness`."""
        self.family = family
        self.kind = kind
        self.table_names = (kind,)

    def games_needed(self, game: GameSpec) -> tuple[GameSpec, ...]:
        """See `Builder.games_needed`; two more passes change no Grundy value.

        With passes, the moves lead to values without a pass and with one, so both are needed.
        """
        if not game.passes or not game.is_plain:
            return (game,)
        return game.with_passes(0), game.with_passes(1)

    def canonical_limit(self, game: GameSpec, limit: str) -> str:
        """See `Builder.canonical_limit`."""
        return self._layout(game, limit).limit

    def estimate(self, game: GameSpec, limit: str) -> Estimate:
        """See `Builder.estimate`; rows are positions."""
        layout = self._layout(game, limit)
        nanoseconds = layout.steps * _STEP_NANOSECONDS + layout.count * _WRITE_NANOSECONDS
        return Estimate(
            rows=layout.count,
            seconds=_START_SECONDS + nanoseconds * 1e-9,
            memory_bytes=_BASE_BYTES + layout.count * _BYTES_A_POSITION,
            disk_bytes=_EMPTY_FILE_BYTES + int(layout.count * _ROW_BYTES),
        )

    def run(
        self,
        game: GameSpec,
        limit: str,
        writer: TableWriter,
        progress: ProgressCallback,
        stop: StopFlag,
    ) -> None:
        """See `Builder.run`; memory holds one number a position, and a block of rows."""
        layout = self._layout(game, limit)
        values = layout.solve(self.kind, _reporter("solve", progress))
        report = _reporter("write", progress)
        done = 0
        for flat, begins in layout.rows():
            if stop.is_set():
                raise BuildInterruptedError(f"stopped after {done} of {layout.count} positions")
            count = len(begins) - 1
            writer.append(self.kind, rows_of_values(flat, begins, values[done : done + count]))
            done += count
            report(done, layout.count)

    def checks(
        self, snapshot: Snapshot, game: GameSpec, limit: str, sample: Sample
    ) -> Iterator[Check]:
        """See `Builder.checks`."""
        from engine.jobs.checks.values import value_checks

        yield from value_checks(snapshot, self._layout(game, limit), self.kind, sample)

    def _layout(self, game: GameSpec, limit: str) -> "Layout":
        from engine.solvers.value_layouts import layout_of

        return layout_of(game, limit, self.kind)


def _reporter(phase: str, progress: ProgressCallback) -> Callable[[int, int], None]:
    begun = time.monotonic()

    def report(done: int, total: int) -> None:
        left = time_left(time.monotonic() - begun, done / total)
        progress(Progress(phase, done, total, seconds_left=left))

    return report
