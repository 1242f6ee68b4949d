"""Batches of callers: rows of one or several lengths, moves of any length, and their kinds."""

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from position_oracle.engine.budget import Cost, Plan, current
from position_oracle.engine.games.moves import winner
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.answers import Outcome
from position_oracle.oracle.families.base import Prober
from position_oracle.oracle.families.rows import NarrowRowsError, distinct_rows
from position_oracle.oracle.families.sources import Moves, Outcomes, Rows
from position_oracle.schema.arrays import NO_MOVE, PASS_ONLY, Group, row_groups, rows_as_given

T = TypeVar("T")
Number = TypeVar("Number", bound=np.generic)


def plan_numbers(
    positions: npt.ArrayLike,
    plan: Callable[[Rows], Plan[npt.NDArray[Number]]],
    kind: type[Number],
) -> Plan[npt.NDArray[Number]]:
    """Plan one number for each row.

    Args:
        positions: rows of integers from the caller.
        plan: makes the plan for rows of one length.
        kind: the type of the numbers.
    """

    def join(count: int, groups: Sequence[Group], found: list[Any]) -> npt.NDArray[Number]:
        numbers = np.empty(count, kind)
        for (lines, _), part in zip(groups, found, strict=True):
            numbers[lines] = part
        return numbers

    return _plan_groups(positions, plan, join)


def plan_moves(
    prober: Prober, game: GameSpec, positions: npt.ArrayLike
) -> Plan[tuple[Outcomes, Moves]]:
    """Plan outcomes (n,) and the children (n, k) after first winning moves.

    k numbers suffice for all children. Zeros fill shorter rows; a row of -1 means no move, a row of
    -2 the pass.
    """
    return _plan_groups(positions, lambda rows: _plan_with_moves(prober, game, rows), _join_moves)


def _plan_with_moves(
    prober: Prober, game: GameSpec, rows: Rows
) -> Plan[tuple[Outcomes, Moves | None]]:
    plan = prober.plan_rows(game, rows, with_moves=True)

    def run() -> tuple[Outcomes, Moves | None]:
        made, width = plan, rows.shape[1]
        while True:
            try:
                return made.run()
            except NarrowRowsError as error:  # heaps are split
                wide = np.pad(rows, ((0, 0), (0, error.width - width)))
                made = prober.plan_rows(game, wide, with_moves=True)

    return Plan(plan.cost, run)


def _join_moves(count: int, groups: Sequence[Group], found: list[Any]) -> tuple[Outcomes, Moves]:
    width = max((children.shape[1] for _, children in found), default=0)
    outcomes, children = np.empty(count, np.uint8), np.zeros((count, width), np.int32)
    for (lines, _), (some_outcomes, some) in zip(groups, found, strict=True):
        outcomes[lines] = some_outcomes
        children[lines, : some.shape[1]] = some
    has_none = children[:, 0] < 0 if width else np.zeros(count, np.bool_)
    children[has_none] = children[has_none, :1]
    return outcomes, children


def _plan_groups(
    positions: npt.ArrayLike,
    plan: Callable[[Rows], Plan[Any]],
    join: Callable[[int, Sequence[Group], list[Any]], T],
) -> Plan[T]:
    """Plan the rows of each length and join the results; errors quote the caller's rows."""
    count, groups = row_groups(positions)
    plans = []
    for lines, rows in groups:
        with rows_as_given(lines, rows):
            plans.append(plan(rows))

    def run() -> T:
        found = []
        for (lines, rows), each in zip(groups, plans, strict=True):
            with rows_as_given(lines, rows):
                found.append(each.run())
        return join(count, groups, found)

    beside = Cost(1e-4 + 3e-8 * count, 64 * count)
    return Plan(sum((each.cost for each in plans), beside), run)


class BatchMove(IntEnum):
    """The kind of move at one position of a batch; the numbers are those of the contract."""

    UNKNOWN = 0
    NONE = 1
    CHILD = 2
    PASS = 3


def named_moves(
    game: GameSpec, rows: Rows, outcomes: Outcomes, children: Moves
) -> tuple[Outcomes, Moves]:
    """Return the kind of each move, and the children, with zeros if there is none.

    Args:
        game: the game of all positions.
        rows: the positions, int32 (n, k).
        outcomes: the outcomes of the positions, uint8 (n,).
        children: the result of `Answerer.winning_move_batch`, int32 (n, k).
    """
    said = np.full(len(rows), BatchMove.CHILD, np.uint8)
    said[(children == PASS_ONLY).all(axis=1)] = BatchMove.PASS
    without = (children == NO_MOVE).all(axis=1)
    said[without] = BatchMove.UNKNOWN
    said[without & (outcomes == Outcome.P)] = BatchMove.NONE
    open_rows = np.flatnonzero(without & (outcomes == Outcome.N))
    if len(open_rows):
        first, place = distinct_rows(rows[open_rows])
        over = np.array([_is_over(game, row) for row in rows[open_rows[first]].tolist()])
        said[open_rows[over[place]]] = BatchMove.NONE
    return said, np.where((said == BatchMove.CHILD)[:, np.newaxis], children, np.int32(0))


def _is_over(game: GameSpec, row: list[int]) -> bool:
    current().check()
    return winner(rules_of(game.family).position(game, tuple(row))) is not None
