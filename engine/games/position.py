"""Positions and moves: records that all families share."""

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
    """A position: a game with the passes left, and a value whose type depends on the family.

    Attributes:
        game: the game; `game.passes` is the number of passes left in this position.
        value: `(x, y, z)` in three-row Chomp (Zeilberger's coordinates: columns of height 3, 2 and
            1), heaps in heap games, row lengths with the poison row first in Chomp, a strip as
            text in Toads and Frogs, a `DivisorPosition` in the game of divisors, a union of boxes
            in transfinite Chomp, `Components` in sums. Hashable, and compares by value.
    """

    game: GameSpec
    value: Any

    def __str__(self) -> str:
        """Return the canonical text."""
        body = rules_of(self.game.family).format_body(self)
        return f"{self.game.position_prefix}:{body}" if self.game.position_prefix else body

    @property
    def brief(self) -> str:
        """The text for messages, shortened if it is long."""
        return brief(str(self))

    @property
    def coordinates(self) -> Coordinates:
        """The position as whole numbers; empty for sums and infinite positions."""
        return rules_of(self.game.family).numbers(self.value)

    @property
    def typed_form(self) -> str:
        """The kind of message that carries the position; see `Rules.typed_form`."""
        return rules_of(self.game.family).typed_form

    def child(self, value: Any) -> "Position":
        """Return the position that a regular move to this value leads to."""
        return Position(self.game, value)

    def passed(self) -> "Position":
        """Return the position after a pass: the same value with one pass fewer."""
        return Position(self.game.with_passes(self.game.passes - 1), self.value)


__all__ = ["Move", "Outcome", "Position"]
