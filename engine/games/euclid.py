"""Euclid's game: subtract a multiple of the smaller number from the larger; reaching 0 wins.

A. J. Cole & A. J. T. Davie, A game based on the Euclidean algorithm and a winning strategy for it,
Math. Gazette 53 (1969): the player to move wins exactly if the quotient of the larger and the
smaller number exceeds the golden ratio, or the numbers are equal.

The Grundy value of a position follows from one child, by Euclid's algorithm: the moves from (x, q x
+ r), r < x, lead to (r, x) and to (x, j x + r), 1 <= j < q. With v the value of (r, x), the values
for j = 1, 2, ... are the numbers from 0 on without v, in order: q - 1 if q <= v, else q. Where the
numbers must stay positive, this is floor(|y/x - x/y|), G. Nivasch, The Sprague-Grundy function of
the game Euclid, Discrete Mathematics 306 (2006).

The remoteness (number of moves left if the winner hurries) follows, too. Let r(0) be the remoteness
of (r, x). If (r, x) is P, then all (x, j x + r) move to it and have remoteness 1 + r(0). If (r, x)
is N, then (x, x + r) is P with remoteness 1 + r(0), because (r, x) is its only child, and all
others move to (x, x + r) and have remoteness 2 + r(0).
"""

from collections.abc import Iterator
from typing import Final

from position_oracle.engine.games.listed import Theorem
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.engine.games.takings import TakingRules, Takings
from position_oracle.schema.games import Introduction


class Euclid(TakingRules):
    """Rules of Euclid's game; the smaller number is first."""

    family = "euclid"
    introductions = (
        Introduction(
            title="Euclid’s game",
            start="euclid:[5,13]",
            rules="Take a multiple of the smaller heap from the larger one.",
            loses="a heap is empty when your turn comes",
            note="It runs through Euclid’s algorithm, and the golden ratio decides who wins.",
        ),
    )
    form = "euclid:[5,13]"
    example = "[5,13]"
    about = "two numbers of any size, normal play without passes; else small numbers"
    counts = range(2, 3)

    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """Make a position with the smaller number first."""
        return super().position(game, tuple(sorted(coordinates)))

    def takings(self, value: Coordinates, game: GameSpec) -> Takings:
        """Yield every multiple of the smaller number that can be taken, the largest first."""
        small, large = value
        for times in range(large // small if small else 0, 0, -1):
            yield 0, times * small

    def may_take(self, coordinates: Coordinates, taken: Coordinates, game: GameSpec) -> bool:
        """Return whether a multiple of the smaller number is taken from the larger one."""
        small, _ = coordinates
        return small > 0 and not taken[0] and taken[1] % small == 0

    def left(self, coordinates: Coordinates, taken: Coordinates) -> Coordinates:
        """Return the position left, with the smaller number first."""
        return tuple(sorted(super().left(coordinates, taken)))

    def taken(self, coordinates: Coordinates, child: Coordinates) -> Coordinates:
        """Return the number taken: the difference of the sums of both positions."""
        return 0, max(sum(coordinates) - sum(child), 0)

    def theorem(self, position: Position) -> Theorem | None:
        """Apply the theorem of Cole and Davie, with the Grundy value."""
        if position.game.misere:
            return None
        value, moves = measured(position.value)
        reason = "Cole & Davie: N exactly if the quotient exceeds the golden ratio, or is 1"
        return Theorem(not value, reason, value, moves)

    def likely_wins(self, position: Position) -> Iterator[Coordinates]:
        """Yield the two children that may be P: other children have quotients above 2."""
        small, large = position.value
        for rest in (large % small, large % small + small):
            if rest < large:
                yield self.left(position.value, (0, large - rest))


def measured(numbers: Coordinates) -> tuple[int, int]:
    """Return the Grundy value and the remoteness, by Euclid's algorithm."""
    small, large = numbers
    quotients = []
    while small:
        quotients.append(large // small)
        small, large = large % small, small
    value = moves = 0
    for quotient in reversed(quotients):
        moves += 2 if value and quotient > 1 else 1
        value = quotient - 1 if quotient <= value else quotient
    return value, moves


RULES: Final = Euclid()
