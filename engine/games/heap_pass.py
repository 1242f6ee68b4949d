"""Common rules of games whose heaps may have passes of their own: `nim{heappass}:[3p,5]`.

The pass may be used once, by either player, while a move is left in its heap; see
`engine.theory.heap_pass`. The coordinates of a position are two numbers for each heap: its size,
and 1 if it still has its pass, else 0. Heaps ascend, and empty heaps are left out.
"""

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar, Final

from position_oracle.engine.games import actions
from position_oracle.engine.games.drawing import heap_lines
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.rules import TypedMoves, check_coordinates, refused
from position_oracle.engine.games.spec import Coordinates, GameSpec, Options
from position_oracle.engine.games.unordered import MAX_TAKEN, UnorderedHeaps, of_heaps
from position_oracle.engine.theory import octal, octal_pass
from position_oracle.engine.theory.heap_pass import PassHeap, PassHeaps, canonical
from position_oracle.engine.theory.heap_sums import MAX_HEAPS
from position_oracle.engine.theory.octal import OctalCode
from position_oracle.schema.errors import InvalidPositionError, NotationError
from position_oracle.schema.moves import Action, HeapChange

OPTION: Final = "heappass"

_HEAP: Final = re.compile(r"(?P<size>[0-9]{1,19})\s*(?P<own>p?)")


def read_word(text: str) -> str:
    """Read an option that takes no value, such as `heappass`.

    Raises:
        NotationError: the option has a value.
    """
    if text:
        raise NotationError(f"{OPTION} takes no value; write nim{{{OPTION}}}:[3p,5]")
    return ""


