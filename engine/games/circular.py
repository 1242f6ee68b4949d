"""Circular Nim: heaps in a circle; take tokens from at most k neighbouring heaps, one in all.

M. Dufour and S. Heubach, Circular Nim games, Electronic Journal of Combinatorics 20 (2013). The
theorems here have one-line proofs: what a player takes, the other takes elsewhere, or at once all.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from types import MappingProxyType
from typing import ClassVar, Final

from position_oracle.engine.games.listed import Theorem
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import Coordinates, GameSpec, Options
from position_oracle.engine.games.takings import TakingRules, Takings, amounts
from position_oracle.schema.errors import NotationError
from position_oracle.schema.games import Introduction
from position_oracle.schema.numbers import read_int

MAX_HEAPS: Final = 12


class Circular(TakingRules):
    """Rules of circular Nim; the last heap is beside the first."""

    family = "circular"
    introductions = (
        Introduction(
            title="Circular Nim",
            start="circular{k=2}:[1,2,3,2]",
            rules=(
                "The heaps stand in a circle. Choose at most {k} heaps next to each other"
                " and take as many tokens as you like from each, at least one in all."
            ),
            loses="no token is left for you",
            note="With four heaps and two a move, leave opposite heaps equal.",
        ),
    )
    form = "circular{k=2}:[3,4,5,4]"
    example = "[3,4,5,4]"
    example_options = (("k", "2"),)
    about = "at most one heap more than k, or four heaps and k = 2, of any size; else small heaps"
    counts = range(1, MAX_HEAPS + 1)
    options: ClassVar[Mapping[str, Callable[[str], str]]] = MappingProxyType(
        {"k": lambda text: str(read_int(text, 1, MAX_HEAPS, "k"))}
    )
    typed_moves = (*TakingRules.typed_moves, ("1 3, 2 5", "take 3 from heap 1 and 5 from heap 2"))

    def canonical_options(self, options: Options) -> Options:
        """The options with k."""
        if not options:
            raise NotationError(f"circular: from how many heaps? write {self.form}")
        return super().canonical_options(options)

    def takings(self, value: Coordinates, game: GameSpec) -> Takings:
        """Takings from fewer heaps first, the largest numbers first."""
        for heaps in _neighbours(value, _k(game)):
            for taken in amounts([value[heap] for heap in heaps]):
                of_heap = dict(zip(heaps, taken, strict=True))
                yield tuple(of_heap.get(heap, 0) for heap in range(len(value)))

    def may_take(self, coordinates: Coordinates, taken: Coordinates, game: GameSpec) -> bool:
        """Whether all heaps are among k neighbours."""
        heaps = [heap for heap, tokens in enumerate(taken) if tokens]
        return _are_near(heaps, len(taken), _k(game))

    def theorem(self, position: Position) -> Theorem | None:
        """Theorem of mirror images: all heaps alike, or opposite ones."""
        heaps, k = position.value, _k(position.game)
        if position.game.misere:
            return None
        if k >= len(heaps):
            return Theorem(not any(heaps), "one move takes all")
        if k == len(heaps) - 1:
            return Theorem(len(set(heaps)) == 1, "P exactly if all heaps are equal")
        if (len(heaps), k) == (4, 2):
            return Theorem(heaps[:2] == heaps[2:], "P exactly if opposite heaps are equal")
        return None


def _k(game: GameSpec) -> int:
    return int(game.option("k") or 1)


def _neighbours(heaps: Coordinates, k: int) -> Iterator[tuple[int, ...]]:
    """The sets of heaps that are not empty and among k neighbours, fewer first."""
    there = [index for index, heap in enumerate(heaps) if heap]
    for count in range(1, min(k, len(there)) + 1):
        chosen = combinations(there, count)
        yield from (each for each in chosen if _are_near(each, len(heaps), k))


def _are_near(chosen: "list[int] | tuple[int, ...]", count: int, k: int) -> bool:
    return any(all((heap - first) % count < k for heap in chosen) for first in chosen)


RULES: Final = Circular()
