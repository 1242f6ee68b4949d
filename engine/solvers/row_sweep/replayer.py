"""Questions about the rows between two checkpoints, answered together by one replay."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import current
from position_oracle.engine.solvers.row_sweep.questions import (
    ASKED_COLUMN,
    ASKED_ROW,
    ASKED_VALUE,
    Asked,
    ask,
)
from position_oracle.engine.solvers.row_sweep.sheet_index import CensusIndex, tail_bits_below
from position_oracle.engine.solvers.row_sweep.states import StateReader
from position_oracle.engine.solvers.row_sweep.sweep import (
    NEW,
    PLAIN,
    STOPPED,
    Sweep,
    allocate_snapshots,
    allocate_sweep,
    begin_relay,
    ring_size,
    run_tiles,
)
from position_oracle.engine.solvers.row_sweep.tail_proof import allocate_histories
from position_oracle.engine.solvers.row_sweep.tile import TILE, Tile, allocate_tile
from position_oracle.schema.errors import BuildError


@dataclass(slots=True)
class PositionTask:
    """A question about a position in progress; -1 stands for none, -2 for not known yet."""

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
    """The tasks of one replay, by kind."""

    values: list[PositionTask] = field(default_factory=list)
    rows: list[PositionTask] = field(default_factory=list)
    columns: list[PositionTask] = field(default_factory=list)


class Replayer:
    """Sweeps from checkpoints on; all replays share the working arrays."""

    def __init__(self, limit: int, sheets: CensusIndex, states: StateReader, spacing: int) -> None:
        self._limit = limit
        self._sheets = sheets
        self._states = states
        self._spacing = spacing
        self._working: tuple[Sweep, Tile] | None = None
        self._tails_of = -1
        self._snapshots = allocate_snapshots(1)

    def sweep(self, k: int, questions: Questions) -> None:
        """Answer the questions about the rows of one interval by one replay.

        Raises:
            BuildError: a check of the sweep failed.
        """
        if not (questions.values or questions.rows or questions.columns):
            return
        value_tasks = sorted(questions.values, key=lambda task: (task.b // TILE, task.c))
        row_tasks = sorted(questions.rows, key=lambda task: task.b)
        column_tasks = sorted(questions.columns, key=lambda task: task.c)
        ends = [min(task.b, int(self._sheets.ledger.end[task.c])) for task in column_tasks]
        values = np.array([(task.b, task.c, -1) for task in value_tasks], ASKED_VALUE)
        rows = np.array([(task.b, task.a, task.c, -1) for task in row_tasks], ASKED_ROW)
        columns = np.array(
            [(task.c, task.a, end, -1) for task, end in zip(column_tasks, ends, strict=True)],
            ASKED_COLUMN,
        )
        last_rows = [min(end - 1, (k + 1) * self._spacing - 1) for end in ends]
        last_row = max(last_rows + [task.b for task in (*value_tasks, *row_tasks)])
        last = max(task.c for task in (*value_tasks, *row_tasks, *column_tasks))
        asked = ask(last_row, values, rows, columns)
        self._replay(k, min(self._limit, last | 7) + 1, asked)
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

    def show_taken(self, c: int, row: int, z: int, wins: NDArray[np.bool_]) -> None:
        """Mark in ``wins`` the values b + z, ... that columns below c take from ``row`` on."""
        done = 0
        while done < len(wins):
            k = (row + done) // self._spacing
            last_row = min(row + len(wins), (k + 1) * self._spacing) - 1
            part = wins[done : last_row + 1 - row]
            self._replay(k, c, ask(last_row, shown=part, z=z))
            done = last_row + 1 - row

    def first(self, k: int) -> int:
        """Return the first live column at row k * spacing."""
        if k > self._states.count:
            return self._limit + 1
        return 0 if k == 0 else self._states.layout(k).first

    def _replay(self, k: int, end: int, asked: Asked) -> None:
        """Sweep the columns below ``end`` from checkpoint k on."""
        budget = current()
        budget.check()
        if self._working is None:
            ring = ring_size(self._limit) + self._spacing
            histories = allocate_histories(1, 1)
            sweep = allocate_sweep(self._limit, self._sheets.ledger, histories, ring, 0, known=True)
            self._working = sweep, allocate_tile(self._limit)
        sweep, tile = self._working
        self._load(sweep, k, end)
        begun = k * self._spacing // TILE
        relay = begin_relay(begun, budget.flag)
        failed = run_tiles(
            sweep._replace(limit=end - 1), tile, asked, self._snapshots, relay, begun, 0, 1
        )
        budget.check()
        if failed:
            rows = f"{k * self._spacing} and {asked.last_row}"
            raise BuildError(f"a check failed between the rows {rows}")

    def _load(self, sweep: Sweep, k: int, end: int) -> None:
        """Load the states of the live columns below ``end`` at checkpoint k into the sweep."""
        first = min(self.first(k), end)
        row = k * self._spacing
        sweep.head[0] = first
        sweep.kinds[first : min(row, end)] = STOPPED
        sweep.kinds[max(first, min(row, end)) : end] = NEW
        ledger = self._sheets.ledger
        if self._tails_of != first:
            self._tails_of = first
            used = tail_bits_below(self._sheets.tail_sheet, first, ledger.tail_bits)
            ledger.head["tail_words"] = used
        if k == 0 or first >= min(row, end) or k > self._states.count:
            return
        budget = current()
        for h in range(self._states.chunks(k, end - 1)):
            budget.check()
            column, states = self._states.chunk(k, h)
            column = column[: np.searchsorted(column, end)]
            sweep.columns[column % len(sweep.columns)] = states[: len(column)]
            sweep.kinds[column] = PLAIN
