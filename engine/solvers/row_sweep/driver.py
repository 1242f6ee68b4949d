"""Running a census: arrays, threads, checkpoints, progress, interruption and resumption."""

import os
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import Budget, current
from position_oracle.engine.solvers.row_sweep.block import BLOCK
from position_oracle.engine.solvers.row_sweep.certificate import allocate_histories
from position_oracle.engine.solvers.row_sweep.checkpoint import (
    SheetArrays,
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
    allocate_ledger,
    restore_finished,
)
from position_oracle.engine.solvers.row_sweep.pipeline import (
    EMPTY,
    FILLED,
    PLAIN,
    SIGNAL_ENDED,
    SIGNAL_FAILED,
    SIGNAL_ROW,
    SIGNAL_SNAPSHOTS,
    SIGNAL_STOP,
    SIGNALS,
    SNAPSHOT,
    STOPPED,
    STRIDE,
    TAIL,
    TILES_IN_FLIGHT,
    TOO_SMALL,
    Snapshots,
    Sweep,
    run_tiles,
)
from position_oracle.engine.solvers.row_sweep.state import COLUMN
from position_oracle.engine.solvers.row_sweep.table import Census, census_of
from position_oracle.engine.solvers.row_sweep.tile import allocate_tile, tile_words
from position_oracle.schema.errors import BuildError, ResourceLimitError

__all__ = [
    "LAST_ROW_RATIO",
    "MAX_LIMIT",
    "Checkpoint",
    "Estimate",
    "Progress",
    "Resumption",
    "census",
    "estimate",
]

MAX_LIMIT: Final = 10_000_000
"""Largest x of a census."""

LAST_ROW_RATIO: Final = 1.4143
"""All sheets up to x have ended at about the row sqrt(2) x."""

_MAX_THREADS: Final = 64
_TILES: Final = (64, 128, 256, 512)
_POLL_SECONDS: Final = 0.01
_ENCODER_SECONDS: Final = 0.001
_PROGRESS_SECONDS: Final = 0.25
_WAITING_CHECKPOINTS: Final = 8
_ROOMS: Final = (1, 4, 16)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a census is: the rows below ``row`` are done; about ``rows`` there are."""

    row: int
    rows: int
    sheets_finished: int


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The states of all live columns at one row, and what is needed besides to resume there.

    Attributes:
        row: The row; a multiple of the spacing.
        first: The first column that lives.
        states: How many columns live.
        data: The states (see ``checkpoint``); answers are found from them.
        journal: The news since the checkpoint before (see ``journal``), needed for resuming only.
    """

    row: int
    first: int
    states: int
    data: bytes
    journal: bytes


