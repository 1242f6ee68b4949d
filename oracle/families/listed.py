"""The prober of games that are written once: a theorem where there is one, else the search."""

from typing import Final

from position_oracle.engine.budget import Cost, watched
from position_oracle.engine.games.listed import ListedRules, Theorem, Theorems
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.rules import MAX_SCANNED
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.answers import Answer, Certainty, GameInfo, Limits
from position_oracle.oracle.families.base import (
    ALL_BY_SEARCH,
    LOOK_UP,
    Family,
    Prober,
    questions_of,
    unknown,
)
from position_oracle.oracle.families.search import MAX_POSITIONS, TOO_LARGE
from position_oracle.oracle.families.values import NOTHING, ValueTable

MAX_LISTED: Final = 10_000
"""Most winning moves that are listed."""

_LOOK_SECONDS: Final = 1e-5
_TOO_MANY: Final = "there are too many moves to list all that win"


class ListedProber(Prober):
    """Answers for a family of `ListedRules`."""

    rules: ListedRules

    def games(self) -> tuple[GameInfo, ...]:
        """One entry."""
        game = GameSpec(self.family, options=self.rules.example_options)
        game = self.rules.parse_body(self.rules.example, game).game.with_passes(0)
        limits = Limits(positions=MAX_POSITIONS)
        asked, about = questions_of(game), self.rules.about
        return (GameInfo(game, asked, about, None, Certainty.EXACT_SEARCH, None, limits),)

    def known(self, position: Position, *, with_moves: bool) -> Answer:
        """By the theorem of the family."""
        theorems = self._theorems(position)
        found = theorems(position)
        if found is None:
            return unknown(position, TOO_LARGE)
        outcome = Outcome.P if found.is_p else Outcome.N
        moves: tuple[Move, ...] | None = () if with_moves else None
        reason = found.reason
        if with_moves and not found.is_p:
            moves = self._winning(position, theorems)
            if moves is None:
                reason += f"; {_TOO_MANY}"
                moves = self._one(position, theorems)
        certainty = Certainty.EXACT_SEARCH if found.is_searched else Certainty.THEOREM
        return Answer(position, outcome, certainty, reason, moves)

    def names_all_wins(self, answer: Answer) -> bool:
        """Where there are very many, one is named."""
        return _TOO_MANY not in answer.reason or ALL_BY_SEARCH in answer.reason

    def known_values(self, position: Position) -> ValueTable:
        """By the theorem of the family, where it tells."""
        theorems = self._theorems(position)
        found = theorems(position)
        if found is None or found.grundy is None or position.game.misere:
            return NOTHING

        def grundy(child: Position) -> int | None:
            of_child = theorems(child)
            return None if of_child is None else of_child.grundy

        certainty = Certainty.EXACT_SEARCH if found.is_searched else Certainty.THEOREM
        return ValueTable(grundy, None, certainty, found.reason)

    def look_up(self, position: Position) -> Answer:
        """By the theorem of the family, unless it takes a search."""
        if self.rules.seconds(position):
            return unknown(position, "it is not looked up")
        return self.known(position, with_moves=False)

    def price(self, position: Position) -> Cost:
        """A look-up where a theorem tells, and looking through the moves; else a search."""
        search = self.search.price(position)
        seconds = self.rules.seconds(position)
        if seconds:
            return search + Cost(seconds)
        if self._theorems(position)(position) is None:
            return search
        return LOOK_UP + Cost(_LOOK_SECONDS * MAX_SCANNED / 10)

    def price_of_values(self, position: Position) -> Cost:
        """That of a search."""
        return self.search.price(position)

    def _theorems(self, position: Position) -> Theorems:
        return _none if position.game.passes else self.rules.theorems(position)

    def _winning(self, position: Position, theorems: Theorems) -> tuple[Move, ...] | None:
        """All winning moves by the theorem; None where there are too many to look through."""
        children = self.rules.likely_wins(position)
        if children is None and self.rules.some_win(position) is not None:
            return None
        if children is None:
            children = (each for _, each in self.rules.actions(position.value, position.game))
        found: dict[Position, Move] = {}
        for number, value in enumerate(watched(children)):
            if number >= MAX_SCANNED or len(found) > MAX_LISTED:
                return None
            child = position.child(value)
            of_child = theorems(child)
            if of_child is not None and of_child.is_p:
                found[child] = Move(child)
        return tuple(found.values())

    def _one(self, position: Position, theorems: Theorems) -> tuple[Move, ...] | None:
        one = self.rules.some_win(position)
        if one is None:
            return None
        of_child = theorems(position.child(one))
        return (Move(position.child(one)),) if of_child is not None and of_child.is_p else None


def _none(_: Position) -> Theorem | None:
    """Passes change what theorems say."""
    return None


def family_of_listed(name: str) -> Family:
    """What the oracle knows of a family of `ListedRules`."""
    return Family(type(f"{name.title()}Prober", (ListedProber,), {"family": name}))
