"""Three-row Chomp against chance: win probabilities solved, stored, checked."""

import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from engine.games.spec import GameSpec
from engine.jobs.progress import Progress, ProgressCallback, StopFlag
from engine.jobs.report import Check, Sample
from engine.jobs.resources import Estimate
from schema.errors import BuildInterruptedError, NotationError
from schema.snapshot import Snapshot, TableWriter

_LIMIT: Final = re.compile(r"[0-9]{1,9}")
_BLOCK_ROWS: Final = 1 << 20
"""Rows written at a time."""

# Models fitted to runs on two cores; `make bench` prints what they are compared with.
_START_SECONDS: Final = 2.0
_SOLVE_NANOSECONDS: Final = 90.0
_WRITE_NANOSECONDS: Final = 500.0
_BASE_BYTES: Final = 900 << 20
_BYTES_A_POSITION: Final = 45
_ROW_BYTES: Final = 17.0
_EMPTY_FILE_BYTES: Final = 3 << 20


class RandomPlay:
    """Builds the table `random_play` of three-row Chomp.

    Limits are texts: `300` means every board (a, b, c) with a <= 300.
    """

    family = "chomp3"
    kind = "random_play"
    table_names = ("random_play",)

    def games_needed(self, game: GameSpec) -> tuple[GameSpec, ...]:
        """See `Builder.games_needed`."""
        return (game,)

    def canonical_limit(self, game: GameSpec, limit: str) -> str:
        """See `Builder.canonical_limit`; only the plain game without passes has such a table."""
        from engine.solvers.random_play.three_row import MAX_LIMIT

        if game != GameSpec("chomp3"):
            raise NotationError(f"{game.text}: games against chance are tabulated for chomp3 only")
        if not _LIMIT.fullmatch(limit.strip()) or int(limit) > MAX_LIMIT:
            raise NotationError(
                f"limit {limit[:40]!r} of {game.text}: write the longest first row, 0 to"
                f" {MAX_LIMIT}"
            )
        return str(int(limit))

    def estimate(self, game: GameSpec, limit: str) -> Estimate:
        """See `Builder.estimate`; rows are positions."""
        from engine.solvers.random_play.three_row import count_positions

        rows = count_positions(int(limit))
        return Estimate(
            rows=rows,
            seconds=_START_SECONDS + rows * (_SOLVE_NANOSECONDS + _WRITE_NANOSECONDS) * 1e-9,
            memory_bytes=_BASE_BYTES + _BYTES_A_POSITION * rows,
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
        """See `Builder.run`; both tables are held in memory, and written in blocks."""
        from engine.solvers.random_play import solve_chances, solve_random, table_rows

        largest = int(limit)
        chances = solve_chances(largest)
        table = solve_random(largest)
        rows = table_rows(largest)
        found = int(np.count_nonzero(chances.is_p))
        for first in range(0, len(rows), _BLOCK_ROWS):
            if stop.is_set():
                raise BuildInterruptedError(f"stopped after {first} of {len(rows)} positions")
            part = slice(first, first + _BLOCK_ROWS)
            a, b, c = (np.ascontiguousarray(column) for column in rows[part].T)
            values = {
                "p_mover": 0.5 + table.excess[part],
                "is_p": chances.is_p[part],
                "p_random_wins": chances.doubles(part),
            }
            writer.append("random_play", {"a": a, "b": b, "c": c, **values})
            progress(Progress("write", min(part.stop, len(rows)), len(rows), found))

    def checks(
        self, snapshot: Snapshot, game: GameSpec, limit: str, sample: Sample
    ) -> Iterator[Check]:
        """See `Builder.checks`."""
        from engine.jobs.checks.random_play import random_play_checks

        yield from random_play_checks(snapshot, game, limit, sample)
