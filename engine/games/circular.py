"""Circular Nim: heaps in a circle; take tokens from at most k neighbouring heaps, one in all.

M. Dufour and S. Heubach, Circular Nim games, Electronic Journal of Combinatorics 20 (2013). The
theorems here have one-line proofs: the other player takes the same number of tokens elsewhere, or
takes all at once.
"""

from collections.abc import Sequence
from typing import Final

from position_oracle.engine.games.listed import Theorem
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.games.takings import SeveralHeaps, Takings, most_heaps
from position_oracle.schema.games import Introduction

MAX_HEAPS: Final = 12


class Circular(SeveralHeaps):
    """Rules of circular Nim; the last heap is a neighbour of the first."""

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
    about = "at most one heap more than k, or four heaps and k = 2, of any size; else small heaps"
    counts = range(1, MAX_HEAPS + 1)

    def may_choose(self, chosen: Sequence[int], heaps: int, k: int) -> bool:
        """Return whether all of these heaps are among k neighbours."""
        return any(all((heap - first) % heaps < k for heap in chosen) for first in chosen)

    def largest_takings(self, value: Coordinates, game: GameSpec) -> Takings:
        """Yield the takings of all tokens of k neighbours."""
        count, k = len(value), most_heaps(game)
        for first in range(count):
            yield tuple(heap if (i - first) % count < k else 0 for i, heap in enumerate(value))

    def theorem(self, position: Position) -> Theorem | None:
        """Decide positions whose heaps are all equal, or whose opposite heaps are equal."""
        heaps, k = position.value, most_heaps(position.game)
        if position.game.misere:
            return None
        if k >= len(heaps):
            return Theorem(not any(heaps), "one move takes all")
        if k == len(heaps) - 1:
            return Theorem(len(set(heaps)) == 1, "P exactly if all heaps are equal")
        if (len(heaps), k) == (4, 2):
            return Theorem(heaps[:2] == heaps[2:], "P exactly if opposite heaps are equal")
        return None


RULES: Final = Circular()
