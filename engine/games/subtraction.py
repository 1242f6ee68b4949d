"""Subtraction games, a branch of Nim: `nim{max=3}:[10]`, `nim{take=1+3+4}:[10,5]`.

A move takes 1 to `max` tokens from one heap, one of the numbers of `take`, or any number except
those of `allbut`: `nim{take=1-5+9}`, `nim{allbut=2+4}`. See `engine.theory.subtraction`. A player
who cannot move loses (misere: wins).
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import ClassVar, Final

from position_oracle.engine.games.rules import OptionReaders
from position_oracle.engine.games.spec import GameSpec, Options
from position_oracle.engine.games.unordered import UnorderedHeaps
from position_oracle.engine.theory import subtraction
from position_oracle.engine.theory.heap_sums import Heaps
from position_oracle.engine.theory.subtraction import TAKEN_MAX, SubtractionSet
from position_oracle.schema.errors import NotationError
from position_oracle.schema.games import Introduction
from position_oracle.schema.numbers import read_int


class Subtraction(UnorderedHeaps):
    """Rules of subtraction games."""

    family = "subtraction"
    name = "nim"
    introductions = (
        Introduction(
            title="Bounded Nim",
            start="nim{max=3}:[10]",
            rules="Choose a heap and take 1 to {max} of its tokens.",
            loses="no token is left for you",
            note="With at most 3 tokens a move, leave multiples of 4.",
        ),
        Introduction(
            title="Subtraction game",
            start="nim{take=1+3+4}:[10]",
            rules="Choose a heap and take one of these numbers of tokens: {take}.",
            loses="you cannot take any of these numbers",
            note="Who wins repeats with the size of the heap.",
        ),
        Introduction(
            title="Subtraction game, all but some",
            start="nim{allbut=2+4}:[9]",
            rules="Take any number of tokens from a heap except one of these: {allbut}.",
            loses="you cannot take an allowed number",
            note="A single heap is won at once if its size is allowed: take it all.",
        ),
    )
    form = "nim{max=3}:[10], nim{take=1+3+4}:[10,5]"
    options: ClassVar[OptionReaders] = {"max": str, "take": str, "allbut": str}

    def canonical_options(self, options: Options) -> Options:
        """Check that one of `max`, `take`, `allbut` is given; 1, 2, ..., n becomes `max=n`."""
        if len(options) != 1:
            raise NotationError(
                "nim: give one of max=..., take=... and allbut=..., e.g. nim{max=3}:[10]"
            )
        ((name, text),) = super().canonical_options(options)
        name, _, text = _read(name, text).option.partition("=")
        return ((name, text),)

    def left_of(self, heap: int, game: GameSpec) -> Iterator[Heaps]:
        """Yield the smaller heaps, the largest number taken first."""
        return ((heap - n,) if n < heap else () for n in set_of(game).takes_from(heap))

    def tokens_of(self, game: GameSpec) -> Iterable[int]:
        """Return the smallest number that may be taken, and the ends of some ranges."""
        ranges = set_of(game).ranges
        return (number for ends in (*ranges[:8], ranges[-1]) for number in ends)

    def may_leave(self, heap: int, left: Heaps, game: GameSpec) -> bool:
        """Return whether at most one heap is left, and an allowed number was taken."""
        return len(left) <= 1 and set_of(game).allows(heap - sum(left))


def set_of(game: GameSpec) -> SubtractionSet:
    """Return the set of numbers that may be taken."""
    return _read(*game.options[0])


@lru_cache(maxsize=256)
def _read(name: str, text: str) -> SubtractionSet:
    if name == "max":
        return SubtractionSet(((1, read_int(text, 1, TAKEN_MAX, "max")),))
    return subtraction.parse_set(name, text)


RULES: Final = Subtraction()
