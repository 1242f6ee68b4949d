"""What every family of games has to say about itself."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import ClassVar

from engine.games.position import Move, Position
from engine.games.spec import (
    MAX_COORDINATE,
    Coordinates,
    GameSpec,
    Options,
    check_common_options,
)
from engine.theory.sums import Convention, Play
from schema.errors import InvalidPositionError, NotationError


class Rules(ABC):
    """The rules of one family: positions, legal moves, the end, and the text of a position.

    A subclass describes the plain game. Passes and declared N-positions are the same for every
    family and are added here.
    """

    family: ClassVar[str]
    name: ClassVar[str] = ""
    """How the family is called in texts, where that is not `family`."""

    form: ClassVar[str]
    """How a position is written, for messages, e.g. `chomp3:[4,3,2]`."""

    typed_form: ClassVar[str] = "text"
    """The form in which positions travel, a key of `schema.messages.TYPED_FORMS`; text if none."""

    allows: ClassVar[frozenset[str]] = frozenset()
    """Which of the options that are the same for every family there are: `passes`, `misere`,
    `variants`."""

    options: ClassVar[Mapping[str, Callable[[str], str]]] = MappingProxyType({})
    """The family's own options: each reads a text and gives it in canonical form, or raises
    NotationError; the text is empty for an option that is a word by itself."""

    has_poison: ClassVar[bool] = False
    """Whether there is a cookie or number that loses: then `is_won` where it has been taken."""

    tells_moves: ClassVar[bool] = False
    """Whether answers say moves in words, as the position they lead to does not show them well."""

    def canonical_options(self, options: Options) -> Options:
        """The family's own options in their order, each in canonical form.

        Raises:
            NotationError: an option that the family does not have, or no value for it.
        """
        given = dict(options)
        if unknown := given.keys() - self.options.keys():
            raise NotationError(f"{self.family}: no option {', '.join(sorted(unknown))}")
        return tuple(
            (name, read(given[name])) for name, read in self.options.items() if name in given
        )

    def implied_heaps(self, game: GameSpec) -> int | None:
        """The number of heaps that follows from other options; None where none does."""
        return None

    def check_game(self, game: GameSpec) -> None:
        """Raise NotationError unless the options of a game go together."""
        if game.heaps is not None:
            raise NotationError(
                f"{game.family}: heaps={game.heaps}; this family has no such option"
            )
        check_common_options(game, self.allows)

    def convention(self, component: Position, play: Play) -> Convention:
        """What the Grundy value of a component of a sum counts.

        Raises:
            InvalidPositionError: the family has no such values in this kind of play.
        """
        raise InvalidPositionError(f"{self.family} cannot be a component of a sum")

    def children_worth(
        self, position: Position, values: tuple[int, ...]
    ) -> Iterator[tuple[Position, int]] | None:
        """The children with some Grundy values, and their values; None: moves are to be listed."""
        return None

    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """The position with these coordinates, in canonical form.

        Raises:
            InvalidPositionError: there is none.
        """
        self.check(game, coordinates)
        return Position(game, coordinates)

    @abstractmethod
    def check(self, game: GameSpec, coordinates: Coordinates) -> None:
        """Raise InvalidPositionError unless the coordinates are a position of the game."""

    @abstractmethod
    def regular_moves(self, coordinates: Coordinates, game: GameSpec) -> Iterator[Coordinates]:
        """Children by every regular move; each child once, in the documented order."""

    @abstractmethod
    def is_terminal(self, coordinates: Coordinates, game: GameSpec) -> bool:
        """Whether the player to move has lost here: no move is left, or only the poison."""

    @abstractmethod
    def parse_body(self, body: str, options: GameSpec) -> Position:
        """Read what stands behind the colon; `options` are those of the text before it."""

    @abstractmethod
    def format_body(self, position: Position) -> str:
        """Write what stands behind the colon; `parse_body` reads it back."""

    def format_position(self, position: Position) -> str:
        """The canonical text of a position."""
        return f"{position.game.position_prefix}:{self.format_body(position)}"

    def moves(self, position: Position) -> Iterator[Move]:
        """All legal moves: regular ones first, then the pass where there is one.

        No move leads out of a declared N-position: it is won on arrival. A pass is not available
        at a terminal position (Morrison, Friedman & Landsberg, section 1.2).
        """
        game, coordinates = position.game, position.coordinates
        if game.declares(coordinates) or self.is_won(coordinates, game):
            return
        for child in self.regular_moves(coordinates, game):
            yield Move(position.child(child))
        if game.passes and not self.is_terminal(coordinates, game):
            yield Move(position.passed(), is_pass=True)

    def has_finite_moves(self, position: Position) -> bool:
        """Whether the moves can be listed at all."""
        return True

    def is_empty(self, position: Position) -> bool:
        """Whether nothing is left, not even the poison."""
        return not any(position.coordinates)

    def ends_at(self, position: Position) -> bool:
        """Whether the game is over at a position, for whichever player."""
        game, coordinates = position.game, position.coordinates
        is_over = self.is_terminal(coordinates, game) or self.is_won(coordinates, game)
        return is_over or game.declares(coordinates)

    def is_won(self, coordinates: Coordinates, game: GameSpec) -> bool:
        """Whether the game is over here with the player to move the winner."""
        return False

    def draw(self, position: Position, wins: Iterable[Move] = ()) -> list[str]:
        """Lines that show a position at a terminal; none where it cannot be drawn, or is too large.

        Args:
            position: what to draw.
            wins: winning moves, to be marked where there is a place to mark.
        """
        return []

    def tell(self, position: Position, move: Move) -> str | None:
        """A regular move in words, e.g. `take 3 from heap 2`; None where there are none for it."""
        return None

    def typed(self, position: Position, move: Move) -> tuple[str, ...]:
        """What a player may type for a regular move, e.g. `2 3`, words parted by single spaces."""
        return ()


def check_coordinates(form: str, names: str, coordinates: Coordinates) -> None:
    """Raise InvalidPositionError unless every coordinate is in 0 .. MAX_COORDINATE.

    Args:
        form: how the position is written, for the message.
        names: one letter a coordinate, for the message; numbered where there are more of them.
        coordinates: the numbers to check.
    """
    for index, value in enumerate(coordinates):
        if not 0 <= value <= MAX_COORDINATE:
            name = names[index] if index < len(names) else f"number {index + 1}"
            raise InvalidPositionError(
                f"{form}: {name} = {value}; allowed are 0 to {MAX_COORDINATE} (2^63 - 1)"
            )


def plain_convention(component: Position) -> Convention:
    """The convention of a component whose Grundy values are those of normal play.

    Raises:
        InvalidPositionError: it ends by rules of its own.
    """
    game = component.game
    if not game.is_plain:
        raise InvalidPositionError(
            f"{game.text} cannot be a component of a sum: it ends by rules of its own, so that"
            " Grundy values do not decide; misere play of the whole sum is written misere{...}"
        )
    return Convention.OTHER


def poison_convention(component: Position, play: Play) -> Convention:
    """The convention of a board with poison, which only misere play lets the players eat.

    Raises:
        InvalidPositionError: see `plain_convention`.
    """
    convention = plain_convention(component)
    if component.game.passes:
        return convention
    misere = play is Play.MISERE
    return Convention.CHOMP_UNRESTRICTED if misere else Convention.CHOMP_RESTRICTED
