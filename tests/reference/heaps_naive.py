"""Games of heaps, move by move, from their rules. Slow, and shares no code."""

from dataclasses import dataclass, field
from itertools import combinations

Position = tuple[int, ...]


@dataclass
class NaiveHeaps:
    """A game of heaps. `groups` lists the numbers of heaps that a move may lower equally."""

    groups: tuple[int, ...] = ()
    declared: frozenset[Position] = frozenset()
    misere: bool = False
    _grundy: dict[tuple[Position, int], int] = field(default_factory=dict)
    _n: dict[tuple[Position, int], bool] = field(default_factory=dict)
    _plies: dict[tuple[Position, int], int] = field(default_factory=dict)

    def ends_at(self, heaps: Position) -> bool:
        return not any(heaps) or heaps in self.declared

    def moves(self, heaps: Position, passes: int = 0) -> list[tuple[Position, int]]:
        if self.ends_at(heaps):
            return []
        found = []
        for size in (1, *self.groups):
            for group in combinations(range(len(heaps)), size):
                for taken in range(1, min(heaps[i] for i in group) + 1):
                    child = tuple(h - taken * (i in group) for i, h in enumerate(heaps))
                    found.append((child, passes))
        if passes:
            found.append((heaps, passes - 1))
        return found

    def is_n(self, heaps: Position, passes: int = 0) -> bool:
        key = (heaps, passes)
        if key not in self._n:
            if self.ends_at(heaps):
                self._n[key] = heaps in self.declared or self.misere
            else:
                self._n[key] = not all(self.is_n(*child) for child in self.moves(*key))
        return self._n[key]

    def winning_moves(self, heaps: Position, passes: int = 0) -> list[Position | str]:
        """The children in lexicographic order, then "pass"."""
        winning = [child for child in self.moves(heaps, passes) if not self.is_n(*child)]
        regular: list[Position | str] = sorted(c for c, left in winning if left == passes)
        return regular + ["pass"] * any(left < passes for _, left in winning)

    def grundy(self, heaps: Position, passes: int = 0) -> int:
        """The mex of the children. In misere play the end has value 1."""
        key = (heaps, passes)
        if key not in self._grundy:
            values = {self.grundy(*child) for child in self.moves(*key)}
            value = int(self.misere) if self.ends_at(heaps) else 0
            while value in values:
                value += 1
            self._grundy[key] = value
        return self._grundy[key]

    def remoteness(self, heaps: Position, passes: int = 0) -> int:
        """Plies to the end, if the winner hurries and the loser delays."""
        key = (heaps, passes)
        if key not in self._plies:
            children = self.moves(*key)
            wins = [self.remoteness(*child) for child in children if not self.is_n(*child)]
            losses = [self.remoteness(*child) for child in children if self.is_n(*child)]
            self._plies[key] = 1 + (min(wins) if wins else max(losses, default=-1))
        return self._plies[key]
