"""Games of heaps whose order and number mean nothing: heaps ascend, and empty ones are left out."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice, zip_longest
from typing import ClassVar, Final, TypeVar

from position_oracle.engine.games import actions
from position_oracle.engine.games.bodies import format_bracket_body, parse_bracket_body
from position_oracle.engine.games.drawing import heap_lines
from position_oracle.engine.games.position import Move, Position
from position_oracle.engine.games.rules import (
    Rules,
    TypedMoves,
    check_coordinates,
    refused,
)
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.games.tree import PlainTree, listed
from position_oracle.engine.theory import heap_sums
from position_oracle.engine.theory.bounds import product
from position_oracle.engine.theory.heap_sums import Heaps
from position_oracle.schema.errors import InvalidPositionError
from position_oracle.schema.moves import Action, HeapChange

MAX_HEAPS: Final = 64

MAX_TAKEN: Final = 16
"""Tokens up to which moves are tried without being listed; no octal code has more digits."""


class UnorderedHeaps(Rules):
    """Heaps of which a move changes one; it may leave any number of heaps of it."""

    allows = frozenset({"passes", "misere"})
    typed_form = "heaps"
    typed_moves: ClassVar[TypedMoves] = (("2 3", "take 3 tokens from heap 2"),)
    tells_moves = True

    @abstractmethod
    def left_of(self, heap: int, game: GameSpec) -> Iterator[Heaps]:
        """What a move may leave of one heap; lazily, as a large heap has many."""

    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """The heaps in ascending order, without empty ones."""
        check_coordinates(self.family, "", coordinates)
        position = Position(game, heap_sums.canonical(coordinates))
        self.check(game, position.coordinates)
        return position

    def check(self, game: GameSpec, coordinates: Coordinates) -> None:
        """At most 64 heaps, none empty, ascending."""
        if len(coordinates) > MAX_HEAPS:
            raise InvalidPositionError(
                f"{self.family}: got {len(coordinates)} heaps; allowed are at most {MAX_HEAPS}"
            )
        check_coordinates(self.family, "", coordinates)
        if coordinates != heap_sums.canonical(coordinates):
            raise InvalidPositionError(
                f"{self.family}: heaps {list(coordinates)} do not ascend, or are empty"
            )

    def regular_moves(self, coordinates: Coordinates, game: GameSpec) -> Iterator[Coordinates]:
        """Heap by heap, the smallest first, then as `left_of` has it; each child once."""
        return heap_sums.moves(coordinates, lambda heap: self.left_of(heap, game))

    def tree(self, position: Position, *, misere: bool) -> PlainTree[Coordinates]:
        """By the heaps, ascending, without those in which nobody can move."""
        game = position.game

        @cache
        def left_of(heap: int) -> tuple[Heaps, ...]:
            return tuple(
                tuple(each for each in left if moves(each))
                for left in listed(self.left_of(heap, game))
            )

        @cache
        def moves(heap: int) -> bool:
            return next(self.left_of(heap, game), None) is not None

        def options(heaps: Coordinates) -> Iterator[Coordinates]:
            for index, heap in enumerate(heaps):
                others = heaps[:index] + heaps[index + 1 :]
                for left in left_of(heap):
                    yield tuple(sorted(others + left))

        return PlainTree(
            options,
            lambda position: tuple(heap for heap in position.coordinates if moves(heap)),
            lambda heaps: self.bound(heaps, game),
            misere=misere,
        )

    def hull(self, positions: Sequence[Position]) -> Position | None:
        """The largest of the heaps at each place; play need not come to all others."""
        heaps = (each.coordinates[::-1] for each in positions)
        columns = zip_longest(*heaps, fillvalue=0)
        return self.position(positions[0].game, tuple(map(max, columns)))

    def bound(self, heaps: Coordinates, game: GameSpec) -> float:
        """At least as many positions as can be reached; of heaps that are not split by default."""
        return product(heap + 1 for heap in heaps)

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

    @abstractmethod
    def may_leave(self, heap: int, left: Heaps, game: GameSpec) -> bool:
        """Whether a move may leave these heaps, ascending, of one heap; without listing them."""

    def ways(self, position: Position, child: Position) -> Iterator[Action]:
        """By the heap that was played in, and what is left of it."""
        change = played(position.coordinates, child.coordinates)
        if change is None:
            return
        heap, left = change
        parts = left if len(left) > 1 else ()
        for number, size in enumerate(position.coordinates, start=1):
            if size == heap:
                yield actions.playing(number, heap - sum(left), parts)

    def read_action(self, position: Position, typed: str) -> Action | None:
        """The heap, the tokens taken from it, and the heaps left where there are several."""
        return actions.read_taking(typed, len(position.coordinates))

    def notable_actions(self, position: Position) -> Iterable[Action]:
        """Of each heap what takes the most and the least, whole, or split at the edge."""
        for number, heap in enumerate(position.coordinates, start=1):
            largest = (heap - sum(left) for left in islice(self.left_of(heap, position.game), 1))
            numbers = (number for number in self.tokens_of(position.game) if number <= heap)
            for tokens in dict.fromkeys((*largest, *numbers)):
                yield from actions.notable_playings(number, heap, tokens)

    def tokens_of(self, game: GameSpec) -> Iterable[int]:
        """Some numbers of tokens that may be taken, the least among them."""
        return range(MAX_TAKEN + 1)

    def after(self, position: Position, action: Action) -> Position:
        """Tokens from one heap, as the rules allow; the heaps left of it if there are several."""
        heaps = position.coordinates
        change = only_change(position, action, len(heaps))
        heap = heaps[change.heap - 1]
        rest = heap - change.tokens
        left = tuple(sorted(change.left)) or ((rest,) if rest else ())
        if change.is_pass or sum(left) != rest or not self.may_leave(heap, left, position.game):
            raise refused(position, action, "the rules of the game do not allow it")
        others = heaps[: change.heap - 1] + heaps[change.heap :]
        return position.child(tuple(sorted(others + left)))


HeapT = TypeVar("HeapT")


def played(
    before: Iterable[HeapT], after: Iterable[HeapT]
) -> tuple[HeapT, tuple[HeapT, ...]] | None:
    """The heap that a move was made in, and what it left of it: what two positions differ by.

    What is left of a heap never equals it. None where more than one heap is gone, or none.
    """
    old, new = Counter(before), Counter(after)
    gone = list((old - new).elements())
    return (gone[0], tuple((new - old).elements())) if len(gone) == 1 else None


def only_change(position: Position, action: Action, heaps: int) -> HeapChange:
    """The change of the one heap that an action is about.

    Raises:
        IllegalMoveError: it is about none of the heaps, or several.
    """
    if len(action.taking) != 1 or not 1 <= action.taking[0].heap <= heaps:
        raise refused(position, action, f"a move is in one of the {heaps} heaps")
    return action.taking[0]
