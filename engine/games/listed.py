"""Games that are written once: a family lists its actions, and all else follows.

A family of this kind says how positions are read and written, and which actions there are. It may
add a theorem. Search, passes, misere play, sums, bots, chances and every interface follow.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, ClassVar, Final

from position_oracle.engine.budget import watched
from position_oracle.engine.games.bodies import format_bracket_body, parse_bracket_body
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.rules import Rules, refused
from position_oracle.engine.games.spec import Coordinates, GameSpec, Options
from position_oracle.engine.games.tree import PlainTree, Tree, coordinates_of
from position_oracle.schema.errors import ResourceLimitError
from position_oracle.schema.moves import Action

MAX_SCANNED: Final = 100_000
"""Most actions of a position that are looked through for one of them."""

Actions = Iterator[tuple[Action, Coordinates]]


@dataclass(frozen=True, slots=True)
class Theorem:
    """What a theorem says of a position.

    Attributes:
        is_p: whether the previous player wins.
        reason: the theorem and its source.
        grundy: the Grundy value in normal play; None where the theorem does not tell.
        is_searched: whether it rests on a search of parts of the position.
    """

    is_p: bool
    reason: str
    grundy: int | None = None
    is_searched: bool = False


Theorems = Callable[[Position], Theorem | None]
"""What theorems say of a position; None where they say nothing."""


class ListedRules(Rules):
    """Rules of a game that are given by the actions of each position."""

    allows: ClassVar[frozenset[str]] = frozenset({"passes", "misere"})
    tells_moves = True
    about: ClassVar[str] = ""
    """What is answered of the family, in words, for the list of games."""

    example: ClassVar[str]
    """The body of a position to begin with."""

    example_options: ClassVar[Options] = ()
    """The options of its game."""

    @abstractmethod
    def actions(self, coordinates: Coordinates, game: GameSpec) -> Actions:
        """Each distinct action with what it leads to, in canonical form; lazily."""

    def parse(self, body: str, game: GameSpec) -> tuple[Coordinates, int]:
        """Read what stands behind the colon: coordinates and passes; `[5,13;1]` by default."""
        return parse_bracket_body(body, self.form)

    def format(self, coordinates: Coordinates, game: GameSpec) -> str:
        """Write what stands behind the colon, with `game.passes`; `parse` reads it back."""
        return format_bracket_body(coordinates, game.passes)

    def theorem(self, position: Position) -> Theorem | None:
        """What a theorem says of a position of any kind of play; None where none applies."""
        return None

    def theorems(self, position: Position) -> Theorems:
        """What theorems say of a position and of those that moves lead to.

        A family whose theorem takes a search shares it here between these positions.
        """
        return self.theorem

    def seconds(self, position: Position) -> float:
        """What the theorem takes at most; no time unless it takes a search."""
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
        """By the actions."""
        game = position.game
        return PlainTree(
            lambda node: self.children(node, game),
            coordinates_of,
            lambda node: self.bound(node, game),
            misere=misere,
        )

    def children(self, coordinates: Coordinates, game: GameSpec) -> Iterator[Coordinates]:
        """What each action leads to, one entry an action, as a search needs it."""
        return (child for _, child in self.actions(coordinates, game))

    def regular_moves(self, coordinates: Coordinates, game: GameSpec) -> Iterator[Coordinates]:
        """What the actions lead to, each once."""
        seen = set()
        for child in self.children(coordinates, game):
            if child not in seen:
                seen.add(child)
                yield child

    def is_terminal(self, coordinates: Coordinates, game: GameSpec) -> bool:
        """No action is left; in misere play the player to move has won there."""
        return not game.misere and self._is_over(coordinates, game)

    def is_won(self, coordinates: Coordinates, game: GameSpec) -> bool:
        """In misere play: no action is left."""
        return game.misere and self._is_over(coordinates, game)

    def _is_over(self, coordinates: Coordinates, game: GameSpec) -> bool:
        return next(self.actions(coordinates, game), None) is None

    def parse_body(self, body: str, options: GameSpec) -> Position:
        """Read a position and its passes."""
        coordinates, passes = self.parse(body, options)
        return self.position(options.with_passes(passes), coordinates)

    def format_body(self, position: Position) -> str:
        """Write a position and its passes."""
        return self.format(position.coordinates, position.game)

    def ways(self, position: Position, child: Position) -> Iterator[Action]:
        """By looking through the actions."""
        return iter(_by_child(self, position).get(child.coordinates, ()))

    def after(self, position: Position, action: Action) -> Position:
        """By looking through the actions."""
        for child, ways in _by_child(self, position).items():
            if action in ways:
                return position.child(child)
        raise refused(position, action, "the rules of the game do not allow it")

    def read_action(self, position: Position, typed: str) -> Action | None:
        """By the words of an action, or what may be typed for it."""
        for ways in _by_child(self, position).values():
            for action in ways:
                if _plain(typed) in map(_plain, (action.words, *self.texts(position, action))):
                    return action
        return None


def _plain(text: str) -> str:
    """A text without commas, which whoever types may leave out."""
    return " ".join(text.replace(",", " ").split())


@lru_cache(maxsize=4)
def _by_child(rules: ListedRules, position: Position) -> dict[Coordinates, tuple[Action, ...]]:
    """The actions by what they lead to; kept for those who ask about move after move."""
    found: dict[Coordinates, tuple[Action, ...]] = {}
    listed = watched(rules.actions(position.coordinates, position.game))
    for action, child in islice(listed, MAX_SCANNED):
        found[child] = (*found.get(child, ()), action)
    if next(listed, None) is not None:
        raise ResourceLimitError(
            f"{position} has more than {MAX_SCANNED:,} actions, which are not looked through"
        )
    return found
