"""The list of games served: each game once, with its rules in words and its sources."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from position_oracle.engine.games.introductions import introduction_of_game, introductions
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.registry import families
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.answers import Certainty, GameInfo, GameSource
from position_oracle.oracle.families.coverage import covered
from position_oracle.oracle.families.sources import MAX_POSITIONS
from position_oracle.oracle.families.stored_values import stored_values

if TYPE_CHECKING:
    from position_oracle.oracle.families.base import Prober

_SEARCHED: Final = f"positions from which play comes to at most {MAX_POSITIONS:,} positions"
_LIMITS: Final = {"positions": MAX_POSITIONS}


def catalog(prober: Callable[[str], "Prober"]) -> tuple[GameInfo, ...]:
    """Return the games with a name of their own or a source, in the order of their texts.

    The number of heaps is a limit of a source, not a separate game. Codes and sets of numbers make
    games with the sources of the family.
    """
    found: dict[GameSpec, list[GameSource]] = {}
    for family in families():
        made = prober(family)
        values = (table.info for table in stored_values(made.resources, family))
        positions = (table.info for table in made.stored)
        for game, source in (*made.games(), *values, *positions):
            found.setdefault(_any_heaps(game), []).append(source)
    introduced = {_any_heaps(parse(each.start).game) for each in introductions()}
    of_family = {
        game.family: [source for source in sources if source.build is None]
        for game, sources in found.items()
        if game.options and game.is_plain
    }
    for game in introduced - found.keys():
        searched = covered(game, _SEARCHED, Certainty.EXACT_SEARCH, limits=_LIMITS).source
        found[game] = of_family.get(game.family) or [searched]
    return tuple(
        GameInfo(game, tuple(found[game]), introduction_of_game(game))
        for game in sorted(found, key=lambda game: game.text)
    )


def _any_heaps(game: GameSpec) -> GameSpec:
    return replace(game, heaps=None)
