"""Sheets of games with three heaps: the one z for every x and y, solved, stored, checked."""

import re
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from engine.games.spec import GameSpec
from engine.jobs.progress import Progress, ProgressCallback, StopFlag, time_left
from engine.jobs.report import Check, Sample
from engine.jobs.resources import Estimate
from schema.errors import BuildInterruptedError, NotationError
from schema.sheets import CUT, LoserSheets
from schema.snapshot import Snapshot, TableWriter, rows_of_sheets

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LIMIT: Final = re.compile(r"(\d{1,9})(?:x(\d{1,9}))?")

_BLOCK_ROWS: Final = 1 << 20
"""Rows written at a time."""

# Models fitted to runs on two cores; `make bench` prints what they are compared with.
_START_SECONDS: Final = 2.5
_SOLVE_NANOSECONDS: Final = {"nim": 30.0, "wythoff": 150.0}
_NOISE_NANOSECONDS: Final = 90.0
_WRITE_NANOSECONDS: Final = 110.0
_BASE_BYTES: Final = 600 << 20
_ROW_BYTES: Final = 3.5
_EMPTY_FILE_BYTES: Final = 3 << 20


class HeapSheets:
    """Builds the tables `p_position` and `sheet` of games with three heaps.

    Limits are texts: `4096` means every x <= 4096 and y <= 4096, `100x4096` every x <= 100 and
    y <= 4096; any z. Sheet x has one P-position in every column, and is cut off at the largest y.

    Two more passes change no P-position, so tables are made of games with no pass or one.
    """

    kind = "sheets"
    table_names = ("p_position", "sheet")

    def __init__(self, family: str) -> None:
        """The builder of one family, `nim` or `wythoff`."""
        self.family = family

    def games_needed(self, game: GameSpec) -> tuple[GameSpec, ...]:
        """See `Builder.games_needed`; without declared positions Bouton's theorem needs no table.

        A variant with passes needs the games with no pass and with one: the one has its outcomes,
        the other tells where the pass wins.
        """
        is_variant = bool(game.declared) or game.noise is not None
        if is_variant and game.passes:
            return game.with_passes(0), game.with_passes(1)
        return (game.with_passes(game.passes % 2),)

    def canonical_limit(self, game: GameSpec, limit: str) -> str:
        """See `Builder.canonical_limit`."""
        from engine.solvers.heap_games import largest_limit

        if game.heaps != 3:
            three = "nim{heaps=3}" if game.family == "nim" else "wythoff{rule=pairs}"
            raise NotationError(f"{game.text} has no sheets: write three heaps, e.g. {three}")
        if game.passes > 1:
            same = game.with_passes(game.passes % 2)
            raise NotationError(
                f"{game.text} has the P-positions of {same.text}, since two more passes change"
                " none: build that"
            )
        largest = largest_limit(game)
        match = _LIMIT.fullmatch(limit.strip())
        if match is None or max(int(n or 0) for n in match.groups()) > largest:
            raise NotationError(
                f"limit {limit[:40]!r} of {game.text}: write the largest x and y, 0 to {largest},"
                " as 4096 or 100x4096"
            )
        return f"{int(match[1])}x{int(match[2] or match[1])}"

    def estimate(self, game: GameSpec, limit: str) -> Estimate:
        """See `Builder.estimate`."""
        from engine.solvers.heap_games import estimate_sheets_bytes

        limit_x, limit_y = limits(limit)
        rows = (limit_x + 1) * (limit_y + 1)
        nanoseconds = _SOLVE_NANOSECONDS[game.family] + _WRITE_NANOSECONDS
        if game.noise is not None:
            nanoseconds += _NOISE_NANOSECONDS
        return Estimate(
            rows=rows,
            seconds=_START_SECONDS + rows * nanoseconds * 1e-9,
            memory_bytes=_BASE_BYTES + estimate_sheets_bytes(game, limit_x, limit_y),
            disk_bytes=_EMPTY_FILE_BYTES + int(_ROW_BYTES * rows),
        )

    def run(
        self,
        game: GameSpec,
        limit: str,
        writer: TableWriter,
        progress: ProgressCallback,
        stop: StopFlag,
    ) -> None:
        """See `Builder.run`; memory holds the whole table of z, and one block of its rows."""
        from engine.solvers.heap_games import solve_sheets

        limit_x, limit_y = limits(limit)
        z = solve_sheets(game, limit_x, limit_y, progress=_reporter("solve", limit_y, progress))
        report = _reporter("write", limit_y, progress)
        sheets = max(1, _BLOCK_ROWS // (limit_y + 1))
        for first in range(0, limit_x + 1, sheets):
            if stop.is_set():
                raise BuildInterruptedError(f"stopped before sheet {first} of {limit_x}")
            block = z[first : first + sheets]
            for table_name, rows in rows_of_sheets(_sheets(block, first)).items():
                writer.append(table_name, rows)
            report(first + len(block), limit_x + 1)

    def checks(
        self, snapshot: Snapshot, game: GameSpec, limit: str, sample: Sample
    ) -> Iterator[Check]:
        """See `Builder.checks`."""
        from engine.jobs.checks.heaps import heap_checks

        yield from heap_checks(snapshot, game, limit, sample)


def limits(limit: str) -> tuple[int, int]:
    """Largest x and largest y that a canonical limit means."""
    x, _, y = limit.partition("x")
    return int(x), int(y)


def _sheets(block: "NDArray[np.int32]", first_x: int) -> LoserSheets:
    """A few sheets, all cut off after the same number of columns."""
    count, columns = block.shape
    return LoserSheets(
        first_x=first_x,
        prefix_offset=columns * np.arange(count + 1, dtype=np.int64),
        prefix_z=block.reshape(-1),
        tail_period=np.full(count, CUT, dtype=np.int32),
        tail_offset=np.zeros(count + 1, dtype=np.int64),
        tail_z=np.empty(0, dtype=np.int32),
    )


def _reporter(phase: str, limit_y: int, progress: ProgressCallback) -> Callable[[int, int], None]:
    begun = time.monotonic()

    def report(done: int, total: int) -> None:
        progress(
            Progress(
                phase=phase,
                done=done,
                total=total,
                p_positions=done * (limit_y + 1),
                seconds_left=time_left(time.monotonic() - begun, done / total),
            )
        )

    return report
