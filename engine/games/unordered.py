"""Games of heaps whose order and number mean nothing: heaps ascend, and empty ones are left out."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Final

from engine.games.bodies import format_bracket_body, parse_bracket_body
from engine.games.position import Position
from engine.games.rules import Rules, check_coordinates, plain_convention
from engine.games.spec import Coordinates, GameSpec
from engine.theory import heap_sums
from engine.theory.heap_sums import Heaps
from engine.theory.sums import Convention, Play
from schema.errors import InvalidPositionError

MAX_HEAPS: Final = 64


class UnorderedHeaps(Rules):
    """Heaps of which a move changes one; it may leave any number of heaps of it."""

    allows = frozenset({"passes", "misere"})
    typed_form = "heaps"

    @abstractmethod
    def left_of(self, heap: int, game: GameSpec) -> Iterator[Heaps]:
        """What a move may leave of one heap; lazily, as a large heap has many."""

    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """The heaps in ascending order, without empty ones."""
        check_coordinates(self.form, "", coordinates)
        position = Position(game, heap_sums.canonical(coordinates))
        self.check(game, position.coordinates)
        return position

    def check(self, game: GameSpec, coordinates: Coordinates) -> None:
        """At most 64 heaps, none empty, ascending."""
        if len(coordinates) > MAX_HEAPS:
            raise InvalidPositionError(
                f"{self.form}: got {len(coordinates)} heaps; allowed are at most {MAX_HEAPS}"
            )
        check_coordinates(self.form, "", coordinates)
        if coordinates != heap_sums.canonical(coordinates):
            raise InvalidPositionError(
                f"{self.form}: heaps {list(coordinates)} do not ascend, or are empty"
            )

    def regular_moves(self, coordinates: Coordinates, game: GameSpec) -> Iterator[Coordinates]:
        """Heap by heap, the smallest first, then as `left_of` has it; each child once."""
        return heap_sums.moves(coordinates, lambda heap: self.left_of(heap, game))

    def is_terminal(self, coordinates: Coordinates, game: GameSpec) -> bool:
        """No move is left; in misere play the player to move has won there."""
        return not game.misere and self._is_over(coordinates, game)

    def is_won(self, coordinates: Coordinates, game: GameSpec) -> bool:
        """In misere play: no move is left."""
        return game.misere and self._is_over(coordinates, game)

    def _is_over(self, coordinates: Coordinates, game: GameSpec) -> bool:
        return next(self.regular_moves(coordinates, game), None) is None

    def parse_body(self, body: str, options: GameSpec) -> Position:
        """Read `[heap,heap,...]` or `[heap,heap,...;passes]`, in any order."""
        coordinates, passes = parse_bracket_body(body, self.form)
        return self.position(options.with_passes(passes), coordinates)

    def format_body(self, position: Position) -> str:
        """Write `[heap,heap,...]`, with `;passes` where some are left."""
        return format_bracket_body(position.coordinates, position.game.passes)

    def convention(self, component: Position, play: Play) -> Convention:
        """The values are those of normal play."""
        return plain_convention(component)
