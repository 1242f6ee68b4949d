"""Answers about any position of three-row Chomp up to the limit of a census.

Rows are written a >= b >= c: position [x, y, z] has c = x, b = x + y, a = x + y + z, and is lost
for the player to move if and only if a = f(b, c). The sheet table gives stops, tails and deadly
diagonals. Two states of a column, at the checkpoints around the row, settle most other outcomes. A
sweep from the checkpoint below the row finds the rest.
"""

import math
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.budget import current, watched
from position_oracle.engine.solvers.row_sweep.replayer import (
    PositionTask,
    Questions,
    Replayer,
)
from position_oracle.engine.solvers.row_sweep.sheet_index import NO_SHEET, index_sheets
from position_oracle.engine.solvers.row_sweep.states import CheckpointReader, StateReader, bars
from position_oracle.engine.solvers.row_sweep.tile import TILE
from position_oracle.schema.census import Census
from position_oracle.schema.errors import BuildError, InvalidPositionError

_ROOT2: Final = 2**0.5
_LARGEST_WINDOW: Final = 1 << 22
_MOST_ROWS: Final = 1 << 16
_FAR_ROW: Final = 1 << 36
_LOCK_SECONDS: Final = 0.01


Triple = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class SweptAnswer:
    """The answer for one position [x, y, z].

    Attributes:
        wins: Whether the player to move wins.
        moves: The children [x, y, z] that are P-positions, in the order of the moves M1 to M5;
            empty if the position is lost, or if the question was only its outcome.
        swept: Whether a sweep was needed; if not, the tables had the answer.
    """

    wins: bool
    moves: tuple[Triple, ...]
    swept: bool


