"""Games in which a move takes tokens from heaps, defined by the numbers that may be taken.

A family lists the takings, checks whether a taking is allowed, and returns the position that it
leaves. This module then makes, reads and finds moves without listing them, so that heaps may be
large.
"""

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice
from operator import sub
from typing import ClassVar, Final

from position_oracle.engine.budget import first_of
from position_oracle.engine.games import actions
from position_oracle.engine.games.choices import at_most
from position_oracle.engine.games.drawing import heap_lines
from position_oracle.engine.games.listed import Actions, ListedRules
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.rules import OptionReaders, TypedMoves, check_coordinates, refused
from position_oracle.engine.games.spec import Coordinates, GameSpec, Options
from position_oracle.engine.theory.bounds import product
from position_oracle.schema.errors import InvalidPositionError, NotationError
from position_oracle.schema.moves import Action, HeapChange
from position_oracle.schema.numbers import read_int

Takings = Iterator[Coordinates]
"""A taking: the number of tokens taken from each heap."""

MAX_FEW: Final = 1_000
"""Maximum number of takings that are all notable."""


class TakingRules(ListedRules):
    """Rules of heaps from which tokens are taken."""

    counts: ClassVar[range] = range(1, 65)
    """The allowed numbers of heaps."""

    typed_moves: ClassVar[TypedMoves] = (("2 3", "take 3 tokens from heap 2"),)

    @abstractmethod
    def takings(self, value: Coordinates, game: GameSpec) -> Takings:
        """Yield all allowed takings, lazily."""

    @abstractmethod
    def may_take(self, coordinates: Coordinates, taken: Coordinates, game: GameSpec) -> bool:
        """Return whether a taking is allowed that takes a token and no more than there are."""

    def heaps(self, coordinates: Coordinates) -> Coordinates:
        """Return the heaps of a position."""
        return coordinates

    def left(self, coordinates: Coordinates, taken: Coordinates) -> Coordinates:
        """Return the position that a taking leaves."""
        return tuple(map(sub, coordinates, taken))

    def taken(self, coordinates: Coordinates, child: Coordinates) -> Coordinates:
        """Return the numbers taken by a move to a child: the differences of the heaps."""
        pairs = zip(self.heaps(coordinates), self.heaps(child), strict=True)
        return tuple(max(heap - left, 0) for heap, left in pairs)

    def check(self, game: GameSpec, coordinates: Coordinates) -> None:
        """Check that the number of heaps is allowed and that none is negative."""
        if len(coordinates) not in self.counts:
            raise InvalidPositionError(
                f"{self.form}: got {len(coordinates)} heaps; allowed are {self.counts[0]} to"
                f" {self.counts[-1]}"
            )
        check_coordinates(self.form, "", coordinates)

    def actions(self, value: Coordinates, game: GameSpec) -> Actions:
        """Yield the takings and the positions that they leave."""
        return ((taken, self.left(value, taken)) for taken in self.takings(value, game))

    def count(self, value: Coordinates, game: GameSpec, most: int) -> int:
        """Count the takings."""
        return at_most(self.takings(value, game), most)

    def action(self, position: Position, called: Coordinates) -> Action:
        """Return the action that takes these numbers from the heaps."""
        return _action(called)

    def matching(self, position: Position, aim: Action | Position) -> Actions:
        """Find the taking by the differences of the heaps."""
        value = position.value
        heaps = self.heaps(value)
        if isinstance(aim, Action):
            taken = _taken(position, aim, len(heaps))
        elif len(aim.value) == len(value):
            taken = self.taken(value, aim.value)
        else:
            return
        is_there = any(taken) and all(map(int.__ge__, heaps, taken))
        if is_there and self.may_take(value, taken, position.game):
            yield taken, self.left(value, taken)

    def read_action(self, position: Position, typed: str) -> Action | None:
        """Read `2 3`, or `1+2 3` for equal numbers, or `1 3, 2 5`, or words."""
        count = len(self.heaps(position.value))
        taken: dict[int, int] = {}
        for part in _parts(typed):
            action = actions.read_taking(part, count)
            if action is None:
                return None
            for change in action.taking:
                is_there = 1 <= change.heap <= count and change.heap not in taken
                if not is_there or change.tokens < 1 or change.left:
                    return None
                taken[change.heap] = change.tokens
        return _action(tuple(taken.get(heap, 0) for heap in range(1, count + 1)))

    def largest_takings(self, value: Coordinates, game: GameSpec) -> Takings:
        """Yield takings that include one that takes the most; the first ones of the rules."""
        return islice(self.takings(value, game), 3)

    def notable_actions(self, position: Position) -> Iterable[Action]:
        """Yield large actions, small ones of each heap, and then all actions if they are few."""
        yield from map(_action, self.largest_takings(position.value, position.game))
        for number, heap in enumerate(self.heaps(position.value), start=1):
            for tokens in (heap, heap - 1, 1):
                yield actions.taking_from([number], tokens)
        few = first_of(self.takings(position.value, position.game), MAX_FEW + 1)
        if len(few) <= MAX_FEW:
            yield from map(_action, few)

    def bound(self, coordinates: Coordinates, game: GameSpec) -> float:
        """Bound the positions: each heap has every smaller size."""
        return product(heap + 1 for heap in coordinates)

    def draw(self, position: Position, wins: Iterable[Action] = ()) -> list[str]:
        """Return the heaps as rows of tokens."""
        return heap_lines(self.heaps(position.value))


