"""Random play on many Chomp boards at once: closed forms and tables on arrays."""

import numpy as np
import numpy.typing as npt

from position_oracle.engine.budget import Cost, current
from position_oracle.engine.theory.random_play.model import Model, Perfect
from position_oracle.engine.theory.random_play.two_rows import MAX_SECOND_ROW, win_probability_batch
from position_oracle.oracle.families.chance.tables import ChanceTables, Rows
from position_oracle.oracle.families.resources import Resources
from position_oracle.oracle.families.sources import Coordinates, Floats, Mask, packed
from position_oracle.schema.errors import InvalidRowError

Board = tuple[int, ...]
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


def win_probabilities(rows: Rows, model: Model, resources: Resources) -> Floats:
    """Return probabilities (n,) that the player to move wins; NaN if unknown."""
    tables = ChanceTables(resources)
    chances = np.full(len(rows), np.nan)
    chances[rows[:, 0] == 0] = 1.0
    thin, lines = _three_rows(rows)
    reached = thin[:, 0] <= tables.limit(model)
    if reached.any():
        chances[lines[reached]] = tables.win_probabilities(thin[reached], model)
    if model.perfect is Perfect.NOBODY:
        _two_rows(chances, thin[~reached], lines[~reached])
        _hooks(chances, rows)
    return chances


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


def _two_rows(chances: Floats, thin: Rows, lines: RowIndices) -> None:
    """Apply Theorem 1.3 to boards beyond the tables."""
    two = (thin[:, 2] == 0) & (thin[:, 1] <= MAX_SECOND_ROW)
    if two.any():
        chances[lines[two]] = win_probability_batch(np.ascontiguousarray(thin[two, :2]))


def _hooks(chances: Floats, rows: Rows) -> None:
    """Apply the closed form of hooks; see `engine.theory.random_play.hooks`."""
    lines = np.flatnonzero(np.isnan(chances) & (rows[:, 1] == 1))
    p = (rows[lines, 0] - 1).astype(np.float64)
    q = np.count_nonzero(rows[lines], axis=1) - 1.0
    n = p + q + 1
    # Quotients of numbers close to 1: products of large ones would round more.
    chances[lines] = 0.5 - (p / n) * (q / (n - 1)) / (n - 2)


def known_rows(rows: Rows, model: Model, tables: ChanceTables) -> tuple[Mask, Cost]:
    """Return which boards `win_probabilities` knows, bool (n,), and its cost."""
    thin, lines = _three_rows(rows)
    reached = thin[:, 0] <= tables.limit(model)
    known = rows[:, 0] == 0
    known[lines[reached]] = True
    cost = Cost(1e-6 * len(rows), 64 * rows.size)
    if reached.any():
        cost += tables.cost(model, int(thin[reached, 0].max()))
    if model.perfect is Perfect.NOBODY:
        known[lines[(thin[:, 2] == 0) & (thin[:, 1] <= MAX_SECOND_ROW)]] = True
        known |= rows[:, 1] == 1
    return known, cost
