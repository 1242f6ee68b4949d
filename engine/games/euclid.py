"""Euclid's game: subtract a multiple of the smaller number from the larger; the first 0 loses.

A. J. Cole & A. J. T. Davie, A game based on the Euclidean algorithm and a winning strategy for it,
Math. Gazette 53 (1969): the player to move wins exactly if the quotient of the larger and the
smaller number exceeds the golden ratio, or the numbers are equal. The player wins who reaches 0.
"""

from typing import Final

from position_oracle.engine.games.actions import taking_from
from position_oracle.engine.games.listed import Actions, ListedRules, Theorem
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.rules import check_coordinates
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.schema.errors import InvalidPositionError


class Euclid(ListedRules):
    """Rules of Euclid's game; the smaller number is first."""

    family = "euclid"
    form = "euclid:[5,13]"
    example = "[5,13]"
    about = "two numbers of any size, normal play without passes; else small numbers"

    def check(self, game: GameSpec, coordinates: Coordinates) -> None:
        """Two numbers, the smaller first."""
        if len(coordinates) != 2:
            raise InvalidPositionError(f"{self.form}: got {len(coordinates)} numbers; it takes 2")
        check_coordinates(self.form, "", coordinates)

    def position(self, game: GameSpec, coordinates: Coordinates) -> Position:
        """The smaller number first."""
        return super().position(game, tuple(sorted(coordinates)))

    def actions(self, coordinates: Coordinates, game: GameSpec) -> Actions:
        """Every multiple of the smaller number, the largest first."""
        small, large = coordinates
        for times in range(large // small if small else 0, 0, -1):
            yield taking_from([2], times * small), tuple(sorted((small, large - times * small)))

    def theorem(self, position: Position) -> Theorem | None:
        """Cole and Davie: N if the quotient exceeds the golden ratio, or the numbers are equal."""
        small, large = position.coordinates
        if position.game.misere:
            return None
        # large / small > phi exactly if large^2 > large small + small^2.
        wins = small > 0 and (small == large or large * large > large * small + small * small)
        reason = "Cole & Davie: N exactly if the quotient exceeds the golden ratio, or is 1"
        return Theorem(not wins, reason)


RULES: Final = Euclid()
