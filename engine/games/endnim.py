"""End-Nim: heaps in a row; take tokens from the first or the last nonempty heap.

M. H. Albert and R. J. Nowakowski, The game of End-Nim, Electronic Journal of Combinatorics 8
(2001).
"""

from typing import Final

from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.games.takings import TakingRules, Takings, from_one
from position_oracle.schema.games import Introduction


class EndNim(TakingRules):
    """Rules of End-Nim; empty heaps stay in the row."""

    family = "endnim"
    introductions = (
        Introduction(
            title="End-Nim",
            start="endnim:[3,1,2]",
            rules="Take as many tokens as you like from the first or the last heap of the row.",
            loses="no token is left for you",
            note="An inner heap can be reached only when all heaps on one side of it are gone.",
        ),
    )
    form = "endnim:[3,1,2]"
    example = "[3,1,2]"
    about = "rows of heaps that are few or small"

    def takings(self, value: Coordinates, game: GameSpec) -> Takings:
        """Yield takings from the first heap, then from the last; the largest numbers come first."""
        for index in _ends(value):
            for tokens in range(value[index], 0, -1):
                yield from_one(len(value), index, tokens)

    def may_take(self, coordinates: Coordinates, taken: Coordinates, game: GameSpec) -> bool:
        """Return whether the taking is from one end only."""
        heaps = [index for index, tokens in enumerate(taken) if tokens]
        return len(heaps) == 1 and heaps[0] in _ends(coordinates)


def _ends(heaps: Coordinates) -> list[int]:
    """Return the first and the last nonempty heap; only one if they are the same heap."""
    there = [index for index, heap in enumerate(heaps) if heap]
    return list(dict.fromkeys((*there[:1], *there[-1:])))


RULES: Final = EndNim()
