"""Grundy values and remoteness of many positions of one game."""

from functools import partial
from typing import Final

import numpy as np

from position_oracle.engine.budget import Plan
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.families.base import Prober
from position_oracle.oracle.families.graph_costs import graph_size
from position_oracle.oracle.families.grouped import Look, plan_grouped
from position_oracle.oracle.families.rows import DifferentRows
from position_oracle.oracle.families.sources import Coordinates, Ints, first_found
from position_oracle.oracle.families.values import ValueTable
from position_oracle.schema.answerer import ValueKind

NO_VALUE: Final = -1
"""Code in an array of values: not known, or there is none."""


def plan_value_rows(
    prober: Prober, kind: ValueKind, game: GameSpec, coordinates: Coordinates
) -> Plan[Ints]:
    """Plan Grundy values, or remoteness, of many positions of one game.

    Args:
        prober: the prober of the game's family.
        kind: `grundy` or `remoteness`.
        game: the game, with the passes left in it.
        coordinates: integers (n, k) up to 2^31 - 1.

    Returns:
        A plan for int64 (n,), `NO_VALUE` if a value is unknown or does not exist.

    Raises:
        InvalidPositionError: a row is not a position; the message names the row.
    """
    of_sources, rows = prober.checked(game, coordinates)
    for source in prober.sources(of_sources):
        plan = source.plan_value_rows(kind, of_sources, rows)
        if plan is not None:
            return plan
    different = DifferentRows(prober, game, rows, np.arange(len(rows)))
    found = plan_grouped(different, partial(_plan_around, prober, kind), NO_VALUE)

    def run() -> Ints:
        values: Ints = found.run()[different.place]
        return values

    return Plan(found.cost, run)


def _plan_around(
    prober: Prober, kind: ValueKind, position: Position, surely: bool
) -> Plan[Look[int] | None] | None:
    """Plan the values of a position and all that play reaches; see `grouped.Around`."""
    plans = [source.plan_values(kind, position) for source in prober.sources(position.game)]
    searched = prober.graph.plan_values(kind, position)
    if searched is not None and surely:
        size = graph_size(position)
        searched = searched if size is not None and size.is_bounded else None
    plans.append(searched)
    if not any(plans):
        return None
    plan = first_found(plans)

    def run() -> Look[int] | None:
        table = plan.run()
        if table is None:
            return None
        values = ValueTable(table) if kind == "grundy" else ValueTable(remoteness=table)
        return lambda inside: getattr(values.at(inside), kind)

    return Plan(plan.cost, run)
