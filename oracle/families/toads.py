"""Impartial Toads and Frogs on a strip: answers from the graph."""

from collections.abc import Sequence
from functools import cached_property

from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.answers import Certainty
from position_oracle.oracle.families.base import Prober
from position_oracle.oracle.families.coverage import Covered, covered
from position_oracle.oracle.families.even_passes import EvenPasses
from position_oracle.oracle.families.sources import MAX_POSITIONS, Source


class ToadsProber(Prober):
    """Answers questions about strips with few arrangements."""

    family = "toads"

    def games(self) -> tuple[Covered, ...]:
        """Return one entry."""
        what = f"strips from which play comes to at most {MAX_POSITIONS:,} positions"
        game, limits = GameSpec("toads"), {"positions": MAX_POSITIONS}
        return (covered(game, what, Certainty.EXACT_SEARCH, limits=limits),)

    @cached_property
    def common_sources(self) -> Sequence[Source]:
        """The source for an even number of passes, which changes nothing."""
        return (EvenPasses(self),)


PROBER = ToadsProber
