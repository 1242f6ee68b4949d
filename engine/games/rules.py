"""What every family of games has to say about itself."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from engine.games.position import Move, Position
from engine.games.spec import MAX_COORDINATE, Coordinates, GameSpec
from schema.errors import InvalidPositionError


class Rules(ABC):
    """The rules of one family: positions, legal moves, the end, and the text of a position.

    A subclass describes the plain game. Passes and declared N-positions are the same for every
    family and are added here.
    """

    family: ClassVar[str]
    form: ClassVar[str]
    """How a position is written, for messages, e.g. `chomp3:[4,3,2]`."""
    typed_form: ClassVar[str] = "text"
    """The form in which positions travel, a key of `schema.messages.TYPED_FORMS`; text if none."""

    @abstractmethod
    def check(self, game: GameSpec, coordinates: Coordinates) -> None:
        """Raise InvalidPositionError unless the coordinates are a position of the game."""

    @abstractmethod
    def regular_moves(self, coordinates: Coordinates, game: GameSpec) -> Iterator[Coordinates]:
        """Children by every regular move; each child once, in the documented order."""

    @abstractmethod
    def is_terminal(self, coordinates: Coordinates) -> bool:
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
        if game.passes and not self.is_terminal(coordinates):
            yield Move(position.passed(), is_pass=True)

    def ends_at(self, position: Position) -> bool:
        """Whether the game is over at a position, for whichever player."""
        game, coordinates = position.game, position.coordinates
        is_over = self.is_terminal(coordinates) or self.is_won(coordinates, game)
        return is_over or game.declares(coordinates)

    def is_won(self, coordinates: Coordinates, game: GameSpec) -> bool:
        """Whether the game is over here with the player to move the winner."""
        return False


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
