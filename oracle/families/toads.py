"""Toads and Frogs on a strip, played impartially: by search."""

from position_oracle.engine.budget import Cost
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.answers import Answer, Certainty, GameInfo, Limits
from position_oracle.oracle.families.base import Family, Prober, questions_of, unknown
from position_oracle.oracle.families.search import MAX_POSITIONS, TOO_LARGE, answer_even_passes


class ToadsProber(Prober):
    """Answers strips whose arrangements are few."""

    family = "toads"

    def games(self) -> tuple[GameInfo, ...]:
        """One entry."""
        what = f"strips from which play comes to at most {MAX_POSITIONS:,} positions"
        game, limits = GameSpec("toads"), Limits(positions=MAX_POSITIONS)
        return (
            GameInfo(game, questions_of(game), what, None, Certainty.EXACT_SEARCH, None, limits),
        )

    def known(self, position: Position, *, with_moves: bool) -> Answer:
        """By search; with an even number of passes by that without."""
        if position.game.passes and position.game.passes % 2 == 0:
            return answer_even_passes(self, position, with_moves=with_moves)
        return unknown(position, TOO_LARGE)

    def price_of_values(self, position: Position) -> Cost:
        """That of the same search."""
        return self.search.price(position)

    def price(self, position: Position) -> Cost:
        """That of the search."""
        return self.search.price(position)


FAMILY = Family(ToadsProber)
