"""Wythoff's game: take from one heap, or equally much from several. Whoever cannot move loses.

With three heaps the several are any two (`pairs`), all three (`all`), or either (`both`).
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from engine.games.heaps import HeapRules, reductions
from engine.games.spec import Coordinates, GameSpec


class Wythoff(HeapRules):
    """Rules of Wythoff's game with two or three heaps."""

    family = "wythoff"
    form = "wythoff:[3,5]"
    heap_counts = "two heaps, or three with a rule: wythoff{rule=all}:[3,5,7]"

    def heaps_allowed(self, count: int) -> bool:
        """Two or three."""
        return count in {2, 3}

    def regular_moves(self, coordinates: Coordinates, game: GameSpec) -> Iterator[Coordinates]:
        """Reductions of one heap, then of several by the same number, the most tokens first."""
        yield from reductions(coordinates)
        for chosen in _several(game):
            for taken in range(min(coordinates[i] for i in chosen), 0, -1):
                yield tuple(
                    heap - taken if i in chosen else heap for i, heap in enumerate(coordinates)
                )


def _several(game: GameSpec) -> list[tuple[int, ...]]:
    """The sets of heaps from which equal numbers may be taken."""
    if game.heaps == 2:
        return [(0, 1)]
    pairs = list(combinations(range(3), 2)) if game.rule in {"pairs", "both"} else []
    return pairs + ([(0, 1, 2)] if game.rule in {"all", "both"} else [])


RULES: Final = Wythoff()
