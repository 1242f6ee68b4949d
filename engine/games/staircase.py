"""Staircase Nim: move tokens one step down; tokens on the first step leave.

R. Sprague (1937) and Winning Ways, chapter 3: only the odd steps count, as the heaps of Nim. After
a move from an even step to an odd one, the other player can move the same tokens one step further.
So the Grundy value is the nim-sum of the odd steps.
"""

from collections.abc import Iterator
from functools import reduce
from math import comb
from operator import add, sub, xor
from typing import Final

from position_oracle.engine.games.listed import Theorem
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import MAX_COORDINATE, Coordinates, GameSpec
from position_oracle.engine.games.takings import TakingRules, Takings, from_one
from position_oracle.schema.errors import InvalidPositionError
from position_oracle.schema.games import Introduction


class Staircase(TakingRules):
    """Rules of staircase Nim; the first number is the step from which tokens leave."""

    family = "staircase"
    introductions = (
        Introduction(
            title="Staircase Nim",
            start="staircase:[1,2,3]",
            rules=(
                "Move any number of tokens from one step of the stairs to the step below."
                " From the lowest step they leave the stairs."
            ),
            loses="no token is left on the stairs",
            note="Only the first, third and fifth step count, and so on.",
        ),
    )
    form = "staircase:[1,2,3]"
    example = "[1,2,3]"
    about = "steps of any size, normal play without passes; else few tokens"
    typed_moves = (("2 3", "move 3 tokens from step 2 to step 1"),)

    def check(self, game: GameSpec, coordinates: Coordinates) -> None:
        """Check that all tokens may come to stand on one step."""
        super().check(game, coordinates)
        if sum(coordinates) > MAX_COORDINATE:
            raise InvalidPositionError(f"{self.form}: more than 2^63 - 1 tokens")

    def takings(self, value: Coordinates, game: GameSpec) -> Takings:
        """Yield takings step by step, the largest first."""
        for step, heap in enumerate(value):
            for tokens in range(heap, 0, -1):
                yield from_one(len(value), step, tokens)

    def may_take(self, coordinates: Coordinates, taken: Coordinates, game: GameSpec) -> bool:
        """Return whether tokens are taken from one step only."""
        return sum(map(bool, taken)) == 1

    def left(self, coordinates: Coordinates, taken: Coordinates) -> Coordinates:
        """Return the position after the tokens have moved one step down."""
        return tuple(map(add, map(sub, coordinates, taken), (*taken[1:], 0)))

    def bound(self, coordinates: Coordinates, game: GameSpec) -> float:
        """Bound the positions: the ways to distribute the tokens over the steps and the outside."""
        tokens, steps = sum(coordinates), len(coordinates)
        return float(comb(tokens + steps, steps)) if tokens < 10_000 else float("inf")

    def theorem(self, position: Position) -> Theorem | None:
        """Return the nim-sum of the odd steps."""
        if position.game.misere:
            return None
        value = reduce(xor, position.value[::2])
        return Theorem(not value, "the Grundy value is the nim-sum of the odd steps", value)

    def likely_wins(self, position: Position) -> Iterator[Coordinates]:
        """Yield the positions after the takings from each step that make the nim-sum 0."""
        steps = position.value
        value = reduce(xor, steps[::2])
        for step, heap in enumerate(steps):
            below = steps[step - 1]
            tokens = (below ^ value) - below if step % 2 else heap - (heap ^ value)
            if 0 < tokens <= heap:
                yield self.left(steps, from_one(len(steps), step, tokens))


RULES: Final = Staircase()
