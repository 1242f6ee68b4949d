"""Many positions of three-row Chomp at once: the same sources one after the other, on arrays."""

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from position_oracle.engine.budget import Cost
from position_oracle.engine.games.chomp3 import RULES
from position_oracle.engine.games.position import Outcome, Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.answers import Answer
from position_oracle.oracle.families.base import (
    INT32_MAX,
    NO_MOVE,
    PASS_ONLY,
    ROW_SECONDS,
    Coordinates,
    Moves,
    Outcomes,
    check_not_negative,
    packed,
)
from position_oracle.oracle.families.chomp3.on_demand import price_of, sizes_of, with_few_passes
from position_oracle.oracle.families.chomp3.sources import Sources, needed_sheets
from position_oracle.schema.errors import InvalidPositionError

MOVE_SECONDS: Final = 1e-5
"""What looking for a winning move of a row takes."""

Rest = Callable[[Position, bool], Answer | None]
"""Answers a position without sheets, with moves if they are wanted; None where nothing does."""


def outcomes(sources: Sources, game: GameSpec, coordinates: Coordinates, rest: Rest) -> Outcomes:
    """Outcomes of many positions; see `Prober.outcomes`."""
    from position_oracle.oracle.families.chomp3 import kernels

    rows = _checked(coordinates)
    out = np.zeros(len(rows), np.uint8)
    for table, part in sources.parts(game, rows):
        found = np.zeros(len(rows[part]), np.uint8)
        kernels.outcomes(rows[part], table.index, found)
        out[part] = found
    swept = sources.swept_rows(game, rows)
    if sources.census is not None and len(swept):
        out[swept] = sources.census.outcomes([tuple(row) for row in rows[swept].tolist()])
    for row in np.flatnonzero(out == Outcome.UNKNOWN).tolist():
        answer = rest(_position(game, rows, row), False)
        out[row] = Outcome.UNKNOWN if answer is None else answer.outcome
    return out


def winning_moves(
    sources: Sources, game: GameSpec, coordinates: Coordinates, rest: Rest
) -> tuple[Outcomes, Moves]:
    """First winning moves of many positions; see `Prober.winning_move_batch`."""
    from position_oracle.oracle.families.chomp3 import kernels

    rows = _checked(coordinates)
    _check_length(rows)
    out = np.zeros(len(rows), np.uint8)
    moves = np.full(rows.shape, NO_MOVE, np.int32)
    for table, part in sources.parts(game, rows):
        found, children = out[part], moves[part]
        kernels.winning_moves(rows[part], table.index, found, children)
        if table.columns is not None:
            reach = rows[part, 0].astype(np.int64) + rows[part, 1]
            children[reach >= table.columns] = NO_MOVE
        out[part], moves[part] = found, children
    if game.passes:
        open_rows = np.flatnonzero((out == Outcome.N) & (moves[:, 0] == NO_MOVE))
        passed = outcomes(sources, game.with_passes(game.passes - 1), rows[open_rows], rest)
        moves[open_rows[passed == Outcome.P]] = PASS_ONLY
    if game.is_variant:
        moves[_declared(game, rows)] = NO_MOVE
    _sweep_moves(sources, game, rows, out, moves)
    for row in np.flatnonzero(out == Outcome.UNKNOWN).tolist():
        answer = rest(_position(game, rows, row), True)
        if answer is not None:
            out[row] = answer.outcome
            if answer.winning_moves:
                moves[row] = answer.winning_moves[0].child.coordinates
    return out, moves


def price_of_rows(
    sources: Sources, game: GameSpec, coordinates: Coordinates, *, with_moves: bool
) -> Cost:
    """Sweeps, and solving the sheets that rows need beyond the table; both kinds of passes."""
    rows = _checked(coordinates)
    few = with_few_passes(game)
    total = Cost(MOVE_SECONDS * len(rows))
    swept = sources.swept_rows(game, rows)
    if sources.census is not None and len(swept):
        total += sources.census.price_of_batch(rows[swept], with_moves=with_moves)
    for level in {few, few.with_passes(1 - few.passes)} if game.passes else {few}:
        rest = rows
        if (table := sources.tables.get(level)) is not None:
            rest = rows[~table.covers_rows(rows)]
        needed = needed_sheets(level, rest)
        sizes = sizes_of(level)
        for smaller, size in zip((0, *sizes), sizes, strict=False):
            if ((needed >= smaller) & (needed < size)).any():
                total += price_of(level, size)
        beyond = np.count_nonzero(needed >= max(sizes, default=0))
        total += Cost(ROW_SECONDS * beyond)
    return total


def _sweep_moves(
    sources: Sources, game: GameSpec, rows: npt.NDArray[np.int32], out: Outcomes, moves: Moves
) -> None:
    """Fill in the rows that the census answers."""
    swept = sources.swept_rows(game, rows)
    if sources.census is None or not len(swept) or game.passes:
        return
    positions = [tuple(row) for row in rows[swept].tolist()]
    for row, children in zip(swept.tolist(), sources.census.children(positions), strict=True):
        out[row] = Outcome.N if children else Outcome.P
        if children:
            moves[row] = children[0]


def _declared(game: GameSpec, rows: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """Which rows are declared N, and so have no moves."""
    declared = np.zeros(len(rows), np.bool_)
    for triple in game.declared:
        declared |= (rows == np.array(triple)).all(axis=1)
    if game.noise is not None:
        x, y, z = rows.T.astype(np.int64)
        declared |= game.noise.at(x, y) == z
    return declared


def _position(game: GameSpec, rows: npt.NDArray[np.int32], row: int) -> Position:
    return Position(game, tuple(rows[row].tolist()))


def _checked(coordinates: Coordinates) -> npt.NDArray[np.int32]:
    rows = packed(coordinates, 3, RULES.form)
    check_not_negative(rows, RULES.form, "coordinates")
    return rows


def _check_length(rows: npt.NDArray[np.int32]) -> None:
    """Refuse rows some of whose children would not fit."""
    too_long = np.flatnonzero(rows.sum(axis=1, dtype=np.int64) > INT32_MAX)
    if len(too_long):
        raise InvalidPositionError(
            f"{RULES.form}: row {too_long[0]} is {rows[too_long[0]].tolist()}; where moves are"
            " asked for, x + y + z may not exceed 2^31 - 1"
        )
