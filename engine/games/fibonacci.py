"""Fibonacci Nim: take at most twice as many as the last move; the first move leaves some.

R. E. Gaskell & M. J. Whinihan, Fibonacci Nim, Fibonacci Quarterly 1 (1963), with A. J. Schwenk,
Take-away games (1970): the player to move wins exactly if the smallest number in the Zeckendorf
representation of the heap, a sum of Fibonacci numbers no two of which are neighbours, may be taken.
"""

from collections.abc import Iterator
from typing import Final

from position_oracle.engine.games.listed import Theorem
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.games.takings import TakingRules, Takings
from position_oracle.schema.games import Introduction


class Fibonacci(TakingRules):
    """Rules of Fibonacci Nim; a position is the heap and the maximum number that may be taken."""

    family = "fibonacci"
    introductions = (
        Introduction(
            title="Fibonacci Nim",
            start="fibonacci:[12]",
            rules=(
                "Take at least one token, and at most twice as many as your opponent has "
                "just taken. The first move may not take them all."
            ),
            loses="no token is left for you",
            note=(
                "The player who begins loses exactly the heaps whose size is a Fibonacci number:"
                " 2, 3, 5, 8, 13."
            ),
        ),
    )
    form = "fibonacci:[20], fibonacci:[20,6] where at most 6 may be taken"
    example = "[20]"
    about = "heaps of any size, normal play without passes; else small heaps"
    counts = range(1, 3)

    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """Make a position; a heap given alone may not be taken whole."""
        self.check(game, coordinates)
        heap, most = coordinates if len(coordinates) == 2 else (coordinates[0], coordinates[0] - 1)
        return super().position(game, (heap, max(min(heap, most), 0)))

    def format(self, coordinates: Coordinates, game: GameSpec) -> str:
        """Format the heap alone if all tokens but one may be taken, as at the beginning."""
        heap, most = coordinates
        return super().format(coordinates[: 1 if most == max(heap - 1, 0) else 2], game)

    def heaps(self, coordinates: Coordinates) -> Coordinates:
        """Return the one heap."""
        return coordinates[:1]

    def amount(self, position: Position) -> int:
        """Return the number of tokens."""
        tokens: int = position.value[0]
        return tokens

    def takings(self, value: Coordinates, game: GameSpec) -> Takings:
        """Yield the numbers that may be taken, the largest first."""
        return ((tokens,) for tokens in range(value[1], 0, -1))

    def may_take(self, coordinates: Coordinates, taken: Coordinates, game: GameSpec) -> bool:
        """Return whether the number is at most the maximum of the position."""
        return taken[0] <= coordinates[1]

    def left(self, coordinates: Coordinates, taken: Coordinates) -> Coordinates:
        """Return the position left: the next player may take at most twice the number taken."""
        rest = coordinates[0] - taken[0]
        return rest, min(rest, 2 * taken[0])

    def bound(self, coordinates: Coordinates, game: GameSpec) -> float:
        """Bound the positions: every smaller heap with every even maximum, or with its own size."""
        return coordinates[0] * (coordinates[0] / 4 + 1) + 2.0

    def theorem(self, position: Position) -> Theorem | None:
        """Apply the theorem of Zeckendorf representations."""
        heap, most = position.value
        if position.game.misere:
            return None
        parts = zeckendorf(heap)
        said = "+".join(map(str, parts[-3:]))
        reason = f"Zeckendorf: {heap} = {'... + ' if parts[3:] else ''}{said or 0}; N exactly if"
        is_p = not parts or parts[-1] > most
        return Theorem(is_p, f"{reason} the last may be taken")

    def likely_wins(self, position: Position) -> Iterator[Coordinates]:
        """Yield the positions after takings of some of the smallest terms of the representation.

        The smallest term of the heap left must exceed twice the number taken. So the
        representations of the number taken and of the heap left together are that of the heap.
        """
        heap, most = position.value
        tokens = 0
        for part in reversed(zeckendorf(heap)):
            tokens += part
            if tokens <= most:
                yield self.left((heap, most), (tokens,))


def zeckendorf(number: int) -> list[int]:
    """Return the Zeckendorf representation of a number: Fibonacci numbers, the largest first."""
    fibonacci = [1, 2]
    while fibonacci[-1] <= number:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    parts = []
    for each in reversed(fibonacci):
        if each <= number:
            parts.append(each)
            number -= each
    return parts


RULES: Final = Fibonacci()
