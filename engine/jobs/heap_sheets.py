"""Sheets of games with three heaps: the unique z for every x and y.

Limits are texts: `4096` means every x <= 4096 and y <= 4096, `100x4096` every x <= 100 and
y <= 4096; any z. Sheet x has one P-position in every column, and is cut off at the largest y.

Two more passes change no P-position, so tables are made only for games with no pass or one pass.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from position_oracle.engine.budget import current
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.job import Block, Job, always
from position_oracle.engine.jobs.limits import check_passes, numbers_of, sides_within
from position_oracle.engine.jobs.progress import Reporter
from position_oracle.engine.jobs.report import Check, Sample
from position_oracle.engine.jobs.resources import EMPTY_FILE_BYTES, ResourceEstimate
from position_oracle.engine.jobs.sheets_checks import StoredSheets
from position_oracle.schema.errors import NotationError
from position_oracle.schema.sheets import CUT, LoserSheets
from position_oracle.schema.snapshot import Snapshot, rows_of_sheets

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FAMILIES: Final = {"nim": ("nim{heaps=3}", 30e-9), "wythoff": ("wythoff{rule=pairs}", 150e-9)}
"""For each family a game with three heaps, and seconds of the solver for one column."""

_BLOCK_ROWS: Final = 1 << 20
"""Number of rows written at a time."""

_NOISE_SECONDS: Final = 90e-9
"""Seconds to draw the noise of one column."""
_ROW_BYTES: Final = 3.5


def sheet_jobs(family: str) -> tuple[Job, ...]:
    """Return the job that fills the tables `p_position` and `sheet` of a family of heap games."""
    if family not in _FAMILIES:
        return ()
    sheets = Job(
        family=family,
        kind="sheets",
        tables=("p_position", "sheet"),
        usual_limit=always("10000"),
        read_limit=_read_limit,
        estimate=_estimate,
        blocks=_blocks,
        checks=_checks,
        games_needed=_games_needed,
        check_row_bytes=19,
    )
    return (sheets,)


def _read_limit(game: GameSpec, limit: str) -> str:
    from position_oracle.engine.solvers.heap_games import has_sheets, largest_limit

    if game.heaps != 3:
        example, _ = _FAMILIES[game.family]
        raise NotationError(f"{game.text} has no sheets: write three heaps, e.g. {example}")
    check_passes(game)
    if not has_sheets(game):
        raise NotationError(f"{game.text} has no sheets; small heaps are searched on demand")
    largest = largest_limit(game)
    form = "the largest x and y, as 4096 or 100x4096"
    return "x".join(map(str, sides_within(game, limit, 2, form, 0, largest)))


def _estimate(game: GameSpec, limit: str) -> ResourceEstimate:
    from position_oracle.engine.solvers.heap_games import estimate_sheets_bytes

    limit_x, limit_y = numbers_of(limit)
    rows = (limit_x + 1) * (limit_y + 1)
    _, solving = _FAMILIES[game.family]
    noise = 0.0 if game.noise is None else _NOISE_SECONDS
    return ResourceEstimate(
        rows=rows,
        seconds=2.5 + (solving + noise + 110e-9) * rows,
        memory_bytes=(600 << 20) + estimate_sheets_bytes(game, limit_x, limit_y),
        disk_bytes=EMPTY_FILE_BYTES + int(_ROW_BYTES * rows),
    )


def _games_needed(game: GameSpec) -> tuple[GameSpec, ...]:
    """Return the games to build; without declared positions one is enough, by Bouton's theorem.

    A variant with passes needs the games with no pass and with one pass: one of them has its
    outcomes, the other finds the positions in which the pass wins.
    """
    if game.is_variant and game.passes:
        return game.with_passes(0), game.with_passes(1)
    return (game.with_passes(game.passes % 2),)


def _blocks(game: GameSpec, limit: str, reporter: Reporter) -> Iterator[Block]:
    """Yield blocks of rows; memory holds the whole table of z and one block."""
    from position_oracle.engine.solvers.heap_games import solve_sheets

    budget = current()
    limit_x, limit_y = numbers_of(limit)
    solving, writing = reporter.part("solve"), reporter.part("write")

    def report(done: int, of: int) -> None:
        solving(done, of, done * (limit_y + 1))

    z = solve_sheets(game, limit_x, limit_y, progress=report)
    sheets = max(1, _BLOCK_ROWS // (limit_y + 1))
    for first in range(0, limit_x + 1, sheets):
        budget.check()
        block = z[first : first + sheets]
        yield rows_of_sheets(cut_sheets(block, first))
        done = first + len(block)
        writing(done, limit_x + 1, done * (limit_y + 1))


def _checks(snapshot: Snapshot, game: GameSpec, limit: str, sample: Sample) -> Iterator[Check]:
    from position_oracle.engine.solvers.heap_games import solve_sheets

    sheets, fewer = snapshot.read_sheets(game.text, check=False), None
    if game.passes:
        last_x, last_y = numbers_of(limit)
        passed = game.with_passes(game.passes - 1)
        fewer = cut_sheets(solve_sheets(passed, last_x, last_y), 0)
    yield from StoredSheets(game, sheets, fewer).checks(limit, sample)


def cut_sheets(block: "NDArray[np.int32]", first_x: int) -> LoserSheets:
    """Return sheets of equal length from the z of every x and y."""
    count, columns = block.shape
    return LoserSheets(
        first_x=first_x,
        prefix_offset=columns * np.arange(count + 1, dtype=np.int64),
        prefix_z=block.reshape(-1),
        tail_period=np.full(count, CUT, dtype=np.int32),
        tail_offset=np.zeros(count + 1, dtype=np.int64),
        tail_z=np.empty(0, dtype=np.int32),
    )
