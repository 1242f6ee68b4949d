"""Rows of a batch answered in groups: one plan for a position and all positions inside it."""

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from position_oracle.engine.budget import Cost, Plan, current, watched
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.rules import HullRules
from position_oracle.oracle.families.rows import DifferentRows, Spending

Number = TypeVar("Number", int, float)

Look = Callable[[Position], Number | None]
"""Function that returns the number of a position; None if unknown."""

Around = Callable[[Position, bool], Plan[Look[Number] | None] | None]
"""Function that plans the numbers of a position and of all positions that play reaches from it. If
the second argument is true, it returns only a plan that certainly gives some numbers. None means
that there is no plan."""

_CHUNK: Final = 8192
_CHUNK_NUMBERS: Final = 1 << 16
"""Rows that are grouped at a time, and their numbers: some milliseconds of work."""

_ROW_SECONDS: Final = 1e-4
"""Seconds to look up a row."""

_PLAN_SECONDS: Final = 3e-4
"""Seconds to make a plan for a position, or to find that there is none."""


def plan_grouped(
    rows: DifferentRows, around: Around[Number], missing: Number
) -> Plan[npt.NDArray[Any]]:
    """Plan the numbers of different rows of one game.

    The cost of all rows is extrapolated from a sample.

    Args:
        rows: the rows.
        around: makes the plan for one position.
        missing: the number that means unknown.

    Returns:
        A plan for an array with the type of `missing`, one number for each different row.
    """
    sample = [rows.position(number) for number in watched(rows.sample)]
    asked: list[Position] = []

    def counted(position: Position, surely: bool) -> Plan[Look[Number] | None] | None:
        asked.append(position)
        return around(position, surely)

    plans, planned, seconds, memory = 0.0, 0, 0.0, 0
    for plan, group in _groups([sample], counted):
        plans, planned = plans + 1, planned + len(group)
        seconds += plan.cost.seconds
        memory = max(memory, plan.cost.memory_bytes)
        if seconds > current().limit.seconds:  # refused, whatever the others cost: assume as much
            seconds *= len(sample) / planned
            plans *= len(sample) / planned
            break
    if rows.count > len(sample):  # more rows, as far as rows need a plan each
        seconds *= 1 + plans * rows.count / len(sample) ** 2
    seconds += _PLAN_SECONDS * len(asked) * rows.count / max(len(sample), 1)
    seconds += (_ROW_SECONDS + rows.reading) * rows.count
    cost = Cost(1e-4 + seconds, memory + (500 + 16 * rows.width) * rows.count)

    def run() -> npt.NDArray[Any]:
        found = np.full(rows.count, missing)
        spending = Spending(cost)
        chunk = max(1, min(_CHUNK, _CHUNK_NUMBERS // max(rows.width, 1)))
        for start in range(0, rows.count, chunk):
            numbers = range(start, min(start + chunk, rows.count))
            positions = [rows.position(number) for number in watched(numbers)]
            told = _told(positions, around, spending)
            found[numbers] = [told.get(position, missing) for position in positions]
        return found

    return Plan(cost, run)


def _told(
    positions: list[Position], around: Around[Number], spending: Spending
) -> dict[Position, Number]:
    """Return the numbers of known positions."""
    found: dict[Position, Number] = {}
    todo = [positions]
    for plan, group in _groups(todo, around):
        spending.spend(plan.cost)
        look = plan.run()
        told = {} if look is None else {each: look(each) for each in watched(group)}
        known = {position: number for position, number in told.items() if number is not None}
        found |= known
        if len(group) > 1 and len(known) < len(group):  # play from the hull does not reach all
            left = [position for position in group if position not in known]
            todo += [left] if known else _halves(left)
    return found


def _groups(
    todo: list[list[Position]], around: Around[Number]
) -> Iterator[tuple[Plan[Look[Number] | None], list[Position]]]:
    """Partition positions so that one plan answers all of a part; more may be added meanwhile."""
    while todo:
        current().check()
        group = sorted(set(todo.pop()), key=lambda position: position.coordinates)
        if not group:
            continue
        is_alone = len(group) == 1
        rules, hull = rules_of(group[0].game.family), group[0] if is_alone else None
        if isinstance(rules, HullRules) and not is_alone:
            hull = rules.hull(group)
        plan = None if hull is None else around(hull, not is_alone)
        if plan is not None:
            yield plan, group
        elif not is_alone:
            todo += _halves(group)


def _halves(group: list[Position]) -> list[list[Position]]:
    middle = len(group) // 2
    return [group[middle:], group[:middle]]
