"""Running the kernel: array sizes, blocks of sheets, threads, progress and interruption."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.budget import current
from engine.solvers.three_row.certificate import FIELDS, PATTERN_WORDS
from engine.solvers.three_row.memory import (
    GROUP,
    H_CLOSED,
    H_OUT,
    H_SHEETS,
    H_TAIL_OUT,
    TILE,
    Exclusions,
    Output,
    Sizes,
    allocate_board,
    allocate_output,
    allocate_workspace,
)
from engine.solvers.three_row.pipeline import (
    PROGRESS_STRIDE,
    SIGNAL_STATUS,
    SIGNAL_STOP,
    run_groups,
)
from schema.errors import ResourceLimitError
from schema.sheets import LoserSheets, offsets_of

__all__ = ["Build", "Progress", "ProgressCallback", "TooSmallError", "sizes_for"]

_POLL_SECONDS = 0.01
_PROGRESS_SECONDS = 0.25
_NEVER = 1 << 40


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a build is."""

    sheets_done: int
    sheets: int
    positions_found: int


ProgressCallback = Callable[[Progress], None]


class TooSmallError(Exception):
    """The working arrays do not hold this game: try again with more slack."""


def sizes_for(limit: int, row_end: int | None, declared: int, slack: int) -> Sizes:
    """Extents of the arrays; ``slack`` rows and values beyond what the plain game needs.

    The plain game has 1.4142 c active rows in sheet c, and values up to 1.4142 b in a new row b.
    """
    rows = int(0.43 * limit) + slack if row_end is None else row_end
    span = int(0.6 * limit) if row_end is None else 2 * limit + row_end
    words = (span + slack // 4 + 2 * declared) // 64 + 2
    return Sizes(
        limit=limit,
        row_count=(rows // TILE + 2) * TILE,
        word_count=1 << max(4, words.bit_length()),
        slack=slack,
    )


class Build:
    """One run through the sheets of a game, from x = 0 on."""

    def __init__(
        self,
        limit: int,
        exclusions: Exclusions,
        row_end: int | None,
        y_limit: int | None,
        sizes: Sizes,
        threads: int,
        progress: ProgressCallback | None,
    ) -> None:
        """Allocate everything but the output.

        Raises:
            ResourceLimitError: Not enough memory.
        """
        self._limit = limit
        self._exclusions = exclusions
        self._sizes = sizes
        self._progress = progress
        self._positions_before = 0
        self._widest = sizes.row_count if y_limit is None else min(y_limit, sizes.row_count)
        try:
            self._board = allocate_board(
                sizes,
                row_end=_NEVER if row_end is None else row_end,
                y_limit=_NEVER if y_limit is None else y_limit,
            )
            self._workspaces = [
                allocate_workspace(self._board, FIELDS, PATTERN_WORDS) for _ in range(threads)
            ]
        except MemoryError as error:
            raise _out_of_memory(limit) from error

    def block(self, begin: int, end: int) -> LoserSheets:
        """Sheets begin <= x < end; blocks must be asked for in order.

        Raises:
            TooSmallError: The arrays do not hold this game.
            StoppedError: The current budget is spent.
        """
        output = self._allocate_output(begin, end)
        self._board.head[[H_OUT, H_TAIL_OUT, H_SHEETS]] = 0
        self._run(output, begin, end)
        self._positions_before += int(self._board.head[H_OUT])
        return self._sheets(output, begin)

    def _allocate_output(self, begin: int, end: int) -> Output:
        """Room for 0.425 x + slack positions in sheet x; the plain game has 0.4142 x."""
        count = end - begin
        usual = int(0.2125 * (end * end - begin * begin)) + self._sizes.slack // 16 * count
        positions = min(usual, self._widest * count)
        try:
            return allocate_output(count, positions, 64 * count + self._sizes.slack)
        except MemoryError as error:
            raise _out_of_memory(end) from error

    def _run(self, output: Output, begin: int, end: int) -> None:
        signals = np.zeros(2 * PROGRESS_STRIDE, np.int64)
        marks = np.zeros(((end - begin) // GROUP + 1) * PROGRESS_STRIDE, np.int64)
        failures: list[BaseException] = []

        def work(thread: int) -> None:
            try:
                run_groups(
                    self._board,
                    self._exclusions,
                    output,
                    self._workspaces[thread],
                    begin,
                    end,
                    thread,
                    len(self._workspaces),
                    marks,
                    signals,
                )
            except BaseException as error:
                failures.append(error)
                signals[SIGNAL_STOP] = 1

        workers = [
            threading.Thread(target=work, args=(thread,), name=f"three-row-{thread}", daemon=True)
            for thread in range(len(self._workspaces))
        ]
        try:
            for worker in workers:
                worker.start()
            self._watch(workers, signals, begin)
        finally:
            signals[SIGNAL_STOP] = 1
            for worker in workers:
                if worker.ident is not None:
                    worker.join()
        if failures:
            raise failures[0]
        if signals[SIGNAL_STATUS] != 0:
            raise TooSmallError
        self._report(end)

    def _watch(self, workers: list[threading.Thread], signals: NDArray[np.int64], x: int) -> None:
        budget = current()
        due = time.monotonic() + _PROGRESS_SECONDS
        for worker in workers:
            while worker.is_alive():
                budget.check()
                worker.join(_POLL_SECONDS)
                if time.monotonic() >= due:
                    self._report(x + int(self._board.head[H_SHEETS]))
                    budget = current()
        due = time.monotonic() + _PROGRESS_SECONDS

    def _report(self, sheets_done: int) -> None:
        if self._progress is not None:
            found = self._positions_before + int(self._board.head[H_OUT])
            self._progress(Progress(sheets_done, self._limit, found))

    def _sheets(self, output: Output, begin: int) -> LoserSheets:
        head = self._board.head
        prefix_offset = offsets_of(output.prefix_length)
        tail_offset = offsets_of(np.maximum(output.period, 0).astype(np.int64))
        return LoserSheets(
            first_x=begin,
            prefix_offset=prefix_offset,
            prefix_z=output.z[: head[H_OUT]],
            tail_period=output.period,
            tail_offset=tail_offset,
            tail_z=output.tail_z[: head[H_TAIL_OUT]].copy(),
            closed_by=int(head[H_CLOSED]) if head[H_CLOSED] >= 0 else None,
        )


def _out_of_memory(limit: int) -> ResourceLimitError:
    return ResourceLimitError(f"not enough memory for {limit} sheets: use iter_blocks or fewer")
