"""The prober of games that are written once: a theorem where there is one, else the search."""

from typing import Final

from position_oracle.engine.budget import Price, watched
from position_oracle.engine.games.listed import MAX_SCANNED, ListedRules, Theorem
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.answers import Answer, Certainty, GameInfo, Limits
from position_oracle.oracle.families.base import LOOK_UP, QUESTIONS, Family, Prober, unknown
from position_oracle.oracle.families.search import MAX_POSITIONS, TOO_LARGE
from position_oracle.oracle.families.values import NOTHING, ValueTable
from position_oracle.schema.errors import ResourceLimitError

_LOOK_SECONDS: Final = 1e-5


class ListedProber(Prober):
    """Answers for a family of `ListedRules`."""

    rules: ListedRules

    def games(self) -> tuple[GameInfo, ...]:
        """One entry."""
        rules = self.rules
        game = rules.parse_body(rules.example, GameSpec(self.family)).game.with_passes(0)
        limits = Limits(positions=MAX_POSITIONS)
        questions = (*QUESTIONS, "grundy", "win_probability")
        return (GameInfo(game, questions, rules.about, None, Certainty.EXACT_SEARCH, None, limits),)

    def known(self, position: Position, *, with_moves: bool) -> Answer:
        """By the theorem of the family."""
        found = self._theorem(position)
        if found is None:
            return unknown(position, TOO_LARGE)
        outcome = Outcome.P if found.is_p else Outcome.N
        moves: tuple[Move, ...] | None = () if with_moves else None
        if with_moves and not found.is_p:
            moves = self._winning(position)
        return Answer(position, outcome, Certainty.THEOREM, found.reason, moves)

    def known_values(self, position: Position) -> ValueTable:
        """By the theorem of the family, where it tells."""
        found = self._theorem(position)
        if found is None or found.grundy is None or position.game.misere:
            return NOTHING

        def grundy(child: Position) -> int | None:
            of_child = self._theorem(child)
            return None if of_child is None else of_child.grundy

        return ValueTable(grundy, None, Certainty.THEOREM, found.reason)

    def price(self, position: Position) -> Price:
        """A look-up where a theorem tells, and looking through the moves; else a search."""
        if self._theorem(position) is None:
            return self.search.price(position)
        return LOOK_UP + Price(_LOOK_SECONDS * MAX_SCANNED / 10)

    def price_of_values(self, position: Position) -> Price:
        """That of a search."""
        return self.search.price(position)

    def _theorem(self, position: Position) -> Theorem | None:
        return None if position.game.passes else self.rules.theorem(position)

    def _winning(self, position: Position) -> tuple[Move, ...] | None:
        """All winning moves by the theorem; None where there are too many to look through."""
        found = []
        try:
            for number, move in enumerate(watched(self.rules.moves(position))):
                if number >= MAX_SCANNED:
                    return None
                of_child = self._theorem(move.child)
                if of_child is None:
                    return None
                if of_child.is_p:
                    found.append(move)
        except ResourceLimitError:
            return None
        return tuple(found)


def family_of_listed(name: str) -> Family:
    """What the oracle knows of a family of `ListedRules`."""
    return Family(type(f"{name.title()}Prober", (ListedProber,), {"family": name}))
