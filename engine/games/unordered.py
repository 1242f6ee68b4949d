"""Games whose heaps have no order: heaps ascend, and empty ones are left out.

A heap is its size, or a `PassHeap` if it may have a pass of its own.
"""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, islice, zip_longest
from typing import Any, ClassVar, Final

from position_oracle.engine.games import actions
from position_oracle.engine.games.choices import at_most, listed
from position_oracle.engine.games.drawing import heap_lines
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.rules import (
    HullRules,
    Regular,
    TypedMoves,
    check_coordinates,
    refused,
)
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.games.tree import Tree, plain_tree
from position_oracle.engine.theory import heap_sums
from position_oracle.engine.theory.heap_counts import smaller_heaps
from position_oracle.engine.theory.heap_sums import MAX_HEAPS
from position_oracle.schema.errors import InvalidPositionError
from position_oracle.schema.moves import Action, HeapChange

MAX_TAKEN: Final = 16
"""Numbers of tokens up to this are tried without listing moves; octal codes have no more digits."""

Left = tuple[Any, ...]
"""The heaps that a move leaves of one heap, ascending."""


class UnorderedHeaps(HullRules):
    """Rules of heaps in which a move changes one heap and may leave any number of heaps of it."""

    typed_form = "heaps"
    typed_moves: ClassVar[TypedMoves] = (("2 3", "take 3 tokens from heap 2"),)
    tells_moves = True

    @abstractmethod
    def left_of(self, heap: Any, game: GameSpec) -> Iterator[Left]:
        """Yield the heaps that a move may leave of one heap, lazily."""

    @abstractmethod
    def may_leave(self, heap: Any, left: Left, game: GameSpec) -> bool:
        """Return whether a move may leave these heaps of one heap, without listing moves."""

    def bound(self, heaps: Left, game: GameSpec) -> float:
        """Return an upper bound of the number of positions; by default without splits."""
        return smaller_heaps(heaps)

    def tokens_of(self, game: GameSpec) -> Iterable[int]:
        """Return some numbers of tokens that may be taken, including the smallest."""
        return range(MAX_TAKEN + 1)

    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """Make a position with at most 64 heaps in ascending order, without empty ones."""
        check_coordinates(self.family, "", coordinates)
        return of_heaps(game, heap_sums.canonical(coordinates))

    def actions(self, value: Left, game: GameSpec) -> Regular:
        """Yield moves heap by heap, the smallest heap first, in the order of `left_of`."""
        return _moves(value, lambda heap: self.left_of(heap, game))

    def count(self, value: Left, game: GameSpec, most: int) -> int:
        """Count what moves leave of each heap."""
        return at_most(chain.from_iterable(self.left_of(heap, game) for heap in value), most)

    def action(self, position: Position, called: tuple[int, Left]) -> Action:
        """Return the action: the heap of the move, and the heaps left of it."""
        number, left = called
        return actions.playing(
            number + 1, position.value[number] - sum(left), left if len(left) > 1 else ()
        )

    def matching(self, position: Position, aim: Action | Position) -> Regular:
        """Find the heap of the move, and the heaps left of it."""
        heaps, game = position.value, position.game
        if isinstance(aim, Action):
            change = _only_change(position, aim)
            numbers, left = [change.heap - 1], self.left_by(position, aim, change)
        else:
            lost, new = Counter(heaps), Counter(aim.value)
            gone, left = list((lost - new).elements()), tuple(sorted((new - lost).elements()))
            # The heaps left never equal the heap.
            numbers = [i for i, heap in enumerate(heaps) if gone == [heap]]
        for number in numbers:
            if self.may_leave(heaps[number], left, game):
                others = heaps[:number] + heaps[number + 1 :]
                yield (number, left), tuple(sorted(others + left))

    def left_by(self, position: Position, action: Action, change: HeapChange) -> Left:
        """Return the heaps that an action leaves of a heap, ascending, whether legal or not.

        Raises:
            IllegalMoveError: no move can leave such heaps.
        """
        rest = position.value[change.heap - 1] - change.tokens
        left = tuple(sorted(change.left)) or ((rest,) if rest else ())
        if change.is_pass or rest < 0 or sum(left) != rest:
            raise refused(position, action, "the rules of the game do not allow it")
        return left

    def read_action(self, position: Position, typed: str) -> Action | None:
        """Read the heap, the tokens taken from it, and the heaps left if there are several."""
        return actions.read_taking(typed, len(position.value))

    def notable_actions(self, position: Position) -> Iterable[Action]:
        """Yield the moves that take the most and the least of each heap, split or whole."""
        for number, heap in enumerate(position.value, start=1):
            largest = (heap - sum(left) for left in islice(self.left_of(heap, position.game), 1))
            numbers = (number for number in self.tokens_of(position.game) if number <= heap)
            for tokens in dict.fromkeys((*largest, *numbers)):
                yield from actions.notable_playings(number, heap, tokens)

    def draw(self, position: Position, wins: Iterable[Action] = ()) -> list[str]:
        """Return the heaps as rows of tokens."""
        return heap_lines(position.value)

    def hull(self, positions: Sequence[Position]) -> Position | None:
        """Return the largest heap at each place; play need not reach all others from it."""
        heaps = (each.value[::-1] for each in positions)
        columns = zip_longest(*heaps, fillvalue=0)
        return self.position(positions[0].game, tuple(map(max, columns)))

    def tree(self, position: Position, *, misere: bool) -> Tree[Left]:
        """Return the tree by the heaps, ascending, without those that have no moves."""
        game = position.game

        @cache
        def has_move(heap: Any) -> bool:
            return next(self.left_of(heap, game), None) is not None

        @cache
        def left_of(heap: Any) -> list[Left]:
            return [tuple(filter(has_move, left)) for left in listed(self.left_of(heap, game))]

        return plain_tree(
            lambda heaps: _moves(heaps, left_of),
            lambda heaps: self.bound(heaps, game),
            misere=misere,
            node=lambda heaps: tuple(filter(has_move, heaps)),
        )


def of_heaps(game: GameSpec, heaps: Left) -> Position:
    """Return the position with these heaps, which ascend.

    Raises:
        InvalidPositionError: there are more than 64 heaps.
    """
    if len(heaps) > MAX_HEAPS:
        raise InvalidPositionError(
            f"{game.family}: got {len(heaps)} heaps; allowed are at most {MAX_HEAPS}"
        )
    return Position(game, heaps)


def _moves(heaps: Left, left_of: Callable[[Any], Iterable[Left]]) -> Regular:
    """Yield every move: the number of the heap from 0, and the heaps left of it."""
    for number, heap in enumerate(heaps):
        others = heaps[:number] + heaps[number + 1 :]
        for left in left_of(heap):
            yield (number, left), tuple(sorted(others + left))


def _only_change(position: Position, action: Action) -> HeapChange:
    """Return the change of the one heap that an action concerns.

    Raises:
        IllegalMoveError: the action concerns no heap, or several.
    """
    heaps = len(position.value)
    if len(action.taking) != 1 or not 1 <= action.taking[0].heap <= heaps:
        raise refused(position, action, f"a move is in one of the {heaps} heaps")
    return action.taking[0]
