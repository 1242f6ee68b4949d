"""Random play on many Chomp boards at once: closed forms and tables on arrays."""

import numpy as np
import numpy.typing as npt

from position_oracle.engine.budget import Cost, Plan, current
from position_oracle.engine.theory.random_play.model import Model, Perfect
from position_oracle.engine.theory.random_play.two_rows import MAX_SECOND_ROW, win_probability_batch
from position_oracle.oracle.families.chance.tables import ChanceTables, Rows
from position_oracle.oracle.families.sources import Coordinates, Floats, Mask, packed
from position_oracle.schema.errors import InvalidRowError

RowIndices = npt.NDArray[np.intp]


def rows_of_three(coordinates: Coordinates, form: str) -> Rows:
    """Return row lengths (n, 3), int64, poison row first, of positions [x, y, z].

    Raises:
        InvalidPositionError: a row is not a position; the message names the row.
    """
    positions = packed(coordinates, 3, form).astype(np.int64)
    _refuse(positions < 0, "coordinates may not be negative")
    return np.cumsum(positions, axis=1)[:, ::-1]


def rows_of_boards(coordinates: Coordinates, form: str) -> Rows:
    """Return row lengths (n, 3 or more), int64, poison row first, of boards.

    Raises:
        InvalidPositionError: a row is not a board; the message names the row.
    """
    width = coordinates.shape[1] if coordinates.ndim == 2 else 3
    boards = packed(coordinates, width, form).astype(np.int64)
    current().check()
    rows = np.pad(boards, ((0, 0), (0, max(0, 3 - width))))
    bad = (np.diff(rows, axis=1, append=0) > 0) | (rows < 0)
    _refuse(bad, "row lengths may be neither negative nor increasing")
    return rows


def _refuse(bad: npt.NDArray[np.bool_], rule: str) -> None:
    wrong = np.flatnonzero(bad.any(axis=1))
    if len(wrong):
        raise InvalidRowError(int(wrong[0]), rule)


def plan_boards(rows: Rows, model: Model, tables: ChanceTables) -> tuple[Mask, Plan[Floats]]:
    """Return which boards closed forms and tables know, bool (n,), and a plan for these.

    The plan gives float64 (m,): the probabilities that the player to move wins.
    """
    thin, lines = _three_rows(rows)
    is_random = model.perfect is Perfect.NOBODY
    reached = thin[:, 0] <= tables.limit(model)
    # Theorem 1.3 answers boards beyond the tables.
    two = is_random & ~reached & (thin[:, 2] == 0) & (thin[:, 1] <= MAX_SECOND_ROW)
    hooks = is_random & (rows[:, 1] == 1)
    known = (rows[:, 0] == 0) | hooks
    known[lines[reached | two]] = True
    cost = Cost(1e-6 * len(rows), 64 * rows.size)
    if reached.any():
        cost += tables.cost(model, int(thin[reached, 0].max()))

    def run() -> Floats:
        chances = np.full(len(rows), np.nan)
        chances[rows[:, 0] == 0] = 1.0
        if reached.any():
            chances[lines[reached]] = tables.win_probabilities(thin[reached], model)
        if two.any():
            pairs = np.ascontiguousarray(thin[two, :2])
            chances[lines[two]] = win_probability_batch(pairs)
        _fill_hooks(chances, rows, np.flatnonzero(hooks & np.isnan(chances)))
        found: Floats = chances[known]
        return found

    return known, Plan(cost, run)


def _three_rows(rows: Rows) -> tuple[Rows, RowIndices]:
    """Return boards of at most three rows or columns as (a, b, c), and their rows in the batch."""
    current().check()
    if rows.shape[1] == 3:
        return np.ascontiguousarray(rows), np.arange(len(rows))
    low, narrow = rows[:, 3] == 0, rows[:, 0] <= 3
    columns = np.stack([(rows > column).sum(axis=1) for column in range(3)], axis=1)
    thin = np.where(low[:, None], rows[:, :3], columns)
    lines = np.flatnonzero(low | narrow)
    return np.ascontiguousarray(thin[lines]), lines


def _fill_hooks(chances: Floats, rows: Rows, lines: RowIndices) -> None:
    """Apply the closed form of hooks; see `engine.theory.random_play.hooks`."""
    p = (rows[lines, 0] - 1).astype(np.float64)
    q = np.count_nonzero(rows[lines], axis=1) - 1.0
    n = p + q + 1
    # Quotients of numbers close to 1: products of large ones would round more.
    chances[lines] = 0.5 - (p / n) * (q / (n - 1)) / (n - 2)
