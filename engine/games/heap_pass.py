"""What games share in which every heap may have a pass of its own: `nim{heappass}:[3p,5]`.

The pass may be used once, by either player, while a move is left in its heap; see
`engine.theory.heap_pass`. The coordinates of a position are two numbers a heap: its size, and 1 if
it has its pass, else 0; heaps ascend, and empty ones are left out.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Final

from engine.games.drawing import heap_lines
from engine.games.position import Move, Position
from engine.games.rules import Rules, check_coordinates, plain_convention
from engine.games.spec import Coordinates, GameSpec, Options
from engine.games.unordered import played, said_of, told
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
    tells_moves = True

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

    def draw(self, position: Position, wins: Iterable[Move] = ()) -> list[str]:
        """The heaps as rows of tokens; p behind those that have their pass."""
        heaps = decode(position.coordinates)
        marks = ["p" if heap.has_pass else "" for heap in heaps]
        return heap_lines([heap.size for heap in heaps], marks)

    def tell(self, position: Position, move: Move) -> str | None:
        """As a move of a heap without a pass; the pass by its heap."""
        heaps = decode(position.coordinates)
        heap, left = played(heaps, decode(move.child.coordinates))
        number = heaps.index(heap) + 1
        if _is_own_pass(heap, left):
            return f"use the pass of heap {number}"
        return told(number, heap.size - sum(part.size for part in left), list(map(str, left)))

    def typed(self, position: Position, move: Move) -> tuple[str, ...]:
        """The heap, and `pass` or the tokens and what is left of it."""
        heaps = decode(position.coordinates)
        heap, left = played(heaps, decode(move.child.coordinates))
        tokens = heap.size - sum(part.size for part in left)
        said = "pass" if _is_own_pass(heap, left) else said_of(tokens, list(map(str, left)))
        equal = (number for number, each in enumerate(heaps, start=1) if each == heap)
        return tuple(f"{number} {said}" for number in equal)

    def convention(self, component: Position, play: Play) -> Convention:
        """The values are those of normal play."""
        return plain_convention(component)


def _is_own_pass(heap: PassHeap, left: PassHeaps) -> bool:
    return len(left) == 1 and left[0].size == heap.size


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
