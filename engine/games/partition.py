"""Partition games: a move splits a heap into 2 to k heaps; `partition{parts=3}:[5,7]`.

The player who cannot move loses (misere: wins): only heaps of 1 are left. The source is Project
Euler, problem 629 (Scatterstone Nim). With k = 2 and k = 3 these games are the take-and-break games
4.0 and C.0.
"""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache, reduce
from operator import xor
from typing import ClassVar, Final

from position_oracle.engine.games.actions import playing, read_taking
from position_oracle.engine.games.listed import Actions, ListedRules, Theorem
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.rules import OptionReaders, Regular, check_coordinates
from position_oracle.engine.games.spec import Coordinates, GameSpec, Options
from position_oracle.engine.theory import heap_sums, octal
from position_oracle.engine.theory.heap_sums import MAX_HEAPS
from position_oracle.schema.errors import InvalidPositionError
from position_oracle.schema.games import Introduction
from position_oracle.schema.moves import Action
from position_oracle.schema.numbers import read_int

MAX_PARTS: Final = 64
MAX_THREE: Final = 511
"""Largest heap whose value is computed if heaps are split into 2 or 3."""

FEW_THREE: Final = 63
"""Largest heap whose value takes less than a millisecond if heaps are split into 2 or 3."""

THREE_SECONDS: Final = 0.2
"""Time to compute the values of heaps up to `MAX_THREE`, in seconds."""


class Partition(ListedRules):
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
        """Check for at most 64 ascending heaps of 2 or more."""
        check_coordinates(self.form, "", coordinates)
        is_ordered = coordinates == heap_sums.canonical(coordinates)
        if len(coordinates) > MAX_HEAPS or not is_ordered or min(coordinates, default=2) < 2:
            raise InvalidPositionError(
                f"{self.form}: {list(coordinates[:8])}...: at most {MAX_HEAPS} heaps, ascending"
            )

    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """Make a position with the numbers in ascending order."""
        heaps = heap_sums.canonical(coordinates)
        return super().position(game, tuple(heap for heap in heaps if heap > 1))

    def actions(self, value: Coordinates, game: GameSpec) -> Actions:
        """Yield moves heap by heap, with few parts before many, and small smallest parts first."""
        for number, heap in enumerate(value, start=1):
            others = value[: number - 1] + value[number:]
            for count in range(2, min(parts_of(game), heap) + 1):
                for parts in _partitions(heap, count, 1):
                    left = (part for part in parts if part > 1)
                    yield (number, parts), tuple(sorted((*others, *left)))

    def action(self, position: Position, called: tuple[int, Coordinates]) -> Action:
        """Return the action that splits a heap, numbered from 1, into parts."""
        number, parts = called
        return playing(number, 0, parts)

    def matching(self, position: Position, aim: Action | Position) -> Regular:
        """Find the move by the heap split and its parts; positions leave out parts of 1."""
        heaps = position.value
        if isinstance(aim, Action):
            changes = aim.taking if len(aim.taking) == 1 else ()
            splits = [(each.heap, tuple(sorted(each.left))) for each in changes if not each.tokens]
        else:
            before, after = Counter(heaps), Counter(aim.value)
            gone, left = (before - after).elements(), sorted((after - before).elements())
            splits = [
                (number, (1,) * ones + tuple(left))
                for heap in gone
                if 0 <= (ones := heap - sum(left)) <= MAX_PARTS
                for number, each in enumerate(heaps, start=1)
                if each == heap
            ]
        for number, parts in splits:
            rest = heaps[: number - 1] + heaps[number:]
            after_it = tuple(sorted((*rest, *(part for part in parts if part > 1))))
            if (
                1 <= number <= len(heaps)
                and 2 <= len(parts) <= parts_of(position.game)
                and parts[0] >= 1
                and sum(parts) == heaps[number - 1]
                and (isinstance(aim, Action) or after_it == aim.value)
            ):
                yield (number, parts), after_it

    def read_action(self, position: Position, typed: str) -> Action | None:
        """Read the heap, 0, and the heaps left of it."""
        found = read_taking(typed, len(position.value))
        if found is None or len(found.taking) != 1:
            return None
        change = found.taking[0]
        return playing(change.heap, change.tokens, sorted(change.left))

    def bound(self, coordinates: Coordinates, game: GameSpec) -> float:
        """Bound the positions by the partitions of each heap."""
        return octal.position_bound(octal.parse_code("C.0"), coordinates, least=2)

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
    values = octal.solve_sequence(octal.parse_code("C.0"), largest).values
    return tuple(map(int, values))


RULES: Final = Partition()
