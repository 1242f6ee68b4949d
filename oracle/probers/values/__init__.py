"""Grundy values and remoteness of every family: from tables, theory, or searches when asked."""

from collections.abc import Iterable
from functools import reduce
from operator import xor

from engine.games.position import Position
from engine.games.sum import SumPosition
from engine.theory.sums import Play
from oracle.answers import Certainty, GameInfo
from oracle.probers.values.chomp import BoardsValues, ThreeRowValues
from oracle.probers.values.heaps import HeapValues
from oracle.probers.values.records import (
    CHOMP,
    NOTHING,
    PositionValues,
    StoredValues,
    ValueTable,
)

__all__ = ["PositionValues", "StoredValues", "ValueTable", "Values"]


class Values:
    """Numbers of positions; never changes once made, and may be used from many threads.

    What no table holds is computed when asked for as long as that takes some tenths of a second,
    and kept for a while.
    """

    def __init__(self, stored: Iterable[StoredValues] = ()) -> None:
        """Answer from stored tables where they reach."""
        self._stored = tuple(stored)
        three_row = [each for each in self._stored if each.game.family == "chomp3"]
        boxes = [each for each in self._stored if each.game.family == "chomp"]
        heaps = [each for each in self._stored if each.game.family in {"nim", "wythoff"}]
        self._three_row = ThreeRowValues(three_row)
        self._boards = BoardsValues(self._three_row, boxes)
        self._heaps = HeapValues(heaps)

    def games(self) -> tuple[GameInfo, ...]:
        """One entry a stored table."""
        return tuple(
            GameInfo(
                each.game, (each.kind,), each.layout.range, None, Certainty.EXACT_TABLE, each.build
            )
            for each in self._stored
        )

    def at(self, position: Position) -> PositionValues:
        """The numbers of one position."""
        return self.around(position).at(position)

    def around(self, position: Position) -> ValueTable:
        """Look-ups for a position and for every position that one move leads to."""
        if isinstance(position, SumPosition):
            return self._around_sum(position)
        game = position.game
        if game.family in CHOMP:
            if game.passes or not game.is_plain:
                return NOTHING
            if game.family == "chomp3":
                return self._three_row.around(position.coordinates)
            if game.family == "divisors":
                return self._boards.around_divisors(position.coordinates)
            return self._boards.around(position.coordinates)
        if game.family in {"nim", "wythoff"}:
            return self._heaps.around(position)
        return NOTHING

    def _around_sum(self, whole: SumPosition) -> ValueTable:
        """The nim-sum in normal play; in misere play, sums have no such value."""
        if whole.play is Play.MISERE:
            return NOTHING
        tables = [self.around(component) for component in whole.components]
        if any(table.grundy is None for table in tables):
            return NOTHING

        def grundy(position: Position) -> int | None:
            assert isinstance(position, SumPosition)  # noqa: S101 - moves keep the kind
            values = [
                None if table.grundy is None else table.grundy(component)
                for table, component in zip(tables, position.components, strict=True)
            ]
            known = [value for value in values if value is not None]
            return reduce(xor, known) if len(known) == len(values) else None

        return ValueTable(grundy, None, Certainty.EXACT_SEARCH, "the nim-sum of the components")
