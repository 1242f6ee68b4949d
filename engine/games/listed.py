"""Games that are written once: a family lists its actions, and all else follows.

A family of this kind says how positions are read and written, and which actions there are. It may
add a theorem. Search, passes, misere play, sums, bots, chances and every interface follow.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from position_oracle.engine.games.bodies import format_bracket_body, parse_bracket_body
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.rules import Rules
from position_oracle.engine.games.spec import Coordinates, GameSpec, Options
from position_oracle.engine.games.tree import Tree, plain_tree

Actions = Iterator[tuple[Any, Coordinates]]
"""Actions, or what makes actions, with the coordinates that they lead to."""


@dataclass(frozen=True, slots=True)
class Theorem:
    """The result of a theorem for a position.

    Attributes:
        is_p: whether the previous player wins.
        reason: the theorem and its source.
        grundy: the Grundy value in normal play; None where the theorem does not tell.
        remoteness: how many moves are left if the winner hurries and the loser delays; None where
            the theorem does not tell.
        is_searched: whether it rests on a search of parts of the position.
    """

    is_p: bool
    reason: str
    grundy: int | None = None
    remoteness: int | None = None
    is_searched: bool = False


Theorems = Callable[[Position], Theorem | None]
"""The theorems of a family, as a function of the position; None where none applies."""


class ListedRules(Rules):
    """Rules of a game that are given by the actions of each position."""

    tells_moves = True
    about: ClassVar[str] = ""
    """The answered positions of the family, in words, for the list of games."""

    example: ClassVar[str]
    """The body of a position to begin with."""

    example_options: ClassVar[Options] = ()
    """The options of its game."""

    @abstractmethod
    def actions(self, value: Coordinates, game: GameSpec) -> Actions:
        """See `Rules.actions`."""

    @abstractmethod
    def check(self, game: GameSpec, coordinates: Coordinates) -> None:
        """Raise InvalidPositionError unless the coordinates are a position, in its one form."""

    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """The position with these coordinates, once they are checked."""
        self.check(game, coordinates)
        return Position(game, coordinates)

    def parse(self, body: str, game: GameSpec) -> tuple[Coordinates, int]:
        """Read what stands behind the colon: coordinates and passes; `[5,13;1]` by default."""
        return parse_bracket_body(body, self.form)

    def format(self, coordinates: Coordinates, game: GameSpec) -> str:
        """Write what stands behind the colon, with `game.passes`; `parse` reads it back."""
        return format_bracket_body(coordinates, game.passes)

    def theorem(self, position: Position) -> Theorem | None:
        """The result of a theorem for a position in any kind of play; None where none applies."""
        return None

    def theorems(self, position: Position) -> Theorems:
        """The results of theorems for a position and the positions after its moves.

        A family whose theorem takes a search shares it here between these positions.
        """
        return self.theorem

    def seconds(self, position: Position) -> float:
        """The largest cost of the theorem; no time unless it needs a search."""
        return 0.0

    def likely_wins(self, position: Position) -> Iterator[Coordinates] | None:
        """Children among which are all that win; None where all are to be looked through."""
        return None

    def some_win(self, position: Position) -> Coordinates | None:
        """A child that may win, where those that win are too many to be listed."""
        return None

    def bound(self, coordinates: Coordinates, game: GameSpec) -> float:
        """At least as many positions as play can come to; 0 where that is not known."""
        return 0.0

    def tree(self, position: Position, *, misere: bool) -> Tree[Any]:
        """The tree by the actions."""
        game = position.game
        return plain_tree(
            lambda value: self.actions(value, game),
            lambda value: self.bound(value, game),
            misere=misere,
        )

    def parse_body(self, body: str, options: GameSpec) -> Position:
        """Read a position and its passes."""
        coordinates, passes = self.parse(body, options)
        return self.position(options.with_passes(passes), coordinates)

    def format_body(self, position: Position) -> str:
        """Write a position and its passes."""
        return self.format(position.value, position.game)
