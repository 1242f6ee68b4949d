"""Games in one file: a family lists its actions, and everything else follows.

A family of this kind reads and writes positions and lists their actions. It may add a theorem.
Search, passes, misere play, sums, bots, chances and every interface follow.
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
"""Actions, or functions that make actions, with the coordinates that they lead to."""


@dataclass(frozen=True, slots=True)
class Theorem:
    """The result of a theorem for a position.

    Attributes:
        is_p: whether the previous player wins.
        reason: the theorem and its source.
        grundy: the Grundy value in normal play; None if the theorem does not tell.
        remoteness: the number of moves left if the winner hurries and the loser delays; None if the
            theorem does not give it.
        is_searched: whether the result rests on a search of parts of the position.
    """

    is_p: bool
    reason: str
    grundy: int | None = None
    remoteness: int | None = None
    is_searched: bool = False


Theorems = Callable[[Position], Theorem | None]
"""The theorems of a family: a function of a position that returns a Theorem, or None."""


class ListedRules(Rules):
    """Rules of a game that are defined by the actions of each position."""

    tells_moves = True
    about: ClassVar[str] = ""
    """A description of the positions of the family that are answered, for the list of games."""

    example: ClassVar[str]
    """The body of an example position."""

    example_options: ClassVar[Options] = ()
    """The options of the example's game."""

    @abstractmethod
    def actions(self, value: Coordinates, game: GameSpec) -> Actions:
        """Yield each distinct regular action and the value after it."""

    @abstractmethod
    def check(self, game: GameSpec, coordinates: Coordinates) -> None:
        """Raise InvalidPositionError unless a position has these coordinates."""

    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """Make the position with these coordinates after checking them."""
        self.check(game, coordinates)
        return Position(game, coordinates)

    def example_position(self) -> Position:
        """Read the example."""
        return self.parse_body(self.example, GameSpec(self.family, options=self.example_options))

    def parse(self, body: str, game: GameSpec) -> tuple[Coordinates, int]:
        """Read the text after the colon: coordinates and passes, by default like `[5,13;1]`."""
        return parse_bracket_body(body, self.form)

    def format(self, coordinates: Coordinates, game: GameSpec) -> str:
        """Write the text after the colon, with `game.passes`; `parse` reads it back."""
        return format_bracket_body(coordinates, game.passes)

    def theorem(self, position: Position) -> Theorem | None:
        """Apply the theorems of the family in any kind of play; None if none applies."""
        return None

    def theorems(self, position: Position) -> Theorems:
        """Return the theorems for a position and for the positions after its moves.

        A family whose theorem takes a search shares it here between these positions.
        """
        return self.theorem

    def seconds(self, position: Position) -> float:
        """Return an upper bound of the time of the theorem; 0 unless the theorem needs a search."""
        return 0.0

    def likely_wins(self, position: Position) -> Iterator[Coordinates] | None:
        """Return children that include all winning ones; None if all must be checked."""
        return None

    def likely_seconds(self, position: Position) -> float:
        """Return the time to find `likely_wins`, in addition to that of each."""
        return 0.0

    def some_win(self, position: Position) -> Coordinates | None:
        """Return a child that may win, if there are too many winning children to list."""
        return None

    def bound(self, coordinates: Coordinates, game: GameSpec) -> float:
        """Return an upper bound of the number of positions that play can reach; 0 if unknown."""
        return 0.0

    def tree(self, position: Position, *, misere: bool) -> Tree[Any]:
        """Return the tree by the actions."""
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