class HeapPassRules(UnorderedHeaps):
    """Rules of heaps that may have passes of their own."""

    allows = frozenset({"misere", "declared"})
    typed_form = "text"
    typed_moves: ClassVar[TypedMoves] = (
        ("2 3", "take 3 tokens from heap 2"),
        ("2 pass", "use the pass that heap 2 has of its own"),
    )

    @abstractmethod
    def code(self, game: GameSpec) -> OctalCode:
        """Return the code of the game without passes."""

    def canonical_options(self, options: Options) -> Options:
        """Add the option, which every game of this family has."""
        given = dict(options)
        return super().canonical_options(tuple({**given, OPTION: given.get(OPTION, "")}.items()))

    def bound(self, heaps: PassHeaps, game: GameSpec) -> float:
        """Return an upper bound of the number of positions that can be reached."""
        code = self.code(game)
        least = 1 if game.is_variant else octal.least_heap(code)
        return octal_pass.position_bound(code, heaps, least)

    def left_of(self, heap: PassHeap, game: GameSpec) -> Iterator[PassHeaps]:
        """Yield the regular moves, then the pass; any part of the heap may keep its pass."""
        has_move = False
        for parts in octal.splits_of(self.code(game), heap.size):
            has_move = True
            for keeper in range(len(parts)) if heap.has_pass and parts else (-1,):
                yield tuple(PassHeap(part, i == keeper) for i, part in enumerate(parts))
        if heap.has_pass and has_move:
            yield (PassHeap(heap.size),)

    def may_leave(self, heap: PassHeap, left: PassHeaps, game: GameSpec) -> bool:
        """Return whether these heaps may be left by a regular move, or by the pass."""
        if left == (PassHeap(heap.size),):
            return heap.has_pass and octal.has_move(self.code(game), heap.size)
        sizes = tuple(part.size for part in left)
        keepers = sum(part.has_pass for part in left)
        is_kept = keepers == (heap.has_pass and bool(left))
        return is_kept and octal.may_leave(self.code(game), heap.size, sizes)

    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """Make a position from pairs of a size and 0 or 1, at most 64 pairs."""
        check_coordinates(self.family, "", coordinates)
        if len(coordinates) % 2 or not set(coordinates[1::2]) <= {0, 1}:
            raise InvalidPositionError(
                f"{list(coordinates[:12])} are not heaps with passes of their own: give pairs of a"
                " size and 1 (the heap has its pass) or 0"
            )
        pairs = zip(coordinates[::2], coordinates[1::2], strict=True)
        return of_heaps(game, canonical(PassHeap(size, bool(own)) for size, own in pairs))

    def numbers(self, value: PassHeaps) -> Coordinates:
        """Return the size of each heap, and 1 if the heap has its pass, else 0."""
        return tuple(number for heap in value for number in (heap.size, int(heap.has_pass)))

    def amount(self, position: Position) -> int:
        """Return the number of tokens."""
        return sum(heap.size for heap in position.value)

    def parse_body(self, body: str, options: GameSpec) -> Position:
        """Read `[3p,5]`, with the heaps in any order.

        Raises:
            NotationError: the text has another form, or more than 64 heaps.
        """
        text = body.strip()
        is_list = text.isascii() and text[:1] == "[" and text[-1:] == "]" and len(text) > 1
        inner = text[1:-1].strip()
        parts = inner.split(",", MAX_HEAPS) if inner else []
        found = [_HEAP.fullmatch(part.strip()) for part in parts]
        if not is_list or len(parts) > MAX_HEAPS or None in found:
            raise NotationError(
                f"{text[:40]!r} is not a position; write [3p,5], p for a heap with a pass of its"
                f" own, with at most {MAX_HEAPS} heaps"
            )
        heaps = [PassHeap(int(m["size"]), has_pass=bool(m["own"])) for m in found if m]
        check_coordinates(self.family, "", tuple(heap.size for heap in heaps))
        return of_heaps(options, canonical(heaps))

    def format_body(self, position: Position) -> str:
        """Write `[3p,5]`."""
        return f"[{','.join(map(str, position.value))}]"

    def action(self, position: Position, called: tuple[int, PassHeaps]) -> Action:
        """Return the pass of a heap, or the heaps left of it, first the one that keeps the pass."""
        number, left = called
        heap = position.value[number]
        if left == (PassHeap(heap.size),):
            return actions.passing_in(number + 1)
        tokens = heap.size - sum(part.size for part in left)
        ordered = sorted(left, key=lambda part: not part.has_pass)
        parts = [part.size for part in ordered] if len(left) > 1 else ()
        return actions.playing(number + 1, tokens, parts, keeps_pass=heap.has_pass)

    def left_by(self, position: Position, action: Action, change: HeapChange) -> PassHeaps:
        """Return the heaps left by the pass, or by a move whose first heap keeps the pass."""
        heap = position.value[change.heap - 1]
        if change.is_pass:
            if change.tokens or change.left or not heap.has_pass:
                raise refused(position, action, "the heap has no pass to use")
            return (PassHeap(heap.size),)
        rest = heap.size - change.tokens
        sizes = change.left or ((rest,) if rest > 0 else ())
        if change.tokens < 0 or min(sizes, default=1) < 1 or sum(sizes) != rest:
            raise refused(position, action, "the rules of the game do not allow it")
        left = (PassHeap(size, heap.has_pass and not i) for i, size in enumerate(sizes))
        return tuple(sorted(left))

    def notable_actions(self, position: Position) -> Iterable[Action]:
        """Yield the pass of each heap, and the actions that take the most and the least."""
        for number, heap in enumerate(position.value, start=1):
            for tokens in dict.fromkeys((heap.size, heap.size - 1, *range(MAX_TAKEN + 1))):
                yield from actions.notable_playings(number, heap.size, tokens)
            yield actions.passing_in(number)

    def draw(self, position: Position, wins: Iterable[Action] = ()) -> list[str]:
        """Draw the heaps as rows of tokens, with p after the heaps that have their pass."""
        marks = ["p" if heap.has_pass else "" for heap in position.value]
        return heap_lines([heap.size for heap in position.value], marks)

    def hull(self, positions: Sequence[Position]) -> None:
        """Return None: no such position is known."""
        return
