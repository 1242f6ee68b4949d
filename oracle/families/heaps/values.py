"""Grundy values and remoteness of heap games: stored tables, searches.

Two more passes change no Grundy value, and add two moves to a remoteness above 1
(docs/nim-passes.md, theorems 2 and 3). So normal play needs tables without a pass and with one
pass.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from position_oracle.engine.budget import Cost, Plan
from position_oracle.engine.games.heaps import HeapRules
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.oracle.answers import Certainty
from position_oracle.oracle.families.heaps.on_demand import (
    SEARCHED_HEAPS,
    SolvedTables,
    search_cost,
)
from position_oracle.oracle.families.sources import LOOK_UP, Source
from position_oracle.oracle.families.stored_values import StoredValues
from position_oracle.oracle.families.values import Value, Values
from position_oracle.schema.answerer import ValueKind

if TYPE_CHECKING:
    from position_oracle.engine.solvers.tables import Table

ROUNDED: Final = (7, 15, 31, 63, 127, 255, 511, 1023)
"""Heaps up to which a search extends if possible, so that the next question needs no new search."""

SmallValues = Callable[[ValueKind, Position], Plan[Values] | None]
"""Function that plans values from a small table that is quickly computed; None if there is none."""


class HeapValueSource(Source):
    """Source of values for stored and small games of heaps."""

    def __init__(
        self, stored: Iterable[StoredValues], solved: SolvedTables, small: SmallValues
    ) -> None:
        """Make a source of values.

        Args:
            stored: stored tables.
            solved: searches on demand.
            small: plans values from a small table.
        """
        self._solved, self._small = solved, small
        self._stored = {(each.kind, each.table.game): each for each in stored}

    def plan_values(self, kind: ValueKind, position: Position) -> Plan[Values | None] | None:
        """Plan values by stored tables, small tables, searches, in this order."""
        if kind == "grundy" and not position.game.is_plain:
            return None
        small = self._small(kind, position)
        return self._plan_stored(kind, position) or small or self._plan_search(kind, position)

    def _plan_stored(self, kind: ValueKind, position: Position) -> Plan[Values | None] | None:
        look_up = self._stored_value(kind, position)
        if look_up is None:
            return None
        reason = self._stored[kind, _reduced(position.game)].reason
        return Plan(LOOK_UP, lambda: Values(look_up, Certainty.EXACT_TABLE, reason))

    def _plan_search(self, kind: ValueKind, position: Position) -> Plan[Values | None] | None:
        """Plan a search of all positions up to some heaps, or use a cached one."""
        found = _search_for(position)
        if found is None:
            return None
        game, limits, cost = found
        reason = f"solved with all heaps up to {' and '.join(map(str, limits))}"

        def run() -> Values:
            table = self._solved.search(game, limits, kind)
            return Values(partial(_searched_at, kind, table), Certainty.EXACT_SEARCH, reason)

        return Plan(cost.once("heap search", kind, game, limits), run)

    def _stored_value(self, kind: str, position: Position) -> Value | None:
        """Return a look-up in stored tables, if they have the position and its children."""
        games = {_reduced(position.game)}
        if position.game.passes:
            games.add(_reduced(position.passed().game))
        tables = {game: self._stored.get((kind, game)) for game in games}
        found = {game: table for game, table in tables.items() if table is not None}
        fits = all(
            a <= b
            for table in found.values()
            for a, b in zip(position.coordinates, table.layout.sides, strict=True)
        )
        return partial(_stored_at, kind, found) if fits and len(found) == len(games) else None


def _search_for(position: Position) -> tuple[GameSpec, Coordinates, Cost] | None:
    """Return game, limits and cost of a search with a position; None if it is too large."""
    game, limits = _searched(position.game), _heaps(position)
    if game.noise is not None or game.heaps is None or len(limits) > SEARCHED_HEAPS[-1]:
        return None
    game = game.with_heaps(len(limits))
    wide = tuple(next((size for size in ROUNDED if heap <= size), heap) for heap in limits)
    for sides in (wide, limits):
        cost = search_cost(game, sides)
        if cost is not None:
            return game, sides, cost
    return None


def _searched(game: GameSpec) -> GameSpec:
    """Return the game whose search answers: in normal play with at most one pass."""
    return game.with_passes(min(game.passes, 1)) if game.is_plain else game


def _reduced(game: GameSpec) -> GameSpec:
    """Return the game whose stored values are those of this game."""
    return game.with_passes(game.passes % 2) if game.is_plain else game


def _heaps(position: Position) -> Coordinates:
    """Return the heaps in the order of a search: in Nim without empty ones, smallest first."""
    game, heaps = position.game, position.coordinates
    rules = rules_of(game.family)
    takes_from_one = isinstance(rules, HeapRules) and len(rules.lines(game, len(heaps))) == len(
        heaps
    )
    if takes_from_one and not game.is_variant:
        return tuple(sorted(heap for heap in heaps if heap)) or (0,)
    return heaps if game.declared else tuple(sorted(heaps))


def _searched_at(kind: ValueKind, table: "Table", position: Position) -> int:
    """Return the value of a position in a search."""
    heaps, width = _heaps(position), table.shape.rows
    if len(heaps) != width:
        heaps = (0,) * (width - len(heaps)) + heaps if len(heaps) < width else heaps[-width:]
    passes, levels = position.game.passes, table.values.shape[1]
    level = passes if passes < levels else passes % 2
    value = int(table.values[table.shape.ranks(np.array([heaps]))[0], level])
    return value if kind == "grundy" else _with_passes(value, passes - level)


def _with_passes(plies: int, more: int) -> int:
    """Return remoteness with an even number of further passes."""
    return plies + more if plies > 1 else plies


def _stored_at(kind: str, tables: dict[GameSpec, StoredValues], position: Position) -> int:
    table = tables[_reduced(position.game)]
    value = table.at(position)
    assert value is not None  # noqa: S101 - the table holds the position
    if kind == "grundy":
        return value
    return _with_passes(value, position.game.passes - table.table.game.passes)
