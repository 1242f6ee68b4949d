"""Positions and moves, the same records for every family."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.schema import moves
from position_oracle.schema.answers import Outcome
from position_oracle.schema.numbers import brief

if TYPE_CHECKING:
    from typing import TypeAlias

    Move: TypeAlias = moves.Move["Position"]
else:
    from position_oracle.schema.moves import Move


@dataclass(frozen=True, slots=True)
class Position:
    """A position: the game with the passes left in it, and what the family has of its own.

    Attributes:
        game: which game; `game.passes` is the number of passes left here.
        value: `(x, y, z)` in three-row Chomp (Zeilberger's coordinates: columns of height 3, 2 and
            1), heaps in heap games, row lengths with the poison row first in Chomp, a strip as
            text in Toads and Frogs, a `DivisorPosition` in the game of divisors, a union of boxes
            in transfinite Chomp, `Components` in sums. Hashable, and compares by value.
    """

    game: GameSpec
    value: Any

    def __str__(self) -> str:
        """The canonical text."""
        body = rules_of(self.game.family).format_body(self)
        return f"{self.game.position_prefix}:{body}" if self.game.position_prefix else body

    @property
    def brief(self) -> str:
        """The text for messages, shortened where it is long."""
        return brief(str(self))

    @property
    def coordinates(self) -> Coordinates:
        """The position as whole numbers, for batches and tables; none in sums and ordinals."""
        return rules_of(self.game.family).numbers(self.value)

    @property
    def typed_form(self) -> str:
        """The form in which it travels; see `Rules.typed_form`."""
        return rules_of(self.game.family).typed_form

    def child(self, value: Any) -> "Position":
        """The position that a regular move to this value leads to."""
        return Position(self.game, value)

    def passed(self) -> "Position":
        """The position after a pass: the same value, one pass fewer."""
        return Position(self.game.with_passes(self.game.passes - 1), self.value)


__all__ = ["Move", "Outcome", "Position"]
