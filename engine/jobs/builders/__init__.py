"""Builders: what computes and stores the results of a family. A new kind is one line here."""

from typing import Final

from engine.games.spec import GameSpec
from engine.jobs.builders.base import Builder
from engine.jobs.builders.boards import BoardOutcomes
from engine.jobs.builders.frontier import TransfiniteFrontier
from engine.jobs.builders.heaps import HeapSheets
from engine.jobs.builders.random_play import RandomPlay
from engine.jobs.builders.three_row import ThreeRowSheets
from engine.jobs.builders.transfinite import TransfiniteFragments
from engine.jobs.builders.values import PositionValues
from schema.errors import UnknownGameError

BUILDERS: Final[tuple[Builder, ...]] = (
    ThreeRowSheets(),
    RandomPlay(),
    BoardOutcomes(),
    HeapSheets("nim"),
    HeapSheets("wythoff"),
    *(
        PositionValues(family, kind)
        for family in ("chomp3", "chomp", "nim", "wythoff")
        for kind in ("grundy", "remoteness")
    ),
    TransfiniteFragments(),
    TransfiniteFrontier(),
)
"""All builders; the first of a family is what is usual for it."""

USUAL_LIMIT: Final = "10000"
"""The limit of most builds for which none is given."""


def usual_limit(game: GameSpec, kind: str | None = None) -> str:
    """The limit of a build for which none is given.

    Raises:
        UnknownGameError: there are no tables of this family, or not of this kind.
    """
    builder = builder_for(game, kind)
    if isinstance(builder, TransfiniteFragments | TransfiniteFrontier):
        return builder.usual_limit
    return USUAL_LIMIT


def builder_for(game: GameSpec, kind: str | None = None) -> Builder:
    """The builder for a game and kind of results.

    Raises:
        UnknownGameError: there are no tables of this family, or not of this kind.
    """
    fitting = [builder for builder in BUILDERS if builder.family == game.family]
    for builder in fitting:
        if kind in {None, builder.kind}:
            return builder
    kinds = ", ".join(builder.kind for builder in fitting) or "none"
    raise UnknownGameError(f"{game.text}: no tables of kind {kind or 'any'}; there are: {kinds}")


__all__ = ["BUILDERS", "Builder", "builder_for", "usual_limit"]
