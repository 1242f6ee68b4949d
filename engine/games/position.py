"""Positions and moves, the same records for every family."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.schema import moves
from position_oracle.schema.answers import Outcome

if TYPE_CHECKING:
    from typing import TypeAlias

    Move: TypeAlias = moves.Move["Position"]
else:
    from position_oracle.schema.moves import Move


@dataclass(frozen=True, slots=True)
class Position:
    """A position: the game with the passes left in it, and the coordinates.

    Attributes:
        game: which game; `game.passes` is the number of passes left here.
        coordinates: `(x, y, z)` in three-row Chomp (Zeilberger's coordinates: columns of height
            3, 2 and 1), heaps in heap games, row lengths with the poison row first in Chomp; see
            `engine.games.divisors` for the game of divisors.
    """

    game: GameSpec
    coordinates: Coordinates

    def __str__(self) -> str:
        """The canonical text."""
        return rules_of(self.game.family).format_position(self)

    @property
    def typed_form(self) -> str:
        """The form in which it travels; see `Rules.typed_form`."""
        return rules_of(self.game.family).typed_form

    def child(self, coordinates: Coordinates) -> "Position":
        """The position that a regular move to these coordinates leads to."""
        return Position(self.game, coordinates)

    def passed(self) -> "Position":
        """The position after a pass: the same coordinates, one pass fewer."""
        return Position(self.game.with_passes(self.game.passes - 1), self.coordinates)


Moves = Iterator[Move]

__all__ = ["Move", "Moves", "Outcome", "Position"]
