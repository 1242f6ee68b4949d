"""Questions about the rows between two checkpoints, answered together by one replay."""

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.row_sweep.replay import (
    ASKED_COLUMN,
    ASKED_ROW,
    ASKED_VALUE,
    ENDED,
    NEW,
    PLAIN,
    STOPPED,
    Arena,
    allocate_arena,
    replay,
)
from position_oracle.engine.solvers.row_sweep.results import SweepStoppedError
from position_oracle.engine.solvers.row_sweep.sheet_index import SheetIndex, tail_bits_below
from position_oracle.engine.solvers.row_sweep.states import StateReader
from position_oracle.schema.errors import BuildError

__all__ = ["TILE", "Questions", "Replayer", "Task", "stop_if_asked"]

TILE: Final = 128
"""Rows that are swept together; checkpoints lie at multiples of it."""


@dataclass(slots=True)
class Task:
    """A position while it is being answered; -1 stands for none, -2 for not known yet."""

    a: int
    b: int
    c: int
    value: int = -2
    other_column: int = -1
    other_row: int = -1
    interval: int = -1
    swept: bool = False

    @property
    def lost(self) -> bool:
        """Whether the player to move loses, once the value is known."""
        return self.value == self.a


@dataclass(slots=True)
class Questions:
    """What one replay is asked: tasks by kind."""

    values: list[Task] = field(default_factory=list)
    rows: list[Task] = field(default_factory=list)
    columns: list[Task] = field(default_factory=list)


class Replayer:
    """Sweeps on from checkpoints; the working arrays are kept from one replay to the next."""

    def __init__(self, limit: int, sheets: SheetIndex, states: StateReader, spacing: int) -> None:
        self._limit = limit
        self._sheets = sheets
        self._states = states
        self._spacing = spacing
        self._arena: Arena | None = None
        self._tails_of = -1
        self._tail_words = 0
        self._never = np.zeros(1, np.int64)

    def sweep(self, k: int, questions: Questions, stop: NDArray[np.int64] | None) -> None:
        """Answer the questions about the rows of one interval by one replay."""
        values = np.zeros(len(questions.values), ASKED_VALUE)
        rows = np.zeros(len(questions.rows), ASKED_ROW)
        columns = np.zeros(len(questions.columns), ASKED_COLUMN)
        last_row = 0
        last = 0
        value_tasks = sorted(questions.values, key=lambda task: (task.b // TILE, task.c))
        row_tasks = sorted(questions.rows, key=lambda task: task.b)
        column_tasks = sorted(questions.columns, key=lambda task: task.c)
        for j, task in enumerate(value_tasks):
            values[j] = (task.b, task.c, -1)
        for j, task in enumerate(row_tasks):
            rows[j] = (task.b, task.a, task.c, -1)
        for j, task in enumerate(column_tasks):
            before = min(task.b, int(self._sheets.end[task.c]))
            columns[j] = (task.c, task.a, before, -1)
            last_row = max(last_row, min(before - 1, (k + 1) * self._spacing - 1))
            last = max(last, task.c)
        for task in (*value_tasks, *row_tasks):
            last_row = max(last_row, task.b)
            last = max(last, task.c)
        end = min(self._limit, last | 7) + 1
        shown = np.zeros((0, 0), np.bool_)
        self._replay(k, last_row, end, values, rows, columns, shown, 0, stop)
        for task, answer in zip(value_tasks, values["answer"].tolist(), strict=True):
            task.value = answer
            task.swept = True
        for task, answer in zip(row_tasks, rows["answer"].tolist(), strict=True):
            task.other_column = answer
            task.swept = True
        for task, answer in zip(column_tasks, columns["answer"].tolist(), strict=True):
            task.other_row = answer
            task.interval = -1
            task.swept = True

    def show_taken(
        self, c: int, row: int, z: int, wins: NDArray[np.bool_], stop: NDArray[np.int64] | None
    ) -> None:
        """Which of the values b + z, ... the columns below c take in the rows b from ``row`` on."""
        done = 0
        while done < len(wins):
            k = (row + done) // self._spacing
            last_row = min(row + len(wins), (k + 1) * self._spacing) - 1
            part = wins[done : last_row + 1 - row]
            none = (np.zeros(0, ASKED_VALUE), np.zeros(0, ASKED_ROW), np.zeros(0, ASKED_COLUMN))
            self._replay(k, last_row, c, *none, part, z, stop)
            done = last_row + 1 - row

    def _replay(
        self,
        k: int,
        last_row: int,
        end: int,
        values: NDArray[np.void],
        rows: NDArray[np.void],
        columns: NDArray[np.void],
        shown: NDArray[np.bool_],
        z: int,
        stop: NDArray[np.int64] | None,
    ) -> None:
        flag = self._never if stop is None else stop
        first = min(self.first(k), end)
        base = first & ~7
        arena = self._load(k, base, end, flag)
        if self._tails_of != first:
            self._tails_of = first
            self._tail_words = tail_bits_below(self._sheets.tail_sheet, first, arena.tail_bits)
        row = k * self._spacing
        result = replay(
            arena,
            self._sheets,
            base,
            first,
            self._tail_words,
            row,
            last_row,
            end,
            values,
            rows,
            columns,
            shown,
            z,
            flag,
        )
        if result == STOPPED:
            raise SweepStoppedError(f"stopped on request between the rows {row} and {last_row}")
        if result != 0:
            raise BuildError(f"a check failed between the rows {row} and {last_row}")

    def first(self, k: int) -> int:
        """The first column that lives at row k * spacing."""
        if k > self._states.count:
            return self._limit + 1
        return 0 if k == 0 else self._states.layout(k).first

    def _load(self, k: int, base: int, end: int, stop: NDArray[np.int64]) -> Arena:
        """Put the states of the live columns below ``end`` at checkpoint k into the arena."""
        if self._arena is None:
            columns = int(0.3 * self._limit) + 2 * self._spacing + 4096
            tail_words = len(self._sheets.tail_sheet) // 256
            self._arena = allocate_arena(self._limit, (columns + 7) // 8 * 8, tail_words)
        arena = self._arena
        row = k * self._spacing
        begun = max(0, min(row, end) - base)
        arena.kinds[:begun] = ENDED
        arena.kinds[begun : max(0, end - base)] = NEW
        if k == 0 or begun == 0 or k > self._states.count:
            return arena
        for h in range(self._states.chunks(k, end - 1)):
            stop_if_asked(stop)
            column, states = self._states.chunk(k, h)
            place = column[: np.searchsorted(column, end)] - base
            arena.columns[place] = states[: len(place)]
            arena.kinds[place] = PLAIN
        return arena


def stop_if_asked(stop: NDArray[np.int64] | None) -> None:
    """Raise SweepStoppedError once the flag is set."""
    if stop is not None and stop[0] != 0:
        raise SweepStoppedError("stopped on request between two positions")
