"""The prober of games about which nothing is known but the rules, such as variants of a family."""

from collections.abc import Sequence

from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.answers import GameInfo
from position_oracle.oracle.families.base import Prober
from position_oracle.oracle.families.sources import Source


class SearchProber(Prober):
    """Answers from the graph alone."""

    def games(self) -> tuple[GameInfo, ...]:
        """None: the family lists them."""
        return ()

    def sources(self, game: GameSpec) -> Sequence[Source]:
        """None."""
        return ()


def search_prober_of(name: str) -> type[Prober]:
    """A prober of any family that knows no theorem and no table."""
    return type(f"{name.title()}SearchProber", (SearchProber,), {"family": name})