class SeveralHeaps(TakingRules):
    """Rules of games in which a move takes any numbers of tokens from at most k heaps."""

    example_options = (("k", "2"),)
    typed_moves = (*TakingRules.typed_moves, ("1 3, 2 5", "take 3 from heap 1 and 5 from heap 2"))
    options: ClassVar[OptionReaders] = {"k": str}

    def canonical_options(self, options: Options) -> Options:
        """Check that the option with k is given."""
        given = dict(super().canonical_options(options))
        if "k" not in given:
            raise NotationError(f"{self.family}: from how many heaps? write {self.form}")
        return (("k", str(read_int(given["k"], 1, self.counts[-1], "k"))),)

    def may_choose(self, chosen: Sequence[int], heaps: int, k: int) -> bool:
        """Return whether a move may take from these heaps: at most k, counted from 0."""
        return True

    def takings(self, value: Coordinates, game: GameSpec) -> Takings:
        """Yield takings from few heaps before many, and the largest numbers first."""
        there, k = [index for index, heap in enumerate(value) if heap], most_heaps(game)
        for count in range(1, min(k, len(there)) + 1):
            for chosen in combinations(there, count):
                if self.may_choose(chosen, len(value), k):
                    whole = [0] * len(value)
                    for taken in _amounts([value[heap] for heap in chosen]):
                        for heap, tokens in zip(chosen, taken, strict=True):
                            whole[heap] = tokens
                        yield tuple(whole)

    def may_take(self, coordinates: Coordinates, taken: Coordinates, game: GameSpec) -> bool:
        """Return whether at most k heaps are taken from, and the rules allow to choose them."""
        chosen, k = [heap for heap, tokens in enumerate(taken) if tokens], most_heaps(game)
        return len(chosen) <= k and self.may_choose(chosen, len(taken), k)


def most_heaps(game: GameSpec) -> int:
    """Return the k of a game: the maximum number of heaps that a move takes from."""
    return int(game.option("k") or 1)


def _amounts(heaps: Sequence[int]) -> Iterator[Coordinates]:
    """Yield the numbers to take from each of some heaps, the largest first; heaps may be huge."""
    if not heaps:
        yield ()
        return
    for tokens in range(heaps[0], 0, -1):
        for rest in _amounts(heaps[1:]):
            yield (tokens, *rest)


def _taken(position: Position, action: Action, heaps: int) -> Coordinates:
    """Return how many tokens an action takes from each heap.

    Raises:
        IllegalMoveError: the action takes nothing, or takes from missing heaps.
    """
    taken = [0] * heaps
    for change in action.taking:
        is_there = 1 <= change.heap <= heaps and not taken[change.heap - 1]
        if change.left or change.is_pass or not is_there or change.tokens < 1:
            raise refused(position, action, "a move takes tokens from heaps that are there")
        taken[change.heap - 1] = change.tokens
    return tuple(taken)


def lowered(heaps: Coordinates, index: int, rest: int) -> Coordinates:
    """Return the heaps after one of them has got another size."""
    return (*heaps[:index], rest, *heaps[index + 1 :])


def from_one(heaps: int, index: int, tokens: int) -> Coordinates:
    """Return the taking of tokens from one heap."""
    return tuple(tokens if i == index else 0 for i in range(heaps))


_PAIRS: Final = re.compile(r"[0-9]+ [0-9]+(?: [0-9]+ [0-9]+)+")
_AND: Final = re.compile(r" and (?=[0-9]+ from )")


def _parts(typed: str) -> list[str]:
    """Return the parts of a typed move, one for each heap if the numbers differ."""
    plain = " ".join(typed.replace(",", " ").split())
    if not _PAIRS.fullmatch(plain):
        return _AND.split(plain)
    numbers = plain.split()
    return [" ".join(numbers[i : i + 2]) for i in range(0, len(numbers), 2)]


def _action(taken: Coordinates) -> Action:
    """Convert a taking to an action."""
    heaps = [heap for heap, tokens in enumerate(taken, start=1) if tokens]
    if len({taken[heap - 1] for heap in heaps}) <= 1:
        return actions.taking_from(heaps, taken[heaps[0] - 1] if heaps else 0)
    parts = " and ".join(f"{taken[heap - 1]} from heap {heap}" for heap in heaps)
    changes = tuple(HeapChange(heap, taken[heap - 1]) for heap in heaps)
    return Action(taking=changes, words=f"take {parts}")
