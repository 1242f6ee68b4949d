"""Chomp boards of any shape: the outcomes inside outer boards, solved, stored, checked."""

import time
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import TYPE_CHECKING, Final

import numpy as np

from engine.games.spec import GameSpec
from engine.jobs.progress import Progress, ProgressCallback, StopFlag, time_left
from engine.jobs.report import Check, Sample
from engine.jobs.resources import Estimate
from schema.boards import OuterBoard, rows_of_outer_boards, rows_of_p_positions
from schema.snapshot import Snapshot, TableWriter

if TYPE_CHECKING:
    from engine.solvers.boards import OutcomeTable, Outer

_BLOCK_ROWS: Final = 1 << 17
"""P-positions written at a time."""

# Models fitted to runs on two cores; `make bench` prints what they are compared with.
_START_SECONDS: Final = 2.0
_CENSUS_NANOSECONDS: Final = 25.0
_SOLVE_SHARE: Final = 0.25
_WRITE_NANOSECONDS: Final = 4_000.0
_BASE_BYTES: Final = 500 << 20
_BYTES_A_BOARD: Final = 1.2
_BYTES_A_SIZE: Final = 20.0
_ROW_BYTES: Final = 12.0
_EMPTY_FILE_BYTES: Final = 3 << 20


class BoardOutcomes:
    """Builds the tables `outer_board`, `board_p_position` and `board_count` of `chomp`.

    Limits are texts of outer boards joined by `+`: `13x13` means all boards inside a box of 13 rows
    and 13 columns, `25` all boards of at most 25 cookies, `13x13+4x100` two tables.
    """

    family = "chomp"
    kind = "outcomes"
    table_names = ("outer_board", "board_p_position", "board_count")

    def games_needed(self, game: GameSpec) -> tuple[GameSpec, ...]:
        """See `Builder.games_needed`; boards have no passes."""
        return (game,)

    def canonical_limit(self, game: GameSpec, limit: str) -> str:
        """See `Builder.canonical_limit`; 2^30 boards inside one outer board at most."""
        return "+".join(dict.fromkeys(outer.text for outer in outer_boards(limit)))

    def estimate(self, game: GameSpec, limit: str) -> Estimate:
        """See `Builder.estimate`; rows are P-positions."""
        from engine.solvers.boards.census import cells_of
        from engine.solvers.boards.outer import solve_seconds

        outers = outer_boards(limit)
        boards = sum(outer.count for outer in outers)
        rows = sum(outer.expected_p_positions for outer in outers)
        nanoseconds = boards * _CENSUS_NANOSECONDS + rows * _WRITE_NANOSECONDS
        largest = max(
            outer.count * _BYTES_A_BOARD + cells_of(outer.shape) * _BYTES_A_SIZE for outer in outers
        )
        return Estimate(
            rows=rows,
            seconds=_START_SECONDS + solve_seconds(boards) + nanoseconds * 1e-9,
            memory_bytes=_BASE_BYTES + int(largest),
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
        """See `Builder.run`; one outer board after the other."""
        from engine.solvers.boards import solve_shape, take_census

        written = []
        outers = outer_boards(limit)
        report = _Reporter(sum(outer.count for outer in outers), progress)
        for outer_id, outer in enumerate(outers):
            shape = outer.shape
            solving = report.part("solve", 0.0, _SOLVE_SHARE, shape.count)
            table = solve_shape(shape, progress=solving)
            counting = report.part("count", _SOLVE_SHARE, 1.0, shape.count)
            census = take_census(table, progress=counting)
            report.finish(shape.count, table.count_p())
            sizes = {field.name: getattr(census, field.name) for field in fields(census)}
            same = np.full(len(census.boards), outer_id, np.int32)
            writer.append("board_count", {"outer_id": same, **sizes})
            _write_p_positions(outer_id, table, writer)
            written.append(_record(outer, table))
        writer.append("outer_board", rows_of_outer_boards(written))

    def checks(
        self, snapshot: Snapshot, game: GameSpec, limit: str, sample: Sample
    ) -> Iterator[Check]:
        """See `Builder.checks`."""
        from engine.jobs.checks.boards import board_checks

        yield from board_checks(snapshot, game, limit, sample)


def outer_boards(limit: str) -> "list[Outer]":
    """The outer boards that a limit names.

    Raises:
        NotationError: the text names none.
        ResourceLimitError: one of them holds more than 2^30 boards.
    """
    from engine.solvers.boards import Outer

    return [Outer.parse(part) for part in limit.split("+")]


def _write_p_positions(outer_id: int, table: "OutcomeTable", writer: TableWriter) -> None:
    ranks, boards = table.p_ranks(), table.p_positions()
    for first in range(0, len(ranks), _BLOCK_ROWS):
        part = slice(first, first + _BLOCK_ROWS)
        rows = rows_of_p_positions(outer_id, ranks[part], boards[part])
        writer.append("board_p_position", rows)


def _record(outer: "Outer", table: "OutcomeTable") -> OuterBoard:
    return OuterBoard(
        name=outer.text,
        row_lengths=outer.board,
        boards=table.shape.count,
        p_positions=table.count_p(),
        complete_cookies=outer.complete_cookies,
    )


class _Reporter:
    """Turns the solver's progress into that of the job: outcomes, then the census."""

    def __init__(self, boards: int, progress: ProgressCallback) -> None:
        self._boards = boards
        self._progress = progress
        self._done = 0
        self._found = 0
        self._begun = time.monotonic()

    def part(
        self, phase: str, first: float, last: float, boards: int
    ) -> Callable[[int, int], None]:
        """Takes the progress of a phase that is a share of the work on one outer board."""

        def report(done: int, total: int) -> None:
            overall = self._done + boards * (first + (last - first) * done / total)
            elapsed = time.monotonic() - self._begun
            self._progress(
                Progress(
                    phase=phase,
                    done=int(overall),
                    total=self._boards,
                    p_positions=self._found,
                    seconds_left=time_left(elapsed, overall / self._boards),
                )
            )

        return report

    def finish(self, boards: int, p_positions: int) -> None:
        """Go on to the next outer board."""
        self._done += boards
        self._found += p_positions
