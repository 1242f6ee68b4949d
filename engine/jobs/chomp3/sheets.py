"""Loser sheets of three-row Chomp, with passes and variants.

Limits are texts: `10000` means every sheet x <= 10000, for all y. A game with noise never becomes
periodic; its limit bounds y too: `1000x2000` means x <= 1000 and y <= 2000, and `1000` is short
for `1000x1000`.

Two more passes change no P-position (docs/nim-passes.md), so tables are made only for games with no
pass or one pass.
"""

from collections.abc import Iterator
from typing import Final

from position_oracle.engine.budget import current
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.jobs.chomp3.geometry import GEOMETRY_TABLES, shape_checks, with_geometry
from position_oracle.engine.jobs.job import Block, Job
from position_oracle.engine.jobs.limits import check_passes, sides_within
from position_oracle.engine.jobs.progress import Report, Reporter
from position_oracle.engine.jobs.report import Check, Sample
from position_oracle.engine.jobs.resources import EMPTY_FILE_BYTES, ResourceEstimate
from position_oracle.engine.jobs.sheets_checks import StoredSheets
from position_oracle.schema.errors import NotationError
from position_oracle.schema.sheets import LoserSheets
from position_oracle.schema.snapshot import Snapshot

LARGEST_LIMIT: Final = 999_999
BLOCK_POSITIONS: Final = 4_000_000
"""Approximate number of P-positions written at a time."""

_NEVER_PERIODIC: Final = 0.42
"""Fraction of the sheets that would have tails; without them they reach the last row with a
declared position, or the largest y."""

_NOISE_BYTES: Final = 8
"""Bytes of memory for the noise of one column."""


def _read_limit(game: GameSpec, limit: str) -> str:
    sides = sides_within(game, limit, 2, "the largest x", 0, LARGEST_LIMIT)
    if game.noise is None and "x" in limit:
        raise NotationError(f"{game.text} has no limit in y: write {sides[0]}, not {limit}")
    if game.misere:
        raise NotationError(f"{game.text} has no tables: in misere play eating the poison wins")
    if game.noise is not None and game.passes:
        raise NotationError(f"{game.text}: tables with both noise and passes are not made")
    check_passes(game)
    return str(sides[0]) if game.noise is None else f"{sides[0]}x{sides[1]}"


def _usual_limit(game: GameSpec) -> str:
    """Return the usual limit; games with noise never become periodic, and take more memory."""
    return "10000" if game.noise is None else "5000"


def _games_needed(game: GameSpec) -> tuple[GameSpec, ...]:
    """Return the games to build: one with the same outcomes, and one to find winning passes."""
    if not game.passes:
        return (game,)
    last = game.passes % 2
    return game.with_passes(1 - last), game.with_passes(last)


def _estimate(game: GameSpec, limit: str) -> ResourceEstimate:
    """Return the cost: that of the plain game, or more for variants with longer sheets."""
    from position_oracle.engine.solvers.three_row import build

    sheets, y_limit = bounds(limit)
    rows, solve_bytes = build.estimate(sheets)
    last_row = max((x + y for x, y, _ in game.declared), default=0)
    if y_limit is not None:
        rows += int(_NEVER_PERIODIC * sheets * y_limit)
        solve_bytes += _NOISE_BYTES * sheets * (y_limit + sheets)
    elif last_row > sheets:
        # No tail is proven before the last row in which a position is declared.
        rows += int(_NEVER_PERIODIC * sheets * (last_row - sheets))
        solve_bytes += last_row * sheets // 4
    kept_bytes = 2 * 4 * rows if game.passes else 0
    return ResourceEstimate(
        rows=rows,
        seconds=2.0 + 25e-9 * rows * (game.passes + 1) + 75e-9 * rows,
        memory_bytes=(1000 << 20) + solve_bytes - 4 * build.estimate(sheets)[0] + kept_bytes,
        disk_bytes=EMPTY_FILE_BYTES + int(_row_bytes(sheets) * rows),
    )


def _row_bytes(sheets: int) -> float:
    """Return bytes on disk of a P-position; long sheets compress y better."""
    return 2.3 + 1.6 * min(1.0, 10_000 / sheets)


def bounds(limit: str) -> tuple[int, int | None]:
    """Return the number of sheets and of columns (None: all) of a canonical limit."""
    x, _, y = limit.partition("x")
    return int(x) + 1, int(y) + 1 if y else None


def _blocks(game: GameSpec, limit: str, reporter: Reporter) -> Iterator[Block]:
    return with_geometry(_parts(game, limit, reporter), bounds(limit)[0] - 1)


def _parts(game: GameSpec, limit: str, reporter: Reporter) -> Iterator[LoserSheets]:
    from position_oracle.engine.solvers.three_row_games import iter_game

    sheets, y_limit = bounds(limit)
    levels = game.passes + 1

    def progress(level: int) -> Report:
        # A sheet has about (sqrt 2 - 1) x positions, so time is proportional to the square of x.
        share, total = 1 / levels, levels * sheets
        return reporter.part("solve", total, level * share, (level + 1) * share, power=2)

    for solved in iter_game(game, sheets, y_limit, progress=progress):
        for part in solved.split(BLOCK_POSITIONS):
            current().check()
            yield part


def _checks(snapshot: Snapshot, game: GameSpec, limit: str, sample: Sample) -> Iterator[Check]:
    from position_oracle.engine.solvers.three_row_games import solve_game

    sheets, fewer = snapshot.read_sheets(game.text, check=False), None
    if game.passes:
        fewer = solve_game(game.with_passes(game.passes - 1), *bounds(limit))
    yield from StoredSheets(game, sheets, fewer).checks(limit, sample)
    yield from shape_checks(snapshot, game, sheets)


SHEETS: Final = Job(
    family="chomp3",
    kind="sheets",
    tables=("p_position", "sheet", *GEOMETRY_TABLES),
    usual_limit=_usual_limit,
    read_limit=_read_limit,
    estimate=_estimate,
    blocks=_blocks,
    checks=_checks,
    games_needed=_games_needed,
    check_row_bytes=11,
)
