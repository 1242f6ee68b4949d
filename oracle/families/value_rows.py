"""Grundy values and remoteness of many positions of one game."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from position_oracle.engine.budget import Cost, Plan, watched
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.families.base import Prober
from position_oracle.oracle.families.graph_costs import graph_size
from position_oracle.oracle.families.rows import DifferentRows, Spending
from position_oracle.oracle.families.search import GROUPED
from position_oracle.oracle.families.sources import Coordinates, Ints, Kind, first_found
from position_oracle.oracle.families.values import Values, ValueTable

NO_VALUE: Final = -1
"""In an array of values: not known, or there is none."""

_ROW_SECONDS: Final = 3e-5
"""Seconds to look up a position among the values of a group."""

Group = tuple[Plan[Values | None], list[Position]]
"""Positions whose values one plan looks up."""


def plan_value_rows(
    prober: Prober, kind: Kind, game: GameSpec, coordinates: Coordinates
) -> Plan[Ints]:
    """Grundy values, or remoteness, of many positions of one game.

    Args:
        prober: answers for the family of the game.
        kind: which of the two.
        game: the game, with the passes left in it.
        coordinates: integers (n, k) up to 2^31 - 1.

    Returns:
        A plan for int64 (n,), `NO_VALUE` where a value is not known or there is none.

    Raises:
        InvalidPositionError: a row is not a position; the message names the row.
    """
    of_sources, rows = prober.checked(game, coordinates)
    for source in prober.sources(of_sources):
        plan = source.plan_value_rows(kind, of_sources, rows)
        if plan is not None:
            return plan
    different = DifferentRows(prober, game, rows, np.arange(len(rows)))
    cost = _cost(prober, kind, different)

    def run() -> Ints:
        found = np.full(different.count, NO_VALUE, np.int64)
        spending = Spending(cost)
        for start in range(0, different.count, GROUPED):
            numbers = range(start, min(start + GROUPED, different.count))
            positions = [different.position(number) for number in watched(numbers)]
            values: dict[Position, int] = {}
            for plan, group in _groups(prober, kind, positions):
                spending.spend(plan.cost)
                values |= _looked_up(kind, plan.run(), group)
            found[numbers] = [values.get(position, NO_VALUE) for position in positions]
        result: Ints = found[different.place]
        return result

    return Plan(cost, run)


def _cost(prober: Prober, kind: Kind, rows: DifferentRows) -> Cost:
    """Estimate the cost of all rows from a sample."""
    sample = [rows.position(number) for number in watched(rows.sample)]
    groups = list(_groups(prober, kind, sample))
    seconds = sum(plan.cost.seconds for plan, _ in groups)
    memory = max((plan.cost.memory_bytes for plan, _ in groups), default=0)
    if rows.count > len(sample):  # searches of more rows, as far as rows need one each
        seconds *= 1 + len(groups) * rows.count / len(sample) ** 2
    return Cost(1e-4 + seconds + _ROW_SECONDS * rows.count, memory + 500 * rows.count)


def _groups(prober: Prober, kind: Kind, positions: list[Position]) -> Iterator[Group]:
    """Positions parted so that one plan tells all of a part: that of a position they are inside."""
    groups = [sorted(set(positions), key=lambda position: position.coordinates)]
    while groups:
        group = groups.pop()
        inside = group[0] if len(group) == 1 else prober.rules.hull(group) if group else None
        plan = None if inside is None else _plan(prober, kind, inside, surely=len(group) > 1)
        if plan is not None:
            yield plan, group
        elif len(group) > 1:
            middle = len(group) // 2
            groups += [group[middle:], group[:middle]]


def _plan(
    prober: Prober, kind: Kind, position: Position, *, surely: bool
) -> Plan[Values | None] | None:
    """The plan of `Prober.plan_values`; None where no source tells, or perhaps none does."""
    plans = [source.plan_values(kind, position) for source in prober.sources(position.game)]
    size = graph_size(position)
    if not surely or (size is not None and size.is_bounded):
        plans.append(prober.graph.plan_values(kind, position))
    return first_found(plans) if any(plans) else None


def _looked_up(kind: Kind, table: Values | None, group: list[Position]) -> dict[Position, int]:
    """The values of positions that are known."""
    if table is None:
        return {}
    values = ValueTable(table) if kind == "grundy" else ValueTable(remoteness=table)
    numbers = [(position, values.at(position)) for position in watched(group)]
    found = (
        (position, each.grundy if kind == "grundy" else each.remoteness)
        for position, each in numbers
    )
    return {position: value for position, value in found if value is not None}
