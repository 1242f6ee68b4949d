"""What games share in which every heap may have a pass of its own: `nim{heappass}:[3p,5]`.

The pass may be used once, by either player, while a move is left in its heap; see
`engine.theory.heap_pass`. The coordinates of a position are two numbers a heap: its size, and 1 if
it has its pass, else 0; heaps ascend, and empty ones are left out.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from functools import cache
from typing import ClassVar, Final

from position_oracle.engine.games import actions
from position_oracle.engine.games.drawing import heap_lines
from position_oracle.engine.games.position import Move, Position
from position_oracle.engine.games.rules import (
    Rules,
    TypedMoves,
    check_coordinates,
    refused,
)
from position_oracle.engine.games.spec import Coordinates, GameSpec, Options
from position_oracle.engine.games.tree import PlainTree, listed
from position_oracle.engine.games.unordered import MAX_TAKEN, only_change, played
from position_oracle.engine.theory import heap_pass
from position_oracle.engine.theory.heap_pass import PassHeap, PassHeaps
from position_oracle.engine.theory.heap_sums import Heaps
from position_oracle.schema.errors import InvalidPositionError, NotationError
from position_oracle.schema.moves import Action

OPTION: Final = "heappass"

Node = tuple[tuple[int, bool], ...]
"""Heaps as a search sees them: the size of each, and whether it has its pass."""


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
    typed_moves: ClassVar[TypedMoves] = (
        ("2 3", "take 3 tokens from heap 2"),
        ("2 pass", "use the pass that heap 2 has of its own"),
    )
    tells_moves = True

    def canonical_options(self, options: Options) -> Options:
        """The word is always there."""
        given = dict(options)
        return super().canonical_options(tuple({**given, OPTION: given.get(OPTION, "")}.items()))

    @abstractmethod
    def heap_moves(self, heaps: PassHeaps, game: GameSpec) -> Iterable[PassHeaps]:
        """Children of a position."""

    @abstractmethod
    def parts_of(self, heap: int, game: GameSpec) -> Iterator[Heaps]:
        """What a regular move may leave of one heap without its pass; lazily."""

    @abstractmethod
    def bound(self, sizes: Heaps, game: GameSpec) -> float:
        """At least as many positions as can be reached of heaps without passes."""

    def tree(self, position: Position, *, misere: bool) -> PlainTree[Node]:
        """By pairs of size and pass, ascending, without heaps in which nobody can move.

        Where a heap with its pass is split, which part keeps the pass makes two actions.
        """
        game = position.game

        @cache
        def parts_of(heap: int) -> tuple[Heaps, ...]:
            return tuple(listed(self.parts_of(heap, game)))

        def kept(heaps: Iterable[tuple[int, bool]]) -> Node:
            return tuple(sorted(heap for heap in heaps if self.has_move(heap[0], game)))

        def options(heaps: Node) -> Iterator[Node]:
            for index, (size, has_pass) in enumerate(heaps):
                others = heaps[:index] + heaps[index + 1 :]
                for parts in parts_of(size):
                    for keeper in range(len(parts)) if has_pass and parts else (-1,):
                        left = ((part, i == keeper) for i, part in enumerate(parts))
                        yield kept((*others, *left))
                if has_pass:
                    yield kept((*others, (size, False)))

        def node(position: Position) -> Node:
            return kept((heap.size, heap.has_pass) for heap in decode(position.coordinates))

        def bound(heaps: Node) -> float:
            passes = sum(has_pass for _, has_pass in heaps)
            return self.bound(tuple(size for size, _ in heaps), game) * 2.0**passes

        return PlainTree(options, node, bound, misere=misere)

    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """The heaps in their one order, without empty ones."""
        return Position(game, encode(decode(coordinates)))

    def check(self, game: GameSpec, coordinates: Coordinates) -> None:
        """Pairs of a size and 0 or 1, ascending, none empty, at most 64 of them."""
        check_coordinates(self.family, "", coordinates)
        if encode(decode(coordinates)) != coordinates:
            raise InvalidPositionError(
                f"{self.family}: {list(coordinates[:12])} are no heaps in ascending order"
            )
        if len(coordinates) > 2 * heap_pass.HEAPS_MAX:
            raise InvalidPositionError(
                f"{self.family}: got {len(coordinates) // 2} heaps; allowed are at most"
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

    @abstractmethod
    def may_leave(self, heap: int, left: Heaps, game: GameSpec) -> bool:
        """Whether a regular move may leave these heaps, ascending, of one heap."""

    @abstractmethod
    def has_move(self, heap: int, game: GameSpec) -> bool:
        """Whether a heap has a regular move, and so may use its pass."""

    def ways(self, position: Position, child: Position) -> Iterator[Action]:
        """By the heap that was played in: its pass, or what is left of it."""
        heaps = decode(position.coordinates)
        change = played(heaps, decode(child.coordinates))
        if change is None:
            return
        heap, left = change
        parts = _keeper_first(left) if len(left) > 1 else ()
        tokens = heap.size - sum(part.size for part in left)
        for number, each in enumerate(heaps, start=1):
            if each == heap and _is_own_pass(heap, left):
                yield actions.passing_in(number)
            elif each == heap:
                yield actions.playing(number, tokens, parts, keeps_pass=heap.has_pass)

    def read_action(self, position: Position, typed: str) -> Action | None:
        """The heap, and `pass` or the tokens and what is left of it; p marks what keeps a pass."""
        return actions.read_taking(typed, len(position.coordinates) // 2)

    def notable_actions(self, position: Position) -> Iterable[Action]:
        """Of each heap its pass, and what takes the most and the least."""
        for number, heap in enumerate(decode(position.coordinates), start=1):
            for tokens in dict.fromkeys((heap.size, heap.size - 1, *range(MAX_TAKEN + 1))):
                yield from actions.notable_playings(number, heap.size, tokens)
            yield actions.passing_in(number)

    def amount(self, position: Position) -> int:
        """The tokens, and the passes."""
        return sum(position.coordinates)

    def after(self, position: Position, action: Action) -> Position:
        """A regular move of a heap, of whose parts the first keeps the pass; or the pass."""
        heaps = decode(position.coordinates)
        change = only_change(position, action, len(heaps))
        heap = heaps[change.heap - 1]
        others = heaps[: change.heap - 1] + heaps[change.heap :]
        if change.is_pass:
            if not (heap.has_pass and self.has_move(heap.size, position.game)):
                raise refused(position, action, "the heap has no pass to use")
            return position.child(encode((*others, PassHeap(heap.size))))
        rest = heap.size - change.tokens
        sizes = change.left or ((rest,) if rest > 0 else ())
        allowed = self.may_leave(heap.size, tuple(sorted(sizes)), position.game)
        if sum(sizes) != rest or not allowed:
            raise refused(position, action, "the rules of the game do not allow it")
        left = (PassHeap(size, has_pass=heap.has_pass and not i) for i, size in enumerate(sizes))
        return position.child(encode((*others, *left)))

    def texts(self, position: Position, action: Action) -> tuple[str, ...]:
        """The heap, and `pass` or the tokens and what is left of it."""
        heap = decode(position.coordinates)[action.taking[0].heap - 1]
        text = actions.typed(action, keeps_pass=heap.has_pass)
        heap_and_tokens, _, left = text.rpartition(" ")
        if "+" not in left:
            return (text,)
        other = f"{heap_and_tokens} {'+'.join(reversed(left.split('+')))}"
        return tuple(dict.fromkeys((text, other)))


def _keeper_first(left: PassHeaps) -> tuple[int, ...]:
    return tuple(heap.size for heap in sorted(left, key=lambda heap: not heap.has_pass))


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
