"""The run of a census: arrays, threads, checkpoints, progress, interruption and resumption."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import Budget, current
from position_oracle.engine.machine import available_cores
from position_oracle.engine.solvers.row_sweep.block import BLOCK
from position_oracle.engine.solvers.row_sweep.checkpoint import (
    decode_chunk,
    encode,
    parse,
)
from position_oracle.engine.solvers.row_sweep.journal import (
    Journal,
    apply_journal,
    journal_of,
    read_journal,
    write_journal,
)
from position_oracle.engine.solvers.row_sweep.ledger import (
    Ledger,
    add_diagonals,
    allocate_ledger,
    census_of,
    restore_finished,
)
from position_oracle.engine.solvers.row_sweep.questions import ask
from position_oracle.engine.solvers.row_sweep.state import COLUMN
from position_oracle.engine.solvers.row_sweep.sweep import (
    EMPTY,
    FILLED,
    PLAIN,
    SIGNAL_ROW,
    SIGNAL_SNAPSHOTS,
    STOPPED,
    TAIL,
    TOO_SMALL,
    allocate_snapshots,
    allocate_sweep,
    begin_relay,
    ring_size,
    run_tiles,
)
from position_oracle.engine.solvers.row_sweep.tail_proof import allocate_histories
from position_oracle.engine.solvers.row_sweep.tile import TILE, allocate_tile, tile_words
from position_oracle.engine.solvers.steps import StepCallback
from position_oracle.schema.census import Census
from position_oracle.schema.errors import BuildError, ResourceLimitError

MAX_LIMIT: Final = 10_000_000
"""Largest x of a census."""

LAST_ROW_RATIO: Final = 1.4143
"""By about row sqrt(2) x, all sheets up to x have ended."""

_POLL_SECONDS: Final = 0.01
_CHECKPOINT_SECONDS: Final = 0.001
_PROGRESS_SECONDS: Final = 0.25
_HISTORIES: Final = (16 * TILE, 32 * TILE)
"""Columns that can remember their rows at a time, and rows of each."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The states of all live columns at one row, and the data to resume a census there.

    Attributes:
        row: The row; a multiple of the spacing.
        first: The first live column.
        states: The number of live columns.
        data: The states (see ``checkpoint``); answers are found from them.
        journal: The results since the previous checkpoint (see ``journal``), needed only to resume.
    """

    row: int
    first: int
    states: int
    data: bytes
    journal: bytes


@dataclass(frozen=True, slots=True, eq=False)
class Resumption:
    """State to resume from.

    Attributes:
        journals: The journals of all checkpoints so far.
        data: A function for the data of the k-th of them, from 0.
    """

    journals: Sequence[bytes]
    data: Callable[[int], bytes]


@dataclass(frozen=True, slots=True)
class SweepEstimate:
    """Estimated cost of a census: CPU seconds with AVX-512, bytes of memory and of checkpoints."""

    cpu_seconds: float
    memory_bytes: int
    checkpoint_bytes: int


def estimate(limit: int, *, spacing: int | None = None) -> SweepEstimate:
    """Estimate the cost of a census to ``limit``.

    Cells are counted by the slopes of the loser lines (Friedman and Landsberg 2007, equation 5);
    seconds for each, and bytes for each state, are measured.

    Raises:
        ValueError: An argument is out of range.
    """
    workers = _checked(limit, None, spacing)
    cells = (2**0.5 - 1) / 2 * limit * limit
    ring = ring_size(limit)
    state = COLUMN.itemsize + BLOCK.itemsize / 8
    buffers = 0 if spacing is None else 2 * (COLUMN.itemsize + 4)
    memory = int(ring * (state + buffers)) + 40 * limit
    memory += workers * 8 * TILE * tile_words(limit) + 16 * _HISTORIES[0] * _HISTORIES[1]
    return SweepEstimate(
        cpu_seconds=0.75e-9 * cells + 4e-6 * limit,
        memory_bytes=memory,
        checkpoint_bytes=0 if spacing is None else int(0.95 * cells / spacing) + 4 * limit,
    )


def census(
    limit: int,
    *,
    threads: int | None = None,
    spacing: int | None = None,
    sink: Callable[[Checkpoint], None] | None = None,
    progress: StepCallback | None = None,
    resume: Resumption | None = None,
) -> Census:
    """Run a census: period, tail, prefix length and more of all sheets x <= limit.

    Args:
        limit: The last x, 0..MAX_LIMIT.
        threads: 1 or more; None for 2, or for 1 if only one core is available.
        spacing: Rows between checkpoints, a multiple of 128; None for no checkpoints.
        sink: Callback from this thread with every checkpoint, in order.
        progress: Callback from this thread, some times a second, with the rows done and the
            approximate number of rows.
        resume: Earlier checkpoints to resume from, made with the same limit and spacing. The census
            makes the checkpoints after the one from which it can resume, and gives them to
            ``sink``, again.

    Raises:
        BuildError: A check of the method failed, or the space for unfinished sheets ran out.
        ResourceLimitError: There is not enough memory.
        CorruptTableError: The checkpoints to resume from are damaged.
        ValueError: An argument is out of range.
    """
    workers = _checked(limit, threads, spacing)
    try:
        run = _Run(limit, workers, spacing, resume)
    except MemoryError as error:
        raise ResourceLimitError(f"not enough memory for a census to {limit}") from error
    failed = run.work(sink, progress)
    row, ledger = run.row, run.sweep.ledger
    del run
    if failed == TOO_SMALL:
        raise BuildError(f"no proof of a tail within reasonable bounds near row {row}")
    if failed:
        raise BuildError(f"a check of the row sweep failed near row {row}")
    return census_of(ledger)


class _Run:
    """The run of a census."""

    def __init__(
        self,
        limit: int,
        threads: int,
        spacing: int | None,
        resume: Resumption | None,
    ) -> None:
        self._limit = limit
        self._spacing = spacing or 0
        ledger, ring = allocate_ledger(limit), ring_size(limit)
        histories = allocate_histories(*_HISTORIES)
        self.sweep = allocate_sweep(limit, ledger, histories, ring, self._spacing, known=False)
        self._snapshots = allocate_snapshots(ring if self._spacing else 1)
        self._tiles = [allocate_tile(limit) for _ in range(threads)]
        self._failures: list[BaseException | int] = []
        self._journal: Journal | None = None
        first_row = 0 if resume is None else self._restore(resume)
        self._next_checkpoint = first_row + self._spacing
        self._budget = Budget()
        self._first = first_row // TILE
        self._relay = begin_relay(self._first, self._budget.flag)

    @property
    def row(self) -> int:
        """The current row."""
        return int(self._relay.signals[SIGNAL_ROW])

    def work(self, sink: Callable[[Checkpoint], None] | None, progress: StepCallback | None) -> int:
        """Sweep to the end; return 0, TOO_SMALL or BROKEN."""
        threads = [
            threading.Thread(target=self._sweep, args=(k,), daemon=True)
            for k in range(len(self._tiles))
        ]
        try:
            for thread in threads:
                thread.start()
            self._watch(threads, sink, progress)
        finally:
            self._budget.cancel()
            for thread in threads:
                if thread.ident is not None:
                    thread.join()
        for failure in self._failures:
            if isinstance(failure, BaseException):
                raise failure
            return failure
        return 0

    def _sweep(self, thread: int) -> None:
        """Do the work of one thread; if it fails, stop the others."""
        tile, threads = self._tiles[thread], len(self._tiles)
        try:
            failure: BaseException | int = run_tiles(
                self.sweep, tile, ask(), self._snapshots, self._relay, self._first, thread, threads
            )
        except BaseException as error:
            failure = error
        if failure:
            self._failures.append(failure)
            self._budget.cancel()

    def _watch(
        self,
        threads: list[threading.Thread],
        sink: Callable[[Checkpoint], None] | None,
        progress: StepCallback | None,
    ) -> None:
        """Make checkpoints and report progress while the sweep runs."""
        budget = current()
        rows = int(LAST_ROW_RATIO * self._limit) + TILE
        due = time.monotonic() + _PROGRESS_SECONDS
        poll = _CHECKPOINT_SECONDS if self._spacing else _POLL_SECONDS
        while True:
            budget.check()
            alive = [thread for thread in threads if thread.is_alive()]
            made = self._checkpoint()
            done = made is None and not alive
            if progress is not None and (time.monotonic() >= due or done):
                progress(min(self.row, rows), rows)
                due = time.monotonic() + _PROGRESS_SECONDS
            if done:
                return
            if made is None:
                alive[0].join(poll)
            elif sink is not None:
                sink(made)

    def _checkpoint(self) -> Checkpoint | None:
        """Make the next checkpoint if its states are ready, and free their space."""
        if not self._spacing:
            return None
        buffer = (self._next_checkpoint // self._spacing) % 2
        if self._relay.signals[SIGNAL_SNAPSHOTS[buffer]] != FILLED:
            return None
        head = self._snapshots.head[buffer]
        row, first, count = int(head["row"]), int(head["first"]), int(head["count"])
        ledger = self.sweep.ledger
        columns = min(row, self._limit + 1)
        kinds, ends = self.sweep.kinds[first:columns], ledger.end[first:columns]
        stopped = (kinds == STOPPED) & (ends >= 0) & (ends <= row)
        self._journal = journal_of(ledger, row, first, self._journal, stopped)
        column = self._snapshots.column[buffer, :count]
        states = self._snapshots.states[buffer, :count]
        made = Checkpoint(
            row=row,
            first=first,
            states=count,
            data=encode(row, first, column, states, ledger),
            journal=write_journal(self._journal),
        )
        self._relay.signals[SIGNAL_SNAPSHOTS[buffer]] = EMPTY
        self._next_checkpoint += self._spacing
        return made

    def _restore(self, resume: Resumption) -> int:
        """Restore the latest checkpoint from which every tail can still be found; return its row.

        The tail of a column near its end may have begun before the checkpoint. That does no harm if
        the last journal has the finished sheet with its tail.
        """
        ledger = self.sweep.ledger
        journals = [read_journal(data) for data in resume.journals]
        for k, journal in enumerate(journals):
            if (journal.limit, journal.row) != (self._limit, (k + 1) * self._spacing):
                raise ValueError("the checkpoints to resume from belong to another census")
            apply_journal(ledger, journal)
        for k in range(len(journals) - 1, -1, -1):
            journal = journals[k]
            column, states = _live_states(resume.data(k), ledger, journal.row)
            near = states["low"] - journal.row < 4 * TILE + 64
            if not np.any(near & (ledger.end[column] < 0)):
                self._take_up(journal, column, states)
                return journal.row
        return 0

    def _take_up(
        self, journal: Journal, column: NDArray[np.int32], states: NDArray[np.void]
    ) -> None:
        sweep, ledger = self.sweep, self.sweep.ledger
        begun = min(journal.row, self._limit + 1)
        restore_finished(ledger, journal.first, journal.row)
        sweep.kinds[: journal.first] = TAIL
        sweep.kinds[journal.first : begun] = STOPPED
        sweep.kinds[column] = PLAIN
        sweep.columns[column % len(sweep.columns)] = states
        sweep.head[0] = journal.first
        self._journal = journal


def _live_states(
    data: bytes, ledger: Ledger, row: int
) -> tuple[NDArray[np.int32], NDArray[np.void]]:
    """Decode all columns of a checkpoint, with the diagonals of the columns begun before it."""
    layout = parse(data)
    begun = ledger._replace(dd=ledger.dd.copy())
    add_diagonals(begun, ledger.diagonal[: min(row, len(ledger.end))])
    parts = [decode_chunk(layout, h, begun) for h in range(len(layout.index))]
    columns = [part[0] for part in parts] or [np.zeros(0, np.int32)]
    states = [part[1] for part in parts] or [np.zeros(0, COLUMN)]
    return np.concatenate(columns), np.concatenate(states)


def _checked(limit: int, threads: int | None, spacing: int | None) -> int:
    if not 0 <= limit <= MAX_LIMIT:
        raise ValueError(f"limit = {limit} is not in 0..{MAX_LIMIT}")
    if spacing is not None and (spacing < TILE or spacing % TILE != 0):
        raise ValueError(f"spacing = {spacing} is not a multiple of {TILE}")
    return threads or min(2, available_cores())
