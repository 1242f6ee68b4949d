"""What games share in which every heap may have a pass of its own: `nim{heappass}:[3p,5]`.

The pass may be used once, by either player, while a move is left in its heap; see
`engine.theory.heap_pass`. The coordinates of a position are two numbers a heap: its size, and 1 if
it has its pass, else 0; heaps ascend, and empty ones are left out.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Final

from engine.games.position import Position
from engine.games.rules import Rules, check_coordinates, plain_convention
from engine.games.spec import Coordinates, GameSpec, Options
from engine.theory import heap_pass
from engine.theory.heap_pass import PassHeap, PassHeaps
from engine.theory.sums import Convention, Play
from schema.errors import InvalidPositionError, NotationError

OPTION: Final = "heappass"


def read_word(text: str) -> str:
    """The option is a word by itself.

    Raises:
        NotationError: it is given a value.
    """
    if text:
        raise NotationError(f"{OPTION} takes no value; write nim{{{OPTION}}}:[3p,5]")
    return ""


class HeapPassRules(Rules):
    """Heaps that may have passes of their own."""

    allows = frozenset({"misere"})

    def canonical_options(self, options: Options) -> Options:
        """The word is always there."""
        given = dict(options)
        return super().canonical_options(tuple({**given, OPTION: given.get(OPTION, "")}.items()))

    @abstractmethod
    def heap_moves(self, heaps: PassHeaps, game: GameSpec) -> Iterable[PassHeaps]:
        """Children of a position."""

    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """The heaps in their one order, without empty ones."""
        return Position(game, encode(decode(coordinates)))

    def check(self, game: GameSpec, coordinates: Coordinates) -> None:
        """Pairs of a size and 0 or 1, ascending, none empty, at most 64 of them."""
        check_coordinates(self.form, "", coordinates)
        if encode(decode(coordinates)) != coordinates:
            raise InvalidPositionError(
                f"{self.form}: {list(coordinates[:12])} are no heaps in ascending order"
            )
        if len(coordinates) > 2 * heap_pass.HEAPS_MAX:
            raise InvalidPositionError(
                f"{self.form}: got {len(coordinates) // 2} heaps; allowed are at most"
                f" {heap_pass.HEAPS_MAX}"
            )

    def regular_moves(self, coordinates: Coordinates, game: GameSpec) -> Iterator[Coordinates]:
        """Regular moves and passes of heaps, heap by heap; each child once."""
        seen = set()
        for child in self.heap_moves(decode(coordinates), game):
            encoded = encode(child)
            if encoded not in seen:
                seen.add(encoded)
                yield encoded

    def is_terminal(self, coordinates: Coordinates, game: GameSpec) -> bool:
        """No move is left; in misere play the player to move has won there."""
        return not game.misere and self._is_over(coordinates, game)

    def is_won(self, coordinates: Coordinates, game: GameSpec) -> bool:
        """In misere play: no move is left."""
        return game.misere and self._is_over(coordinates, game)

    def _is_over(self, coordinates: Coordinates, game: GameSpec) -> bool:
        return next(iter(self.heap_moves(decode(coordinates), game)), None) is None

    def parse_body(self, body: str, options: GameSpec) -> Position:
        """Read `[3p,5]`, heaps in any order."""
        position = self.position(options, encode(heap_pass.parse_body(body)))
        self.check(position.game, position.coordinates)
        return position

    def format_body(self, position: Position) -> str:
        """Write `[3p,5]`."""
        return heap_pass.format_body(decode(position.coordinates))

    def convention(self, component: Position, play: Play) -> Convention:
        """The values are those of normal play."""
        return plain_convention(component)


def encode(heaps: Iterable[PassHeap]) -> Coordinates:
    """The coordinates of heaps: ascending, without empty ones."""
    ordered = sorted(heap for heap in heaps if heap.size)
    return tuple(number for heap in ordered for number in (heap.size, int(heap.has_pass)))


def decode(coordinates: Coordinates) -> PassHeaps:
    """The heaps that coordinates stand for.

    Raises:
        InvalidPositionError: they are no pairs of a size and 0 or 1.
    """
    if len(coordinates) % 2 or not set(coordinates[1::2]) <= {0, 1}:
        raise InvalidPositionError(
            f"{list(coordinates[:12])} are no heaps with passes of their own: give pairs of a size"
            " and 1 (the heap has its pass) or 0"
        )
    pairs = zip(coordinates[::2], coordinates[1::2], strict=True)
    return tuple(PassHeap(size, has_pass=bool(own)) for size, own in pairs)
