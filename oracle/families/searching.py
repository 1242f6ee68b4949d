"""The prober of games about which nothing is known but the rules, such as variants of a family."""

from position_oracle.engine.budget import Cost
from position_oracle.engine.games.position import Position
from position_oracle.oracle.answers import Answer, GameInfo
from position_oracle.oracle.families.base import Prober, unknown
from position_oracle.oracle.families.search import TOO_LARGE


class SearchProber(Prober):
    """Answers by a search alone."""

    def games(self) -> tuple[GameInfo, ...]:
        """None: the family lists them."""
        return ()

    def known(self, position: Position, *, with_moves: bool) -> Answer:
        """Nothing."""
        return unknown(position, TOO_LARGE)

    def price(self, position: Position) -> Cost:
        """That of a search."""
        return self.search.price(position)

    def price_of_values(self, position: Position) -> Cost:
        """That of a search."""
        return self.search.price(position)


def search_prober_of(name: str) -> type[Prober]:
    """A prober of any family that knows no theorem and no table."""
    return type(f"{name.title()}SearchProber", (SearchProber,), {"family": name})
