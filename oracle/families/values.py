"""Grundy values and remoteness of a position and its children, and their source."""

from collections.abc import Callable
from dataclasses import dataclass

from position_oracle.engine.games.moves import is_eaten
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.oracle.answers import Certainty, PositionValues

Value = Callable[[Position], int | None]
"""Function that looks up one number; None if it is not known or there is none."""


@dataclass(frozen=True, slots=True)
class Values:
    """Looks up numbers of one kind, of a position and its children.

    Attributes:
        at: returns the number of a position; None if it is not known or there is none.
        certainty: the certainty of the numbers.
        reason: the theorem, table or search behind them.
    """

    at: Value
    certainty: Certainty
    reason: str


@dataclass(frozen=True, slots=True)
class ValueTable:
    """The Grundy values and the remoteness of a position and its children.

    Attributes:
        grundy: Grundy values; None if unknown.
        remoteness: remoteness; None if unknown.
    """

    grundy: Values | None = None
    remoteness: Values | None = None

    def at(self, position: Position) -> PositionValues:
        """Return the numbers of a position."""
        rules = rules_of(position.game.family)
        has_poison = rules.has_poison and not position.game.misere
        if has_poison and is_eaten(position):
            return PositionValues(grundy_unrestricted=0)
        grundy = None if self.grundy is None else self.grundy.at(position)
        one_more = None
        if grundy is not None and has_poison:
            one_more = grundy + 1
        plies = None if self.remoteness is None else self.remoteness.at(position)
        return PositionValues(grundy, one_more, plies)
