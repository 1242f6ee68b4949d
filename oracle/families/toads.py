"""Toads and Frogs on a strip, played impartially: by search."""

from functools import cached_property

from position_oracle.engine.budget import Price
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.engine.games.toads import strip_of
from position_oracle.engine.theory import toads
from position_oracle.oracle.answers import Answer, Certainty, GameInfo, Limits
from position_oracle.oracle.families.base import QUESTIONS, Family, Prober
from position_oracle.oracle.families.search import MAX_POSITIONS, Searches, answer_even_passes
from position_oracle.oracle.families.values import ValueTable


class ToadsProber(Prober):
    """Answers strips whose arrangements are few."""

    family = "toads"

    @cached_property
    def _searches(self) -> Searches:
        return Searches(self.shelf, self.rules, _bound)

    def games(self) -> tuple[GameInfo, ...]:
        """One entry."""
        what = f"strips from which play comes to at most {MAX_POSITIONS:,} positions"
        questions = (*QUESTIONS, "grundy")
        game, limits = GameSpec("toads"), Limits(positions=MAX_POSITIONS)
        return (GameInfo(game, questions, what, None, Certainty.EXACT_SEARCH, None, limits),)

    def answer(self, position: Position, *, with_moves: bool) -> Answer:
        """By search; with an even number of passes by that without."""
        if position.game.passes and position.game.passes % 2 == 0:
            return answer_even_passes(self, position, with_moves=with_moves)
        return self._searches.answer(position, with_moves=with_moves)

    def values(self, position: Position) -> ValueTable:
        """By search."""
        return self._searches.values(position)

    def price_of_values(self, position: Position) -> Price:
        """That of the same search."""
        return self._searches.price_of_values(position)

    def price(self, position: Position) -> Price:
        """That of the search."""
        return self._searches.price(position)


def _bound(position: Position) -> float:
    return float(toads.position_bound(strip_of(position.coordinates)))


FAMILY = Family(ToadsProber)
