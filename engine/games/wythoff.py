"""Wythoff's game: take from one heap, or equally much from several. Whoever cannot move loses.

With three heaps the several are any two (`pairs`), all three (`all`), or either (`both`).
"""

from collections.abc import Callable, Mapping
from itertools import combinations
from types import MappingProxyType
from typing import ClassVar, Final

from engine.games.heaps import HeapRules
from engine.games.spec import GameSpec
from schema.errors import NotationError
from schema.numbers import shown

WYTHOFF_RULES: Final = ("pairs", "all", "both")


def _read_rule(text: str) -> str:
    if text not in WYTHOFF_RULES:
        raise NotationError(f"wythoff: rule={shown(text)}; allowed are {', '.join(WYTHOFF_RULES)}")
    return text


class Wythoff(HeapRules):
    """Rules of Wythoff's game with two or three heaps."""

    family = "wythoff"
    form = "wythoff:[3,5]"
    options: ClassVar[Mapping[str, Callable[[str], str]]] = MappingProxyType({"rule": _read_rule})
    heap_counts = "two heaps, or three with a rule: wythoff{rule=all}:[3,5,7]"

    def implied_heaps(self, game: GameSpec) -> int | None:
        """A rule says that there are three heaps."""
        return None if game.rule is None else 3

    def check_game(self, game: GameSpec) -> None:
        """Three heaps need a rule, two have none."""
        super().check_game(game)
        if (game.rule is not None) != (game.heaps == 3):
            raise NotationError(
                f"{game.family}: rule={game.rule}; wythoff with three heaps needs one of"
                f" {', '.join(WYTHOFF_RULES)}, e.g. wythoff{{rule=all}}; no other game has it"
            )

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
