"""Positions and moves, the same records for every family."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from engine.games.registry import rules_of
from engine.games.spec import Coordinates, GameSpec


class Outcome(IntEnum):
    """Who wins: the player who has just moved (P) or the player to move (N).

    The numbers are the bytes of packed batches.
    """

    UNKNOWN = 0
    P = 1
    N = 2


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

    def child(self, coordinates: Coordinates) -> "Position":
        """The position that a regular move to these coordinates leads to."""
        return Position(self.game, coordinates)

    def passed(self) -> "Position":
        """The position after a pass: the same coordinates, one pass fewer."""
        return Position(self.game.with_passes(self.game.passes - 1), self.coordinates)


@dataclass(frozen=True, slots=True)
class Move:
    """A legal move, named by the position it leads to."""

    child: Position
    is_pass: bool = False


Moves = Iterator[Move]
