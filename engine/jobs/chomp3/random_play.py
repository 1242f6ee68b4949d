"""Three-row Chomp with random moves: win probabilities.

Limits are texts: `300` means every board (a, b, c) with a <= 300.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np

from position_oracle.engine.budget import current
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.job import Block, Job, always, lazily
from position_oracle.engine.jobs.limits import sides_within
from position_oracle.engine.jobs.progress import Reporter
from position_oracle.engine.jobs.resources import EMPTY_FILE_BYTES, ResourceEstimate
from position_oracle.schema.errors import NotationError
from position_oracle.schema.values import board_count, boards

_BLOCK_ROWS: Final = 1 << 20
"""Number of rows written at a time."""

_BYTES_A_POSITION: Final = 45
_ROW_BYTES: Final = 17


def _read_limit(game: GameSpec, limit: str) -> str:
    """Read a limit; only the plain game without passes has such a table."""
    from position_oracle.engine.solvers.random_play.three_row import MAX_LIMIT

    if game != GameSpec("chomp3"):
        raise NotationError(f"{game.text}: games against chance are tabulated for chomp3 only")
    return str(sides_within(game, limit, 1, "the longest first row", 0, MAX_LIMIT)[0])


def _estimate(_game: GameSpec, limit: str) -> ResourceEstimate:
    rows = board_count(int(limit))
    return ResourceEstimate(
        rows=rows,
        seconds=2.0 + 590e-9 * rows,
        memory_bytes=(900 << 20) + _BYTES_A_POSITION * rows,
        disk_bytes=EMPTY_FILE_BYTES + _ROW_BYTES * rows,
    )


def _blocks(_game: GameSpec, limit: str, reporter: Reporter) -> Iterator[Block]:
    """Yield both tables in blocks; memory holds both."""
    from position_oracle.engine.solvers.random_play.three_row import solve_random
    from position_oracle.engine.solvers.random_play.three_row_chances import solve_chances

    budget, largest = current(), int(limit)
    chances = solve_chances(largest)
    budget.check()
    table = solve_random(largest)
    rows, report = board_count(largest), reporter.part("write")
    found = int(np.count_nonzero(chances.is_p))
    for first in range(0, rows, _BLOCK_ROWS):
        budget.check()
        part = slice(first, min(first + _BLOCK_ROWS, rows))
        a, b, c = np.ascontiguousarray(boards(part.start, part.stop).T)
        yield {
            "random_play": {
                "a": a,
                "b": b,
                "c": c,
                "p_mover": 0.5 + table.excess[part],
                "is_p": chances.is_p[part],
                "p_random_wins": chances.doubles(part),
            }
        }
        report(part.stop, rows, found)


RANDOM_PLAY: Final = Job(
    family="chomp3",
    kind="random_play",
    tables=("random_play",),
    usual_limit=always("300"),
    read_limit=_read_limit,
    estimate=_estimate,
    blocks=_blocks,
    checks=lazily("position_oracle.engine.jobs.chomp3.random_play_checks", "random_play_checks"),
    check_row_bytes=82,
)
