"""Many Chomp boards against chance at once: closed forms, tables and recursions on arrays."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.games.registry import rules_of
from engine.games.spec import GameSpec
from engine.solvers.random_play import chomp_chances_inside, chomp_win_probabilities
from engine.theory.random_play import Model, Perfect, win_probability_batch
from engine.theory.random_play.two_rows import MAX_SECOND_ROW
from oracle.probers.base import Coordinates, packed
from oracle.probers.chance_chomp import MAX_MOVES
from oracle.probers.chance_tables import ChanceTables, Floats, Rows
from schema.errors import InvalidPositionError, ResourceLimitError

MAX_RECURSIONS: Final = 8
"""Recursions made for one batch, 0.3 s each at most."""

MAX_TRIED: Final = 100
"""Groups of boards for which a recursion is considered."""

Board = tuple[int, ...]
Lines = npt.NDArray[np.intp]


def rows_of(game: GameSpec, coordinates: Coordinates) -> Rows:
    """Row lengths (n, 3 or more), int64, poison row first, of the positions of a batch.

    Raises:
        InvalidPositionError: a row is no position; the message names the row.
    """
    form = rules_of(game.family).form
    if game.family == "chomp3":
        boards = packed(coordinates, 3, form).astype(np.int64)
        bad, rule = boards < 0, "coordinates may not be negative"
        rows = np.cumsum(boards, axis=1)[:, ::-1]
    else:
        width = coordinates.shape[1] if coordinates.ndim == 2 else 3
        boards = packed(coordinates, width, form).astype(np.int64)
        rows = np.pad(boards, ((0, 0), (0, max(0, 3 - width))))
        rule = "row lengths may be neither negative nor increasing"
        bad = (np.diff(rows, axis=1, append=0) > 0) | (rows < 0)
    wrong = np.flatnonzero(bad.any(axis=1))
    if len(wrong):
        raise InvalidPositionError(f"{form}: row {wrong[0]} is {boards[wrong[0]].tolist()}; {rule}")
    return rows


def win_probabilities(rows: Rows, model: Model, tables: ChanceTables) -> Floats:
    """Probabilities (n,) that the player to move wins; NaN where they are not known."""
    chances = np.full(len(rows), np.nan)
    chances[rows[:, 0] == 0] = 1.0
    thin, lines = _three_rows(rows)
    reached = thin[:, 0] <= tables.limit(model)
    if reached.any():
        chances[lines[reached]] = tables.win_probabilities(thin[reached], model)
    if model.perfect is Perfect.NOBODY:
        _two_rows(chances, thin[~reached], lines[~reached])
        _hooks(chances, rows)
    rest = np.flatnonzero(np.isnan(chances))
    if len(rest):
        _recursions(chances, rows, rest, model)
    return chances


def _three_rows(rows: Rows) -> tuple[Rows, Lines]:
    """Boards of at most three rows or columns as (a, b, c), and which of the batch they are."""
    if rows.shape[1] == 3:
        return np.ascontiguousarray(rows), np.arange(len(rows))
    low, narrow = rows[:, 3] == 0, rows[:, 0] <= 3
    columns = np.stack([(rows > column).sum(axis=1) for column in range(3)], axis=1)
    thin = np.where(low[:, None], rows[:, :3], columns)
    lines = np.flatnonzero(low | narrow)
    return np.ascontiguousarray(thin[lines]), lines


def _two_rows(chances: Floats, thin: Rows, lines: Lines) -> None:
    """Theorem 1.3 beyond the tables."""
    two = (thin[:, 2] == 0) & (thin[:, 1] <= MAX_SECOND_ROW)
    if two.any():
        chances[lines[two]] = win_probability_batch(np.ascontiguousarray(thin[two, :2]))


def _hooks(chances: Floats, rows: Rows) -> None:
    """The closed form of hooks, see `engine.theory.random_play.hooks`."""
    lines = np.flatnonzero(np.isnan(chances) & (rows[:, 1] == 1))
    p = (rows[lines, 0] - 1).astype(np.float64)
    q = np.count_nonzero(rows[lines], axis=1) - 1.0
    n = p + q + 1
    # Quotients of numbers close to 1: products of large ones would round more.
    chances[lines] = 0.5 - (p / n) * (q / (n - 1)) / (n - 2)


def _recursions(chances: Floats, rows: Rows, rest: Lines, model: Model) -> None:
    """Exact values of the boards that are left, as far as some recursions reach."""
    lines_of: dict[Board, list[int]] = {}
    for line in rest.tolist():
        board = tuple(length for length in rows[line].tolist() if length)
        lines_of.setdefault(board, []).append(line)
    for known in _solved(sorted(lines_of), model):
        for board in lines_of.keys() & known.keys():
            chances[lines_of[board]] = known[board]


def _solved(boards: list[Board], model: Model) -> Iterator[dict[Board, float]]:
    """Values of all boards inside an outer board, for outer boards that together hold most."""
    groups, made, tried = [boards], 0, 0
    while groups and made < MAX_RECURSIONS and tried < MAX_TRIED:
        group = groups.pop()
        tried += 1
        known = _inside(_outer(group), model)
        if known is not None:
            made += 1
            yield known
        elif len(group) > 1:
            middle = len(group) // 2
            groups += [group[middle:], group[:middle]]


def _outer(boards: list[Board]) -> Board:
    """The smallest board that holds others."""
    outer: list[int] = []
    for board in boards:
        outer += [0] * (len(board) - len(outer))
        for row, length in enumerate(board):
            outer[row] = max(outer[row], length)
    return tuple(outer)


@lru_cache(maxsize=MAX_RECURSIONS)
def _inside(outer: Board, model: Model) -> dict[Board, float] | None:
    try:
        if model.perfect is Perfect.NOBODY:
            exact = chomp_win_probabilities(outer, MAX_MOVES)
            return {board: float(chance) for board, chance in exact.items()}
        return chomp_chances_inside(
            outer, model.epsilon, perfect_to_move=model.mover_chooses, max_moves=MAX_MOVES
        )
    except ResourceLimitError:
        return None
