"""Grundy values and remoteness of heap games: closed forms, stored tables, searches.

Two more passes change no Grundy value, and add two plies to a remoteness above 1
(docs/nim-passes.md, theorems 2 and 3), so normal play takes tables without a pass and with one.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.games.position import Position
from engine.games.spec import Coordinates, GameSpec
from engine.solvers.heap_search import HEAPS_MAX, HeapTable, estimate_search, search_heaps
from engine.solvers.value_layouts import heap_game
from engine.solvers.wythoff import solve_wythoff_grundy
from engine.theory import nim
from oracle.answers import Certainty
from oracle.probers.values.cache import TableCache
from oracle.probers.values.records import StoredValues, Value, ValueTable

MAX_STEPS: Final = 60_000_000
"""Most moves that a search looks at: 0.15 s."""

MAX_CELLS: Final = 2_000_000
MAX_HEAP: Final = 4095
"""No search of a larger heap takes less than `MAX_STEPS`."""

ROUNDED: Final = (7, 15, 31, 63, 127, 255, 511, 1023)
"""Searches go up to these heaps where they can, so that the next question needs no new one."""

WYTHOFF_SIZES: Final = (127, 511, 2047)
"""Largest heaps of the Grundy tables of Wythoff's game that are computed: 0.05 s."""

KEPT: Final = 16

IntArray = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class _Search:
    """What a search is for: the game, with at most one pass in normal play, and the limits."""

    game: GameSpec
    limits: Coordinates

    def holds(self, other: "_Search") -> bool:
        """Whether the table of this one answers the other."""
        fits = all(a >= b for a, b in zip(self.limits, other.limits, strict=False))
        return self.game == other.game and fits


class HeapValues:
    """Nim, Wythoff's game with two heaps, and small games of any number of heaps."""

    def __init__(self, stored: Iterable[StoredValues]) -> None:
        self._stored = {(each.kind, each.game): each for each in stored}
        self._searches: TableCache[_Search, HeapTable] = TableCache(KEPT)
        self._wythoff: TableCache[int, IntArray] = TableCache(1)

    def around(self, position: Position) -> ValueTable:
        """Look-ups for a position and all that one move leads to."""
        remoteness = self._stored_value("remoteness", position)
        search = None
        if remoteness is None and (search := self._search(position)) is not None:
            remoteness = partial(_remoteness_at, search)
        grundy, certainty, reason = self._grundy(position, search)
        return ValueTable(grundy, remoteness, certainty, reason)

    def _grundy(
        self, position: Position, search: HeapTable | None
    ) -> tuple[Value | None, Certainty, str]:
        game, heaps = position.game, position.coordinates
        if not game.is_plain:
            return None, Certainty.UNKNOWN, ""
        if game.family == "nim" and not game.passes:
            return _nim_sum, Certainty.THEOREM, "Bouton's theorem: the nim-sum of the heaps"
        if (stored := self._stored_value("grundy", position)) is not None:
            reason = self._stored["grundy", _reduced(game)].reason
            return stored, Certainty.EXACT_TABLE, reason
        if game.family == "wythoff" and game.heaps == 2:
            size = next((size for size in WYTHOFF_SIZES if max(heaps) <= size), None)
            if size is None:
                return None, Certainty.UNKNOWN, ""
            table = self._wythoff.find(size, lambda: solve_wythoff_grundy(size, size), size.__le__)
            reason = f"solved with all pairs of heaps up to {len(table) - 1}"
            return lambda p: int(table[p.coordinates]), Certainty.EXACT_SEARCH, reason
        search = search or self._search(position)
        if search is None:
            return None, Certainty.UNKNOWN, ""
        reason = f"solved with all heaps up to {' and '.join(map(str, search.limits))}"
        return partial(_grundy_at, search), Certainty.EXACT_SEARCH, reason

    def _stored_value(self, kind: str, position: Position) -> Value | None:
        """A look-up in stored tables, if they hold the position and what moves lead to."""
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

    def _search(self, position: Position) -> HeapTable | None:
        game = _searched(position.game)
        if game.noise is not None or game.heaps is None:
            return None
        limits = _heaps(position)
        if len(limits) > HEAPS_MAX or max(limits) > MAX_HEAP:
            return None
        game = replace(game, heaps=len(limits))
        wide = tuple(next((size for size in ROUNDED if heap <= size), heap) for heap in limits)
        for sides in (wide, limits):
            rules = heap_game(game)
            cost = estimate_search(rules, sides)
            if cost.steps <= MAX_STEPS and cost.cells <= MAX_CELLS:
                wanted = _Search(game, sides)
                return self._searches.find(
                    wanted,
                    lambda rules=rules, sides=sides: search_heaps(rules, sides),  # type: ignore[misc]
                    lambda other, wanted=wanted: other.holds(wanted),  # type: ignore[misc]
                )
        return None


def _searched(game: GameSpec) -> GameSpec:
    """The game whose search answers: with one pass instead of any number, in normal play."""
    return game.with_passes(min(game.passes, 1)) if game.is_plain else game


def _reduced(game: GameSpec) -> GameSpec:
    """The game whose stored values are those of this one."""
    return game.with_passes(game.passes % 2) if game.is_plain else game


def _heaps(position: Position) -> Coordinates:
    """The heaps as a search has them: in Nim without empty ones, smallest first."""
    game, heaps = position.game, position.coordinates
    if game.family == "nim" and not game.declared and game.noise is None:
        return tuple(sorted(heap for heap in heaps if heap)) or (0,)
    return heaps if game.declared else tuple(sorted(heaps))


def _place(table: HeapTable, position: Position) -> tuple[int, int]:
    """Level and rank of a position in a search."""
    passes = position.game.passes
    heaps = _heaps(position)
    width = table.game.heaps
    if len(heaps) != width:
        heaps = (0,) * (width - len(heaps)) + heaps if len(heaps) < width else heaps[-width:]
    level = passes if passes <= table.game.passes else passes % 2
    return level, int(table.rank(np.array(heaps)))


def _grundy_at(table: HeapTable, position: Position) -> int | None:
    return None if table.grundy is None else int(table.grundy[_place(table, position)])


def _remoteness_at(table: HeapTable, position: Position) -> int:
    level, rank = _place(table, position)
    return _with_passes(int(table.remoteness[level, rank]), position.game.passes - level)


def _with_passes(plies: int, more: int) -> int:
    """Remoteness with an even number of further passes."""
    return plies + more if plies > 1 else plies


def _stored_at(kind: str, tables: dict[GameSpec, StoredValues], position: Position) -> int:
    table = tables[_reduced(position.game)]
    value = int(table.values[table.layout.place(position.coordinates)])
    if kind == "grundy":
        return value
    return _with_passes(value, position.game.passes - table.game.passes)


def _nim_sum(position: Position) -> int:
    return nim.grundy(position.coordinates)
