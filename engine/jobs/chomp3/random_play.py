"""Three-row Chomp with random moves: win probabilities.

Limits are texts: `300` means every board (a, b, c) with a <= 300.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import current
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.job import Block, Job, always
from position_oracle.engine.jobs.limits import sides_within
from position_oracle.engine.jobs.progress import Reporter
from position_oracle.engine.jobs.report import Check, Sample, check
from position_oracle.engine.jobs.resources import EMPTY_FILE_BYTES, ResourceEstimate
from position_oracle.schema.errors import CorruptTableError, NotationError
from position_oracle.schema.snapshot import Snapshot
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


def _checks(snapshot: Snapshot, game: GameSpec, limit: str, sample: Sample) -> Iterator[Check]:
    """Check order, and that the values of a sample of boards follow from those of their children.

    The checks use the solver's error bounds and its list of children.
    """
    largest = int(limit)
    rows = boards(0, board_count(largest))
    stored = _read(snapshot, game, len(rows))
    order = [
        column for i, column in enumerate("abc") if not np.array_equal(stored[column], rows.T[i])
    ]
    failures = [f"column {', '.join(order)} is not in order"] if order else []
    yield check("there is every board up to the limit, in order", len(rows), failures)
    if order:
        return
    yield _recursions(stored, rows, largest, sample)


def _read(snapshot: Snapshot, game: GameSpec, count: int) -> dict[str, NDArray[np.float64]]:
    names = ("a", "b", "c", "p_mover", "is_p", "p_random_wins")
    stored = {
        name: snapshot.read_column("random_play", name, game.text, check=False) for name in names
    }
    if len(stored["a"]) != count:
        raise CorruptTableError(f"random_play has {len(stored['a'])} rows instead of {count}")
    return stored


def _recursions(
    stored: dict[str, NDArray[np.float64]], rows: NDArray[np.int32], largest: int, sample: Sample
) -> Check:
    """Check on a sample of boards that the values of children give the value of the parent."""
    from position_oracle.engine.solvers.random_play.three_row import random_error_bound
    from position_oracle.engine.solvers.random_play.three_row_chances import (
        LEAST_DOUBLE,
        chances_error_bound,
    )
    from position_oracle.engine.solvers.random_play.three_row_kernels import children_of

    random = np.random.default_rng(sample.seed)
    p_positions = np.flatnonzero(stored["is_p"])
    drawn = random.integers(1, max(2, len(rows)), sample.draws)
    if len(p_positions):
        drawn[::4] = random.choice(p_positions, len(drawn[::4]))
    drawn = drawn[drawn < len(rows)]
    relative = 2 * chances_error_bound(largest)

    def failures() -> Iterator[str]:
        for number in drawn:
            board = tuple(rows[number].tolist())
            children = children_of(*board)
            mean = 1 - stored["p_mover"][children].mean()
            if not abs(stored["p_mover"][number] - mean) <= 2 * random_error_bound(largest):
                yield f"p_mover of {board} is not the mean over its moves, {mean!r}"
            is_p = not stored["is_p"][children].any()
            if bool(stored["is_p"][number]) != is_p:
                yield f"{board} is stored with the wrong outcome"
            losing = stored["p_random_wins"][children]
            expected = losing.min() if is_p else (losing * stored["is_p"][children]).mean()
            if (
                not abs(stored["p_random_wins"][number] - expected)
                <= relative * expected + 4 * LEAST_DOUBLE
            ):
                yield f"p_random_wins of {board} is not {expected!r}, which its moves give"

    return check("boards of a sample have the values that their moves give", len(drawn), failures())


RANDOM_PLAY: Final = Job(
    family="chomp3",
    kind="random_play",
    tables=("random_play",),
    usual_limit=always("300"),
    read_limit=_read_limit,
    estimate=_estimate,
    blocks=_blocks,
    checks=_checks,
    check_row_bytes=82,
)
