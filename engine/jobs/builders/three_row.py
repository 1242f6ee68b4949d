"""Loser sheets of three-row Chomp, with passes and variants: solved, stored, checked."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Final

from engine.games.spec import GameSpec
from engine.jobs.ahead import computed_ahead
from engine.jobs.progress import Progress, ProgressCallback, StopFlag, stopped_by, time_left
from engine.jobs.report import Check, Sample
from engine.jobs.resources import Estimate
from schema.errors import NotationError
from schema.sheets import LoserSheets
from schema.snapshot import Snapshot, TableWriter, rows_of_sheets

if TYPE_CHECKING:
    from engine.solvers import three_row

_LIMIT: Final = re.compile(r"([0-9]{1,9})(?:x([0-9]{1,9}))?")
_LARGEST_LIMIT: Final = 999_999

# Models fitted to runs on two cores; `make bench` prints what they are compared with.
_START_SECONDS: Final = 2.0
_SOLVE_NANOSECONDS: Final = 25.0
_WRITE_NANOSECONDS: Final = 75.0
_BASE_BYTES: Final = 1000 << 20
_EMPTY_FILE_BYTES: Final = 3 << 20


class ThreeRowSheets:
    """Builds the tables `p_position` and `sheet` of `chomp3` games.

    Limits are texts: `10000` means every sheet x <= 10000, for all y. A game with noise never
    becomes periodic; its limit bounds y too: `1000x2000` means x <= 1000 and y <= 2000, and
    `1000` is short for `1000x1000`.
    """

    family = "chomp3"
    kind = "sheets"
    table_names = ("p_position", "sheet")

    def games_needed(self, game: GameSpec) -> tuple[GameSpec, ...]:
        """See `Builder.games_needed`."""
        return tuple(game.with_passes(passes) for passes in range(game.passes + 1))

    def canonical_limit(self, game: GameSpec, limit: str) -> str:
        """See `Builder.canonical_limit`."""
        match = _LIMIT.fullmatch(limit.strip())
        if match is None or max(int(n or 0) for n in match.groups()) > _LARGEST_LIMIT:
            raise NotationError(
                f"limit {limit[:40]!r} of {game.text}: write the largest x, 0 to {_LARGEST_LIMIT}"
            )
        if game.noise is None:
            if match[2] is not None:
                raise NotationError(f"{game.text} has no limit in y: write {match[1]}, not {limit}")
            return str(int(match[1]))
        if game.passes:
            raise NotationError(f"{game.text}: tables with both noise and passes are not made")
        return f"{int(match[1])}x{int(match[2] or match[1])}"

    def estimate(self, game: GameSpec, limit: str) -> Estimate:
        """See `Builder.estimate`; time and rows of variants are those of the plain game."""
        from engine.solvers import three_row

        sheets, y_limit = _bounds(limit)
        rows, solve_bytes = three_row.estimate(sheets)
        if y_limit is not None:
            # Four in ten sheets, which would have tails, go on to the limit in y.
            rows += int(0.42 * sheets * y_limit)
            solve_bytes += 8 * sheets * (y_limit + sheets)
        levels = game.passes + 1
        kept_bytes = 2 * 4 * rows if game.passes else 0
        nanoseconds = _SOLVE_NANOSECONDS * levels + _WRITE_NANOSECONDS
        return Estimate(
            rows=rows,
            seconds=_START_SECONDS + rows * nanoseconds * 1e-9,
            memory_bytes=_BASE_BYTES + solve_bytes - 4 * rows + kept_bytes,
            disk_bytes=_EMPTY_FILE_BYTES + int(_row_bytes(sheets) * rows),
        )

    def run(
        self,
        game: GameSpec,
        limit: str,
        writer: TableWriter,
        progress: ProgressCallback,
        stop: StopFlag,
    ) -> None:
        """See `Builder.run`; the solver computes the next block while one is written."""

        def blocks(either: StopFlag) -> Iterator[LoserSheets]:
            with stopped_by(either):
                yield from solved_blocks(game, limit, progress)

        with closing(computed_ahead(blocks, stop)) as ahead:
            for block in ahead:
                for table_name, rows in rows_of_sheets(block).items():
                    writer.append(table_name, rows)

    def checks(
        self, snapshot: Snapshot, game: GameSpec, limit: str, sample: Sample
    ) -> Iterator[Check]:
        """See `Builder.checks`."""
        from engine.jobs.checks.three_row import three_row_checks

        yield from three_row_checks(snapshot, game, limit, sample)


def solved_blocks(game: GameSpec, limit: str, progress: ProgressCallback) -> Iterator[LoserSheets]:
    """The sheets of a game in blocks, in bounded memory but for the games with fewer passes.

    A game with k passes excludes the P-positions of the same game with k - 1 (equation 7 of
    Morrison, Friedman and Landsberg, Combinatorial games with a pass).

    Raises:
        StoppedError: the current budget is spent.
    """
    from engine.solvers import three_row

    sheets, y_limit = _bounds(limit)
    report = _Reporter(sheets, game.passes + 1, progress)
    declared = [(x, y, z) for x, y, z in game.declared]
    if game.noise is not None:
        noise = game.noise
        assert y_limit is not None  # noqa: S101 - canonical limits of such games have one
        last_y = y_limit + sheets
        yield from three_row.iter_blocks(
            sheets,
            exclusions=lambda x: noise.columns(x, last_y),
            declared=declared,
            y_limit=y_limit,
            progress=report.level(0),
        )
        return
    fewer: LoserSheets | None = None
    for level in range(game.passes):
        fewer = three_row.solve(
            sheets,
            exclusions=fewer,
            declared=declared,
            progress=report.level(level),
        )
    yield from three_row.iter_blocks(
        sheets,
        exclusions=fewer,
        declared=declared,
        progress=report.level(game.passes),
    )


def solved_sheets(game: GameSpec, limit: str) -> LoserSheets:
    """The sheets of a game up to a canonical limit, in memory."""
    return LoserSheets.concatenate(solved_blocks(game, limit, lambda _: None))


class _Reporter:
    """Turns the solver's progress into that of the job, over all levels of passes."""

    def __init__(self, sheets: int, levels: int, progress: ProgressCallback) -> None:
        self._sheets = sheets
        self._levels = levels
        self._progress = progress
        self._begun = time.monotonic()

    def level(self, number: int) -> "Callable[[three_row.Progress], None]":
        def report(state: "three_row.Progress") -> None:
            # A sheet holds about (sqrt 2 - 1) x positions: time goes with the square of x.
            share = (state.sheets_done / max(1, state.sheets)) ** 2
            self._progress(
                Progress(
                    phase="solve",
                    done=number * self._sheets + state.sheets_done,
                    total=self._levels * self._sheets,
                    p_positions=state.positions_found,
                    seconds_left=time_left(
                        time.monotonic() - self._begun, (number + share) / self._levels
                    ),
                )
            )

        return report


def _row_bytes(sheets: int) -> float:
    """Bytes on disk of a P-position; y packs better in longer sheets."""
    return 2.3 + 1.6 * min(1.0, 10_000 / sheets)


def _bounds(limit: str) -> tuple[int, int | None]:
    """Number of sheets and of columns (None: all) that a canonical limit means."""
    x, _, y = limit.partition("x")
    return int(x) + 1, int(y) + 1 if y else None