@dataclass(frozen=True, slots=True, eq=False)
class Resumption:
    """Where to go on: the journals of all checkpoints so far, and the data of the k-th of them."""

    journals: Sequence[bytes]
    data: Callable[[int], bytes]


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a census costs: CPU seconds with AVX-512, bytes of memory and of all checkpoints."""

    cpu_seconds: float
    memory_bytes: int
    checkpoint_bytes: int


def estimate(
    limit: int, *, threads: int | None = None, tile: int = 128, spacing: int | None = None
) -> Estimate:
    """What a census to ``limit`` costs.

    Cells are counted by the slopes of the loser lines (Friedman and Landsberg 2007, equation 5);
    seconds for each, and bytes for each state, are measured.

    Raises:
        ValueError: Arguments out of range.
    """
    workers = _checked(limit, threads, tile, spacing)
    cells = (2**0.5 - 1) / 2 * limit * limit
    ring = _ring(limit)
    state = COLUMN.itemsize + BLOCK.itemsize / 8
    buffers = 0 if spacing is None else 2 * (COLUMN.itemsize + 4)
    memory = int(ring * (state + buffers)) + 40 * limit
    memory += workers * 8 * tile * tile_words(limit, tile) + 512 * tile**2
    return Estimate(
        cpu_seconds=0.75e-9 * cells + 4e-6 * limit,
        memory_bytes=memory,
        checkpoint_bytes=0 if spacing is None else int(0.95 * cells / spacing) + 4 * limit,
    )


def census(
    limit: int,
    *,
    threads: int | None = None,
    tile: int = 128,
    spacing: int | None = None,
    sink: Callable[[Checkpoint], None] | None = None,
    progress: Callable[[Progress], None] | None = None,
    resume: Resumption | None = None,
) -> Census:
    """Period, tail, length of the prefix and so on of all sheets x <= limit of three-row Chomp.

    Args:
        limit: The last x, 0..MAX_LIMIT.
        threads: 1 or more; None: 2, or 1 where only one core is available.
        tile: Rows of a tile: 64, 128, 256 or 512. The result does not depend on it.
        spacing: Rows between checkpoints, a multiple of ``tile``; None: no checkpoints.
        sink: Called from this thread with every checkpoint, in order.
        progress: Called from this thread, some times a second.
        resume: Go on from earlier checkpoints, made with the same limit and spacing. Those after
            the one from which the sweep can go on are made, and given to ``sink``, again.

    Raises:
        StoppedError: The current budget was cancelled; it is looked at every 10 ms.
        BuildError: A check of the method failed, or room for unfinished sheets ran out.
        ResourceLimitError: Not enough memory.
        CorruptTableError: The checkpoints to resume from are damaged.
        ValueError: Arguments out of range.
    """
    workers = _checked(limit, threads, tile, spacing)
    delivered = 0
    for room in _ROOMS:
        try:
            run = _Run(limit, workers, tile, spacing, room, resume)
        except MemoryError as error:
            raise ResourceLimitError(f"not enough memory for a census to {limit}") from error
        failed = run.work(sink, progress, current(), delivered)
        row, delivered, ledger = run.row, max(delivered, run.delivered), run.sweep.ledger
        del run
        if failed == 0:
            return census_of(ledger, limit)
        if failed != TOO_SMALL:
            raise BuildError(f"a check of the row sweep failed near row {row}")
    raise BuildError(f"no proof of a tail within reasonable bounds near row {row}")


class _Run:
    """One attempt at a census."""

    def __init__(
        self,
        limit: int,
        threads: int,
        tile: int,
        spacing: int | None,
        room: int,
        resume: Resumption | None,
    ) -> None:
        self._limit = limit
        self._tile = tile
        self._spacing = spacing or 0
        ring = _ring(limit)
        self.sweep = Sweep(
            columns=np.zeros(ring, COLUMN),
            blocks=np.zeros(ring // 8, BLOCK),
            kinds=np.zeros(limit + 16, np.uint8),
            ledger=allocate_ledger(limit),
            histories=allocate_histories(4 * tile * room, 8 * tile * room),
            head=np.zeros(1, np.int64),
            limit=limit,
            spacing=self._spacing,
        )
        saved = ring if self._spacing else 1
        self._snapshots = Snapshots(
            np.zeros(2, SNAPSHOT), np.zeros((2, saved), np.int32), np.zeros((2, saved), COLUMN)
        )
        self._tiles = [allocate_tile(limit, tile) for _ in range(threads)]
        self._signals = np.zeros(SIGNALS, np.int64)
        self._checkpoints: queue.Queue[Checkpoint] = queue.Queue(_WAITING_CHECKPOINTS)
        self._failures: list[BaseException] = []
        self._journal: Journal | None = None
        first_row = 0 if resume is None else self._restore(resume)
        self._first_row = first_row
        self.delivered = 0

    @property
    def row(self) -> int:
        """The row that has been reached."""
        return int(self._signals[SIGNAL_ROW])

    def work(
        self,
        sink: Callable[[Checkpoint], None] | None,
        progress: Callable[[Progress], None] | None,
        budget: Budget,
        delivered: int,
    ) -> int:
        """Sweep to the end; returns 0, TOO_SMALL or BROKEN."""
        first = self._first_row // self._tile
        marks = np.full(TILES_IN_FLIGHT * STRIDE, -1, np.int64)
        marks[((first - 1) % TILES_IN_FLIGHT) * STRIDE] = first << 32
        self._signals[SIGNAL_ENDED] = first
        self._signals[SIGNAL_ROW] = self._first_row
        threads = [
            threading.Thread(target=self._sweep, args=(marks, first, k), daemon=True)
            for k in range(len(self._tiles))
        ]
        encoder = threading.Thread(target=self._encode, args=(threads,), daemon=True)
        try:
            for thread in threads:
                thread.start()
            if self._spacing:
                encoder.start()
            self._watch([*threads, encoder], sink, progress, budget, delivered)
        finally:
            self._signals[SIGNAL_STOP] = 1
            for thread in (*threads, encoder):
                if thread.ident is not None:
                    thread.join()
        if self._failures:
            raise self._failures[0]
        return int(self._signals[SIGNAL_FAILED])

    def _sweep(self, marks: NDArray[np.int64], first: int, thread: int) -> None:
        try:
            run_tiles(
                self.sweep,
                self._tiles[thread],
                self._snapshots,
                marks,
                self._signals,
                first,
                thread,
                len(self._tiles),
                np.zeros(3, np.int64),
            )
        except BaseException as error:
            self._failures.append(error)
            self._signals[SIGNAL_STOP] = 1

    def _watch(
        self,
        threads: list[threading.Thread],
        sink: Callable[[Checkpoint], None] | None,
        progress: Callable[[Progress], None] | None,
        budget: Budget,
        delivered: int,
    ) -> None:
        due = time.monotonic() + _PROGRESS_SECONDS
        while any(thread.is_alive() for thread in threads) or not self._checkpoints.empty():
            budget.check()
            try:
                made = self._checkpoints.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                made = None
            if made is not None and made.row > delivered:
                self.delivered = made.row
                if sink is not None:
                    sink(made)
            if progress is not None and time.monotonic() >= due:
                progress(self._progress())
                due = time.monotonic() + _PROGRESS_SECONDS
        if progress is not None and self._signals[SIGNAL_FAILED] == 0:
            progress(self._progress())

    def _progress(self) -> Progress:
        rows = int(LAST_ROW_RATIO * self._limit) + self._tile
        return Progress(min(self.row, rows), rows, int(self.sweep.head[0]))

    def _encode(self, sweepers: list[threading.Thread]) -> None:
        """Turn snapshots into checkpoints, in order, beside the sweep."""
        row = self._first_row + self._spacing
        try:
            while self._signals[SIGNAL_STOP] == 0:
                running = any(thread.is_alive() for thread in sweepers)
                buffer = (row // self._spacing) % 2
                place = SIGNAL_SNAPSHOTS + buffer * STRIDE
                if self._signals[place] == FILLED:
                    made = self._checkpoint(buffer)
                    self._signals[place] = EMPTY
                    self._hand_over(made)
                    row += self._spacing
                elif not running:
                    return
                else:
                    time.sleep(_ENCODER_SECONDS)
        except BaseException as error:
            self._failures.append(error)
            self._signals[SIGNAL_STOP] = 1

    def _hand_over(self, made: Checkpoint) -> None:
        while self._signals[SIGNAL_STOP] == 0:
            try:
                self._checkpoints.put(made, timeout=_POLL_SECONDS)
            except queue.Full:
                continue
            return

    def _checkpoint(self, buffer: int) -> Checkpoint:
        head = self._snapshots.head[buffer]
        row, first, count = int(head["row"]), int(head["first"]), int(head["count"])
        ledger = self.sweep.ledger
        columns = min(row, self._limit + 1)
        kinds, ends = self.sweep.kinds[first:columns], ledger.end[first:columns]
        stopped = (kinds == STOPPED) & (ends >= 0) & (ends <= row)
        self._journal = journal_of(ledger, row, first, self._journal, stopped)
        column = self._snapshots.column[buffer, :count]
        states = self._snapshots.states[buffer, :count]
        return Checkpoint(
            row=row,
            first=first,
            states=count,
            data=encode(row, first, column, states, ledger.diagonal, ledger.dd),
            journal=write_journal(self._journal),
        )

    def _restore(self, resume: Resumption) -> int:
        """Take up the latest checkpoint from which every tail can still be told; returns its row.

        A column that was near its end at the checkpoint may have begun its tail before. That is
        no loss if the sheet has finished by the last journal, for then its tail stands there.
        """
        ledger = self.sweep.ledger
        journals = [read_journal(data) for data in resume.journals]
        for k, journal in enumerate(journals):
            if (journal.limit, journal.row) != (self._limit, (k + 1) * self._spacing):
                raise ValueError("the checkpoints to resume from are those of another census")
            apply_journal(ledger, journal)
        for k in range(len(journals) - 1, -1, -1):
            journal = journals[k]
            column, states = _live_states(resume.data(k), ledger, journal.row)
            near = states["low"] - journal.row < 4 * self._tile + 64
            if journal.row % self._tile == 0 and not np.any(near & (ledger.end[column] < 0)):
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
    """All columns of a checkpoint, decoded with the diagonals of the columns begun before it."""
    layout = parse(data)
    dd = np.zeros_like(ledger.dd)
    dd[0] = ~np.uint64(0)
    values = ledger.diagonal[: min(row, len(ledger.end))].astype(np.int64)
    np.bitwise_or.at(dd, (values >> 6) + 1, np.uint64(1) << (values & 63).astype(np.uint64))
    sheets = SheetArrays(ledger.period, ledger.end, ledger.diagonal, dd)
    parts = [decode_chunk(layout, h, sheets) for h in range(len(layout.index))]
    columns = [part[0] for part in parts] or [np.zeros(0, np.int32)]
    states = [part[1] for part in parts] or [np.zeros(0, COLUMN)]
    return np.concatenate(columns), np.concatenate(states)


def _ring(limit: int) -> int:
    """Columns that live at once, 0.293 of the row, and those of some tiles: a multiple of 8."""
    return (int(0.3 * limit) // 8 + 1300) * 8


def _checked(limit: int, threads: int | None, tile: int, spacing: int | None) -> int:
    if not 0 <= limit <= MAX_LIMIT:
        raise ValueError(f"limit = {limit} is not in 0..{MAX_LIMIT}")
    if tile not in _TILES:
        raise ValueError(f"tile = {tile} is not one of {_TILES}")
    if spacing is not None and (spacing < tile or spacing % tile != 0):
        raise ValueError(f"spacing = {spacing} is not a multiple of the tile, {tile}")
    if threads is None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
        return max(1, min(2, cores))
    if not 1 <= threads <= _MAX_THREADS:
        raise ValueError(f"threads = {threads} is not in 1..{_MAX_THREADS}")
    return threads
