"""Games of heaps whose order and number mean nothing: heaps ascend, and empty ones are left out."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeVar

from engine.games.bodies import format_bracket_body, parse_bracket_body
from engine.games.drawing import heap_lines
from engine.games.position import Move, Position
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
    tells_moves = True

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

    def draw(self, position: Position, wins: Iterable[Move] = ()) -> list[str]:
        """The heaps as rows of tokens."""
        return heap_lines(position.coordinates)

    def tell(self, position: Position, move: Move) -> str | None:
        """By the tokens taken from a heap, and the heaps left of it where there are several."""
        if move.is_pass:
            return None
        heap, left = played(position.coordinates, move.child.coordinates)
        return told(position.coordinates.index(heap) + 1, heap - sum(left), list(map(str, left)))

    def typed(self, position: Position, move: Move) -> tuple[str, ...]:
        """The heap, the tokens taken from it, and the heaps left where there are several."""
        if move.is_pass:
            return ()
        heap, left = played(position.coordinates, move.child.coordinates)
        said = said_of(heap - sum(left), list(map(str, left)))
        equal = (i for i, size in enumerate(position.coordinates, start=1) if size == heap)
        return tuple(f"{number} {said}" for number in equal)

    def convention(self, component: Position, play: Play) -> Convention:
        """The values are those of normal play."""
        return plain_convention(component)


HeapT = TypeVar("HeapT")


def played(before: Iterable[HeapT], after: Iterable[HeapT]) -> tuple[HeapT, tuple[HeapT, ...]]:
    """The heap that a move was made in, and what it left of it: what two positions differ by.

    What is left of a heap never equals it.
    """
    old, new = Counter(before), Counter(after)
    (heap,) = (old - new).elements()
    return heap, tuple((new - old).elements())


def told(number: int, tokens: int, left: Sequence[str]) -> str:
    """A move in a heap in words.

    Args:
        number: of the heap, from 1.
        tokens: how many were taken.
        left: the heaps left of it.
    """
    parts = " and ".join(left)
    if not tokens:
        return f"split heap {number} into {parts}"
    rest = f", leaving {parts}" if len(left) > 1 else ""
    return f"take {tokens} from heap {number}{rest}"


def said_of(tokens: int, left: Sequence[str]) -> str:
    """A move in a heap as it is typed: the tokens, and the heaps left where there are several."""
    return f"{tokens} {'+'.join(left)}" if len(left) > 1 else str(tokens)
