"""Grundy values and remoteness of a position and its children, and where they are looked up."""

from collections.abc import Callable
from dataclasses import dataclass

from position_oracle.engine.games.moves import is_eaten
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.oracle.answers import Certainty, PositionValues

Value = Callable[[Position], int | None]
"""Looks up one number; None where it is not known or there is none."""


@dataclass(frozen=True, slots=True)
class Values:
    """Looks up numbers of one kind, of a position and of all that one move leads to.

    Attributes:
        at: the number of a position; None where it is not known or there is none.
        certainty: how they are known.
        reason: what they rest on.
    """

    at: Value
    certainty: Certainty
    reason: str


@dataclass(frozen=True, slots=True)
class ValueTable:
    """The Grundy values and the remoteness of a position and its children.

    Attributes:
        grundy: None where they are not known.
        remoteness: None where it is not known.
    """

    grundy: Values | None = None
    remoteness: Values | None = None

    def at(self, position: Position) -> PositionValues:
        """The numbers of a position."""
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
