"""Every question about a finite game by its definition, over a dictionary of moves.

It shares nothing with the engine: no numbering, no arrays, recursion with a memo.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class NaiveGame:
    """A game given by its moves.

    Attributes:
        moves: the children of each position, one entry for each action.
        won: positions without moves at which the player to move has won.
        gives_up: positions to which a move loses by rule; values and lengths leave them out.
    """

    moves: Mapping[Any, Sequence[Any]]
    won: frozenset[Any] = frozenset()
    gives_up: frozenset[Any] = frozenset()

    @cached_property
    def _memo(self) -> dict[Any, Any]:
        return {}

    def _once(self, key: Any, value: Any) -> Any:
        if key not in self._memo:
            self._memo[key] = value()
        return self._memo[key]

    def _kept(self, position: Hashable) -> list[Hashable]:
        return [child for child in self.moves[position] if child not in self.gives_up]

    def wins(self, position: Hashable) -> bool:
        """Whether the player to move wins."""

        def find() -> bool:
            if not self._kept(position):
                return not self.moves[position] and position in self.won
            return any(not self.wins(child) for child in self._kept(position))

        return bool(self._once(("wins", position), find))

    def grundy(self, position: Hashable) -> int:
        """The least number that is the value of no child."""

        def find() -> int:
            values = {self.grundy(child) for child in self._kept(position)}
            return next(value for value in range(len(values) + 1) if value not in values)

        return int(self._once(("grundy", position), find))

    def remoteness(self, position: Hashable) -> int:
        """Plies to the end, if the winner hurries and the loser delays."""

        def find() -> int:
            children = self._kept(position)
            if not children:
                return 0
            lost = [self.remoteness(child) for child in children if not self.wins(child)]
            return 1 + (min(lost) if lost else max(map(self.remoteness, children)))

        return int(self._once(("remoteness", position), find))

    def random(self, position: Hashable) -> Fraction:
        """The chance that the player to move wins if both play at random."""

        def find() -> Fraction:
            children = self.moves[position]
            if not children:
                return Fraction(position in self.won)
            return 1 - sum(map(self.random, children), Fraction(0)) / len(children)

        return Fraction(self._once(("random", position), find))

    def perfect(self, position: Hashable, epsilon: Fraction) -> Fraction:
        """The chance of a perfect player to move against a player who errs."""

        def find() -> Fraction:
            children = self.moves[position]
            if not children:
                return Fraction(position in self.won)
            return max(1 - self.fallible(child, epsilon) for child in children)

        return Fraction(self._once(("perfect", position, epsilon), find))

    def fallible(self, position: Hashable, epsilon: Fraction) -> Fraction:
        """The chance of a player who errs, to move against a perfect player."""

        def find() -> Fraction:
            children = self.moves[position]
            if not children:
                return Fraction(position in self.won)
            after = [1 - self.perfect(child, epsilon) for child in children]
            return epsilon * sum(after, Fraction(0)) / len(after) + (1 - epsilon) * max(after)

        return Fraction(self._once(("fallible", position, epsilon), find))

    def turns(self, position: Hashable) -> list[Fraction]:
        """The chance of each number of turns if both play at random."""

        def find() -> list[Fraction]:
            children = self.moves[position]
            if not children:
                return [Fraction(1)]
            found = [Fraction(0)] * (1 + max(len(self.turns(child)) for child in children))
            for child in children:
                for turn, chance in enumerate(self.turns(child), 1):
                    found[turn] += chance / len(children)
            return found

        return list(self._once(("turns", position), find))
