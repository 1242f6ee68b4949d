"""Wythoff's game: take from one heap, or equal numbers from several. The last mover wins.

With three heaps, "several" means any two (`pairs`), all three (`all`), or either (`both`).
"""

from itertools import combinations
from typing import ClassVar, Final

from position_oracle.engine.games.heaps import HeapRules, Line
from position_oracle.engine.games.rules import OptionReaders
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.schema.errors import NotationError
from position_oracle.schema.games import Introduction
from position_oracle.schema.numbers import shown

WYTHOFF_RULES: Final = ("pairs", "all", "both")


def _read_rule(text: str) -> str:
    if text not in WYTHOFF_RULES:
        raise NotationError(f"wythoff: rule={shown(text)}; allowed are {', '.join(WYTHOFF_RULES)}")
    return text


class Wythoff(HeapRules):
    """Rules of Wythoff's game with two or three heaps."""

    family = "wythoff"
    introductions = (
        Introduction(
            title="Wythoff’s game",
            start="wythoff:[4,6]",
            rules="Take as many tokens as you like from one heap, or the same number from both.",
            loses="no token is left for you",
            note="The golden ratio decides who wins.",
        ),
        Introduction(
            title="Wythoff’s game with three heaps, pairs",
            start="wythoff{rule=pairs}:[2,3,4]",
            rules="Take any number of tokens from one heap, or the same number from two heaps.",
            loses="no token is left for you",
            note="Nobody knows a rule for who wins.",
        ),
        Introduction(
            title="Wythoff’s game with three heaps",
            start="wythoff{rule=all}:[3,5,7]",
            rules="Take any number of tokens from one heap, or the same number from all three.",
            loses="no token is left for you",
            note="The positions that win are those of Nim.",
        ),
        Introduction(
            title="Wythoff’s game with three heaps, pairs and all",
            start="wythoff{rule=both}:[2,3,4]",
            rules=(
                "Take as many tokens as you like from one heap, or the same number from "
                "two heaps or from all three."
            ),
            loses="no token is left for you",
            note="Nobody knows a rule for who wins.",
        ),
    )
    form = "wythoff:[3,5]"
    typed_moves = (*HeapRules.typed_moves, ("1+2 3", "take 3 tokens each from heaps 1 and 2"))
    options: ClassVar[OptionReaders] = {"rule": _read_rule}
    heap_numbers = range(2, 3)
    heap_counts = "two heaps, or three with a rule: wythoff{rule=all}:[3,5,7]"

    def has_nim_sums(self, game: GameSpec) -> bool:
        """Return whether equal numbers may be taken from all three heaps, but not from two."""
        return game.rule == "all" and not game.misere and game.passes % 2 == 0

    def ordered(self, game: GameSpec, heaps: Coordinates) -> Coordinates:
        """Sort the heaps in games with passes or misere play, where their order does not matter.

        The heaps keep their order if some positions are declared and their permutations are not.
        """
        ascend = (game.passes > 0 or game.misere) and not game.is_variant
        return tuple(sorted(heaps)) if ascend else heaps

    def lines(self, game: GameSpec, count: int) -> tuple[Line, ...]:
        """Return the single heaps first, then the sets of heaps that the rule allows."""
        single = tuple((heap,) for heap in range(count))
        if count == 2:
            return (*single, (0, 1))
        pairs = tuple(combinations(range(3), 2)) if game.rule in {"pairs", "both"} else ()
        return (*single, *pairs, (0, 1, 2)) if game.rule in {"all", "both"} else (*single, *pairs)


RULES: Final = Wythoff()

TWO_HEAPS: Final = GameSpec("wythoff", heaps=2)
"""Wythoff's original game."""
