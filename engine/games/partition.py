"""Partition games: a move splits a heap into 2 to k heaps; `partition{parts=3}:[5,7]`.

The player who cannot move loses (misere: wins): only heaps of 1 are left. The source is Project
Euler, problem 629 (Scatterstone Nim). With k = 2 and k = 3 these games are the take-and-break games
4.0 and C.0.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache, reduce
from operator import xor
from typing import ClassVar, Final

from position_oracle.engine.games.listed import ListedRules, Theorem
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.rules import OptionReaders, Regular, Rules
from position_oracle.engine.games.spec import Coordinates, GameSpec, Options
from position_oracle.engine.games.tree import Tree
from position_oracle.engine.games.unordered import UnorderedHeaps
from position_oracle.engine.theory import octal
from position_oracle.engine.theory.heap_sums import Heaps
from position_oracle.schema.games import Introduction
from position_oracle.schema.moves import Action
from position_oracle.schema.numbers import read_int

MAX_PARTS: Final = 64
THREE_PARTS: Final = octal.parse_code("C.0")
MAX_THREE: Final = 511
"""Largest heap whose value is computed if heaps are split into 2 or 3."""

FEW_THREE: Final = 63
"""Largest heap whose value takes less than a millisecond if heaps are split into 2 or 3."""

THREE_SECONDS: Final = 0.2
"""Time to compute the values of heaps up to `MAX_THREE`, in seconds."""


class Partition(UnorderedHeaps, ListedRules):
    """Rules of partition games; heaps ascend, and heaps of 1, which have no moves, are left out."""

    family = "partition"
    introductions = (
        Introduction(
            title="Partition game",
            start="partition{parts=3}:[7]",
            rules="Split a heap into at least two and at most {parts} heaps, of any sizes.",
            loses="every heap has one token",
            note="With at most two parts the number of moves is fixed, and nobody can err.",
        ),
    )
    form = "partition{parts=3}:[5,7]"
    typed_form = "text"
    example = "[5,7]"
    about = "heaps of any size, normal play without passes (parts=3: to 511); else small heaps"
    typed_moves = (("2 0 1+4", "split heap 2 into heaps of 1 and 4"),)
    options: ClassVar[OptionReaders] = {
        "parts": lambda text: str(read_int(text, 2, MAX_PARTS, "parts"))
    }

    def canonical_options(self, options: Options) -> Options:
        """Fill in the default of at most three parts."""
        return super().canonical_options(options) or (("parts", "3"),)

    def check(self, game: GameSpec, coordinates: Coordinates) -> None:
        """Check that the numbers make a position."""
        self.position(game, coordinates)

    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """Make a position with the numbers in ascending order."""
        return super().position(game, tuple(heap for heap in coordinates if heap != 1))

    def left_of(self, heap: int, game: GameSpec) -> Iterator[Heaps]:
        """Yield the parts, few before many, and small smallest parts first."""
        for count in range(2, min(parts_of(game), heap) + 1):
            yield from _partitions(heap, count, 1)

    def may_leave(self, heap: int, left: Heaps, game: GameSpec) -> bool:
        """Return whether the parts are as many as allowed, and together the heap."""
        is_split = min(left, default=0) >= 1 and sum(left) == heap
        return is_split and 2 <= len(left) <= parts_of(game)

    def actions(self, value: Heaps, game: GameSpec) -> Regular:
        """Yield moves heap by heap."""
        return _without_ones(super().actions(value, game))

    def matching(self, position: Position, aim: Action | Position) -> Regular:
        """Find the move by the heap split and its parts; positions leave out parts of 1."""
        if isinstance(aim, Position):
            ones = min(max(sum(position.value) - sum(aim.value), 0), MAX_PARTS)
            aim = aim.child((1,) * ones + aim.value)
        return _without_ones(super().matching(position, aim))

    def notable_actions(self, position: Position) -> Iterable[Action]:
        """Yield all actions; none takes more than another."""
        return Rules.notable_actions(self, position)

    def bound(self, heaps: Heaps, game: GameSpec) -> float:
        """Bound the positions by the partitions of each heap."""
        return octal.position_bound(THREE_PARTS, heaps, least=2)

    def tree(self, position: Position, *, misere: bool) -> Tree[Heaps]:
        """Return the tree by the actions; a heap may have too many splits to cache."""
        return ListedRules.tree(self, position, misere=misere)

    def seconds(self, position: Position) -> float:
        """Return the time of the values of large heaps that may be split into three."""
        if position.game.misere or parts_of(position.game) != 3:
            return 0.0
        return THREE_SECONDS if max(position.value, default=0) > FEW_THREE else 0.0

    def theorem(self, position: Position) -> Theorem | None:
        """Apply the theorem of Sprague and Grundy with the values of heaps in normal play."""
        game, heaps, parts = position.game, position.value, parts_of(position.game)
        if game.misere or (parts == 3 and max(heaps, default=0) > MAX_THREE):
            return None
        value = reduce(xor, (_value(heap, parts) for heap in heaps), 0)
        reason = {
            2: "Sprague and Grundy: a heap of n is worth 1 if n is even, else 0",
            3: "Sprague and Grundy, by the values of C.0",
        }.get(parts, "Sprague and Grundy: a heap of n is worth n - 1 (docs/octal.md)")
        return Theorem(value == 0, reason, value)


def parts_of(game: GameSpec) -> int:
    """Return the maximum number of parts that a move leaves of a heap."""
    return int(game.option("parts") or 3)


def _without_ones(moves: Regular) -> Regular:
    """Leave out heaps of 1, which come first, of the positions that moves lead to."""
    return ((called, heaps[heaps.count(1) :]) for called, heaps in moves)


def _partitions(heap: int, count: int, least: int) -> Iterator[Coordinates]:
    if count == 1:
        yield (heap,)
        return
    for part in range(least, heap // count + 1):
        for others in _partitions(heap - part, count - 1, part):
            yield (part, *others)


def _value(heap: int, parts: int) -> int:
    if parts == 2:
        return 1 - heap % 2
    if parts > 3:
        return heap - 1
    return _three(FEW_THREE if heap <= FEW_THREE else MAX_THREE)[heap]


@lru_cache(maxsize=2)
def _three(largest: int) -> tuple[int, ...]:
    values = octal.solve_sequence(THREE_PARTS, largest).values
    return tuple(map(int, values))


RULES: Final = Partition()