class Answers:
    """Answers from a census and its checkpoints.

    Calls from several threads wait for each other. All work ends with ``StoppedError`` some
    milliseconds after the current budget is spent.
    """

    def __init__(
        self,
        census: Census,
        checkpoint: CheckpointReader,
        count: int,
        spacing: int,
    ) -> None:
        """Arrange the sheet table; checkpoints are read when needed.

        Args:
            census: All sheets.
            checkpoint: Returns the bytes of checkpoint i, at row i * spacing, 1 <= i <= count.
            count: The number of checkpoints; all sheets end less than one spacing after the last.
            spacing: Rows between checkpoints, a multiple of 128.

        Raises:
            ValueError: The spacing is not a multiple of 128.
        """
        if spacing <= 0 or spacing % TILE != 0:
            raise ValueError(f"spacing = {spacing} is not a multiple of {TILE}")
        self.limit = census.limit
        self._spacing = spacing
        self._sheets = index_sheets(census)
        sheets = self._sheets
        self._ledger = sheets.ledger
        self._largest_z = int(census.max_z.max())
        periods = np.unique(census.tail_period)
        self._common_period = math.lcm(4, *periods[periods > 0].tolist())
        self._states = StateReader(checkpoint, count, spacing, sheets.ledger)
        self._replayer = Replayer(self.limit, sheets, self._states, spacing)
        self._lock = threading.Lock()

    def answer(self, position: Triple, *, with_moves: bool = True) -> SweptAnswer:
        """Return the outcome of one position and, unless told otherwise, all winning moves.

        Raises:
            InvalidPositionError: There is no such position with x up to the limit.
        """
        return self.answers([position], with_moves=with_moves)[0]

    def answers(self, positions: Iterable[Triple], *, with_moves: bool = True) -> list[SweptAnswer]:
        """Return the answers for several positions; close positions share their sweeps."""
        tasks = [self._task(position) for position in positions]
        with self._held():
            if with_moves:
                self._work_out(tasks)
                return [self._answer(task) for task in tasks]
            wins = [self._outcome_of_states(task) for task in watched(tasks)]
            self._find_values(task for task, win in zip(tasks, wins, strict=True) if win is None)
        return [
            SweptAnswer(not task.lost if win is None else win, (), task.swept)
            for task, win in zip(tasks, wins, strict=True)
        ]

    def losers(self, x: int, y: int, count: int) -> NDArray[np.int32]:
        """Return the z of sheet L_x for y, y + 1, ..., y + count - 1; -1 if there is none.

        Raises:
            InvalidPositionError: The columns are not those of a sheet up to the limit.
            ValueError: The window is empty or too large.
        """
        _check_window(count, 1)
        tasks = [self._task((x, y + j, 0)) for j in range(count)]
        with self._held():
            self._find_values(tasks)
        return np.array(
            [task.value - task.b if task.value >= 0 else -1 for task in tasks], np.int32
        )

    def winners(self, x: int, y: int, z: int, shape: tuple[int, int]) -> NDArray[np.bool_]:
        """Return the instant winners of W_x, ``shape`` positions (y, z) from [x, y, z] on.

        An entry is True if its position has a move to a P-position of smaller x.

        Raises:
            InvalidPositionError: There is no such position up to the limit.
            ValueError: The window is empty or too large.
        """
        _check_window(*shape)
        task = self._task((x, y, z))
        row = self._near_row(task.b)
        wins = np.zeros(shape, np.bool_)
        if x > 0 and z <= self._largest_z:
            with self._held():
                self._replayer.show_taken(x, row, z, wins)
            reach = row + z + np.arange(shape[0])[:, None] + np.arange(shape[1])
            known = self._sheets.column_of
            column = known[np.minimum(reach, len(known) - 1)]
            wins |= (reach < len(known)) & (column >= 0) & (column < x)
        return wins

    def _task(self, position: Triple) -> PositionTask:
        x, y, z = (int(number) for number in position)
        if not (0 <= x <= self.limit and y >= 0 and z >= 0):
            raise InvalidPositionError(f"[{x}, {y}, {z}] is not a position with x <= {self.limit}")
        return PositionTask(x + y + z, x + y, x)

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Hold the lock, unless the budget is spent while waiting for it."""
        budget = current()
        while not self._lock.acquire(timeout=_LOCK_SECONDS):
            budget.check()
        try:
            yield
        finally:
            self._lock.release()

    def _read_value(self, task: PositionTask) -> int:
        """Return f(b, c) if the sheet table has it; -1: none, -2: not in the table."""
        b, c, sheets, ledger = task.b, task.c, self._sheets, self._ledger
        end, period = int(ledger.end[c]), int(ledger.period[c])
        if b == c:
            return int(ledger.diagonal[c])
        if period == 0 and b >= end - 1:
            return b if b == end - 1 else -1
        if period > 0 and b >= end:
            return b + int(ledger.tail_z[sheets.place[c] + (b - end) % period])
        return -2

    def _near_row(self, b: int) -> int:
        """Return a row like row b that is small enough for the kernels: far rows are periodic."""
        return b if b < _FAR_ROW else _FAR_ROW + (b - _FAR_ROW) % self._common_period

    def _diagonal_column(self, a: int) -> int:
        """Return the d with f(d, d) = a, or -1."""
        known = self._sheets.column_of
        return int(known[a]) if a < len(known) else -1

    def _outcome_of_states(self, task: PositionTask) -> bool | None:
        """Return whether the player to move wins, if two states settle it without a sweep."""
        task.value = self._read_value(task)
        if task.value != -2:
            return not task.lost
        a, b, c = task.a, task.b, task.c
        if 0 <= self._diagonal_column(a) <= c or self._column_with_tail(task) >= 0:
            return True
        k = b // self._spacing
        if c < k * self._spacing:
            state = self._states.state(k, c)
            if state is not None and bars(state, a):
                return True
        if k + 1 <= self._states.count:
            later = self._states.state(k + 1, c)
            if later is not None and not bars(later, a):
                return True
        return None

    def _find_values(self, tasks: Iterable[PositionTask]) -> None:
        asked: dict[int, Questions] = {}
        for task in tasks:
            task.value = self._read_value(task)
            if task.value == -2:
                asked.setdefault(task.b // self._spacing, Questions()).values.append(task)
        for k in sorted(asked):
            self._replayer.sweep(k, asked[k])

    def _work_out(self, tasks: Sequence[PositionTask]) -> None:
        """Find values, and the columns and rows of the moves M4 and M1."""
        budget = current()
        asked: dict[int, Questions] = {}
        for task in tasks:
            task.value = self._read_value(task)
            if task.lost:
                continue
            budget.check()
            self._locate_row(task)
            k = task.b // self._spacing
            if task.c >= self._replayer.first(k) or task.value == -2:
                questions = asked.setdefault(k, Questions())
                if task.a - task.b <= self._largest_z:
                    questions.rows.append(task)
                if task.value == -2:
                    questions.values.append(task)
                if task.interval == k:
                    questions.columns.append(task)
        for k in sorted(asked):
            self._replayer.sweep(k, asked[k])
        later: dict[int, Questions] = {}
        for task in tasks:
            if not task.lost and task.interval >= 0:
                later.setdefault(task.interval, Questions()).columns.append(task)
        for k in sorted(later):
            self._replayer.sweep(k, later[k])
        for task in tasks:
            budget.check()
            if not task.lost and task.other_column < 0:
                task.other_column = self._column_with_tail(task)

    def _locate_row(self, task: PositionTask) -> None:
        """Find the row b' < b with f(b', c) = a in the table, or an interval that contains it."""
        a, b, c, sheets, ledger = task.a, task.b, task.c, self._sheets, self._ledger
        d = self._diagonal_column(a)
        if c >= b or 0 <= d < c:
            return
        if d == c:
            task.other_row = c
            return
        end, period, place = int(ledger.end[c]), int(ledger.period[c]), int(sheets.place[c])
        for j in range(period):
            row = a - int(ledger.tail_z[place + j])
            if row >= end and (row - end) % period == j:
                task.other_row = row if row < b else -1
                return
        if period == 0 and a == end - 1:
            return  # column c takes a in row a, which is not below row b
        top = min(b, end)
        if top > c and a < top + self._largest_z:
            task.interval = self._interval(a, c, top)

    def _interval(self, a: int, c: int, top: int) -> int:
        """Return the interval of checkpoints in which column c takes ``a``, if below row ``top``.

        The search brackets it by states, beginning at the prediction of the loser line.
        """
        first, last = c // self._spacing, (top - 1) // self._spacing
        on_upper = a > int(self._ledger.diagonal[c])
        row = (a - c) * _ROOT2 if on_upper else ((1 + _ROOT2) * c - a) * _ROOT2
        k = max(first, min(last, int(row / self._spacing)))
        while k > first and self._bars(k, c, a):
            k -= 1
        while k < last and not self._bars(k + 1, c, a):
            k += 1
        return k

    def _bars(self, k: int, c: int, a: int) -> bool:
        state = self._states.state(k, c)
        if state is None:
            raise BuildError(f"checkpoint {k} lacks column {c}")
        return bars(state, a)

    def _column_with_tail(self, task: PositionTask) -> int:
        """Return the c' < c whose tail takes a in row b, or -1."""
        sheets, ledger, b = self._sheets, self._ledger, self._near_row(task.b)
        z = task.a - task.b
        place = 64 * (4 * (z >> 6) + (b & 3)) + (z & 63)
        if place >= len(sheets.tail_sheet):
            return -1
        column = int(sheets.tail_sheet[place])
        if column != NO_SHEET and column < task.c and ledger.end[column] <= b:
            return column
        odd = sheets.odd[: int(np.searchsorted(sheets.odd, task.c))]
        odd = odd[ledger.end[odd] <= b]
        step = (b - ledger.end[odd].astype(np.int64)) % ledger.period[odd]
        matching = odd[ledger.tail_z[sheets.place[odd] + step] == z]
        return int(matching[0]) if len(matching) else -1

    def _answer(self, task: PositionTask) -> SweptAnswer:
        if task.lost:
            return SweptAnswer(wins=False, moves=(), swept=task.swept)
        a, b, c = task.a, task.b, task.c
        end, period = int(self._ledger.end[c]), int(self._ledger.period[c])
        rows: list[Triple] = []
        if task.other_row >= 0:
            rows.append((a, task.other_row, c))  # M1
        if period == 0 and end - 1 < b:
            rows.append((end - 1, end - 1, c))  # M2
        if 0 <= task.value < a:
            rows.append((task.value, b, c))  # M3
        if task.other_column >= 0:
            rows.append((a, b, task.other_column))  # M4
        d = self._diagonal_column(a)
        if 0 <= d < c:
            rows.append((a, d, d))  # M5
        moves = tuple((third, second - third, first - second) for first, second, third in rows)
        return SweptAnswer(wins=True, moves=moves, swept=task.swept)


def _check_window(rows: int, columns: int) -> None:
    if not (1 <= rows <= _MOST_ROWS and columns >= 1 and rows * columns <= _LARGEST_WINDOW):
        raise ValueError(f"a window of {rows} x {columns} is empty or too large")
