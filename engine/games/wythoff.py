"""Wythoff's game: take from one heap, or equally much from several. Whoever cannot move loses.

With three heaps the several are any two (`pairs`), all three (`all`), or either (`both`).
"""

from itertools import combinations
from typing import Final

from engine.games.heaps import HeapRules
from engine.games.spec import GameSpec


class Wythoff(HeapRules):
    """Rules of Wythoff's game with two or three heaps."""

    family = "wythoff"
    form = "wythoff:[3,5]"
    typed_form = "heaps"
    heap_counts = "two heaps, or three with a rule: wythoff{rule=all}:[3,5,7]"

    def heaps_allowed(self, count: int) -> bool:
        """Two or three."""
        return count in {2, 3}

    def lines(self, game: GameSpec, count: int) -> tuple[tuple[int, ...], ...]:
        """One heap first, then several as the rule has it."""
        single = tuple((heap,) for heap in range(count))
        if count == 2:
            return (*single, (0, 1))
        pairs = tuple(combinations(range(3), 2)) if game.rule in {"pairs", "both"} else ()
        return (*single, *pairs, (0, 1, 2)) if game.rule in {"all", "both"} else (*single, *pairs)


RULES: Final = Wythoff()
