"""Games in which a move takes tokens from heaps, written once: by how many may be taken from each.

A family says which takings there are, whether one is allowed, and what it leaves. Moves are then
made, read and found without listing them, so that heaps may be large.
"""

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from operator import sub
from typing import ClassVar, Final

from position_oracle.engine.games import actions
from position_oracle.engine.games.drawing import heap_lines
from position_oracle.engine.games.listed import Actions, ListedRules
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.rules import TypedMoves, check_coordinates, refused
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.theory.bounds import product
from position_oracle.schema.errors import InvalidPositionError
from position_oracle.schema.moves import Action, HeapChange

Takings = Iterator[Coordinates]
"""Takings: how many tokens are taken from each heap."""


class TakingRules(ListedRules):
    """Heaps from which tokens are taken."""

    counts: ClassVar[range] = range(1, 65)
    """The allowed numbers of heaps."""

    typed_moves: ClassVar[TypedMoves] = (("2 3", "take 3 tokens from heap 2"),)

    @abstractmethod
    def takings(self, value: Coordinates, game: GameSpec) -> Takings:
        """All that may be taken, lazily."""

    @abstractmethod
    def may_take(self, coordinates: Coordinates, taken: Coordinates, game: GameSpec) -> bool:
        """Whether this number may be taken; at least one token, and none that is not there."""

    def heaps(self, coordinates: Coordinates) -> Coordinates:
        """The heaps of a position."""
        return coordinates

    def left(self, coordinates: Coordinates, taken: Coordinates) -> Coordinates:
        """The position that a taking leaves."""
        return tuple(map(sub, coordinates, taken))

    def taken(self, coordinates: Coordinates, child: Coordinates) -> Coordinates:
        """The numbers taken by a move to a child: the differences of the heaps."""
        pairs = zip(self.heaps(coordinates), self.heaps(child), strict=True)
        return tuple(max(heap - left, 0) for heap, left in pairs)

    def check(self, game: GameSpec, coordinates: Coordinates) -> None:
        """A number of heaps that there may be, none negative."""
        if len(coordinates) not in self.counts:
            raise InvalidPositionError(
                f"{self.form}: got {len(coordinates)} heaps; allowed are {self.counts[0]} to"
                f" {self.counts[-1]}"
            )
        check_coordinates(self.form, "", coordinates)

    def actions(self, value: Coordinates, game: GameSpec) -> Actions:
        """The takings and what they leave."""
        return ((taken, self.left(value, taken)) for taken in self.takings(value, game))

    def action(self, position: Position, called: Coordinates) -> Action:
        """The action by the tokens taken from each heap."""
        return _action(called)

    def matching(self, position: Position, aim: Action | Position) -> Actions:
        """The taking by what the heaps lack."""
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
        """`2 3`, `1+2 3` for as many from each, `1 3, 2 5`, or in words."""
        count = len(self.heaps(position.value))
        taken: dict[int, int] = {}
        for part in _parts(typed):
            action = actions.read_taking(part, count)
            if action is None:
                return None
            for change in action.taking:
                if change.heap in taken or not 1 <= change.heap <= count or change.left:
                    return None
                taken[change.heap] = change.tokens
        return _action(tuple(taken.get(heap, 0) for heap in range(1, count + 1)))

    def notable_actions(self, position: Position) -> Iterable[Action]:
        """The first that the rules list; from each heap one token, all but one, or all."""
        yield from map(_action, islice(self.takings(position.value, position.game), 3))
        for number, heap in enumerate(self.heaps(position.value), start=1):
            for tokens in (heap, heap - 1, 1):
                yield actions.taking_from([number], tokens)

    def bound(self, coordinates: Coordinates, game: GameSpec) -> float:
        """Every heap takes every smaller size."""
        return product(heap + 1 for heap in coordinates)

    def draw(self, position: Position, wins: Iterable[Action] = ()) -> list[str]:
        """The heaps as rows of tokens."""
        return heap_lines(self.heaps(position.value))


def _taken(position: Position, action: Action, heaps: int) -> Coordinates:
    """Number of tokens an action takes from each of the heaps.

    Raises:
        IllegalMoveError: it takes none, or from heaps that are not there.
    """
    taken = [0] * heaps
    for change in action.taking:
        is_there = 1 <= change.heap <= heaps and not taken[change.heap - 1]
        if change.left or change.is_pass or not is_there or change.tokens < 1:
            raise refused(position, action, "a move takes tokens from heaps that are there")
        taken[change.heap - 1] = change.tokens
    return tuple(taken)


def lowered(heaps: Coordinates, index: int, rest: int) -> Coordinates:
    """The heaps with one of them at another size."""
    return (*heaps[:index], rest, *heaps[index + 1 :])


def amounts(heaps: Sequence[int]) -> Iterator[Coordinates]:
    """Number of tokens to take from each of some heaps, the most first; heaps may be huge."""
    if not heaps:
        yield ()
        return
    for tokens in range(heaps[0], 0, -1):
        for rest in amounts(heaps[1:]):
            yield (tokens, *rest)


def from_one(heaps: int, index: int, tokens: int) -> Coordinates:
    """The taking of tokens from one heap."""
    return tuple(tokens if i == index else 0 for i in range(heaps))


_PAIRS: Final = re.compile(r"[0-9]+ [0-9]+(?: [0-9]+ [0-9]+)+")
_AND: Final = re.compile(r" and (?=[0-9]+ from )")


def _parts(typed: str) -> list[str]:
    """The text of a move, heap by heap where the numbers differ."""
    plain = " ".join(typed.replace(",", " ").split())
    if not _PAIRS.fullmatch(plain):
        return _AND.split(plain)
    numbers = plain.split()
    return [" ".join(numbers[i : i + 2]) for i in range(0, len(numbers), 2)]


def _action(taken: Coordinates) -> Action:
    """A taking as an action."""
    heaps = [heap for heap, tokens in enumerate(taken, start=1) if tokens]
    if len({taken[heap - 1] for heap in heaps}) <= 1:
        return actions.taking_from(heaps, taken[heaps[0] - 1] if heaps else 0)
    parts = " and ".join(f"{taken[heap - 1]} from heap {heap}" for heap in heaps)
    changes = tuple(HeapChange(heap, taken[heap - 1]) for heap in heaps)
    return Action(taking=changes, words=f"take {parts}")
