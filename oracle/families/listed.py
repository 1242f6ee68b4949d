"""The probers of families without a module of their own, and of games known only by their rules.

A game in one file (`ListedRules`) may have a theorem. Variants of other families are searched.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from position_oracle.engine.budget import Cost, Plan, first_of, watched
from position_oracle.engine.games.choice import notable_moves
from position_oracle.engine.games.listed import ListedRules, Theorem, Theorems
from position_oracle.engine.games.moves import is_eaten
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.rules import MAX_SCANNED
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.answers import Answer, Certainty
from position_oracle.oracle.families.base import Prober
from position_oracle.oracle.families.coverage import Covered, covered
from position_oracle.oracle.families.sources import (
    LOOK_UP,
    MAX_POSITIONS,
    TOO_LARGE,
    TOO_MANY,
    Source,
    count_moves,
    unknown,
    weight,
)
from position_oracle.oracle.families.values import Values
from position_oracle.schema.answerer import ValueKind

MAX_LISTED: Final = 10_000
"""Maximum number of winning moves that are listed."""

_LOOK_SECONDS: Final = 1e-5
_LIKELY_SECONDS: Final = 5e-5
"""Seconds to check a move, and to find one that is likely to win."""

MAX_LIKELY: Final = 500
"""Maximum number of likely wins, which are counted for the cost of checking them."""


class ListedTheorem(Source):
    """Source with the theorem of a family of `ListedRules`, for positions without passes."""

    def __init__(self, rules: ListedRules) -> None:
        self._rules = rules

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer] | None:
        """Plan the outcome, and the winning moves by checking the moves."""
        if position.game.passes:
            return None
        rules, theorems = self._rules, self._rules.theorems(position)
        if seconds := rules.seconds(position):  # the theorem takes a search

            def run() -> Answer:
                found = theorems(position)
                if found is None:
                    return unknown(position, TOO_LARGE)
                return self._answer(position, found, theorems, with_moves=with_moves)

            return Plan(Cost(seconds), run, is_sure=False)
        found = theorems(position)
        if found is None:
            return None
        cost, is_sure = LOOK_UP, True
        if with_moves and not found.is_p:
            likely, seconds = rules.likely_wins(position), _LIKELY_SECONDS
            is_sure = likely is not None or rules.some_win(position) is None
            looked = MAX_LIKELY if likely is None else len(first_of(likely, MAX_LIKELY))
            if looked == MAX_LIKELY:
                looked, seconds = count_moves(position, MAX_SCANNED), _LOOK_SECONDS
            finding = 0.0 if likely is None else rules.likely_seconds(position)
            cost += Cost(finding + seconds * looked * weight(position))
        return Plan(
            cost,
            lambda: self._answer(position, found, theorems, with_moves=with_moves),
            is_sure=is_sure,
        )

    def plan_values(self, kind: ValueKind, position: Position) -> Plan[Values | None] | None:
        """Plan Grundy values and remoteness, if the theorem gives them."""
        game = position.game
        if game.passes or game.misere:
            return None
        theorems, seconds = self._rules.theorems(position), self._rules.seconds(position)
        if not seconds and _values(kind, theorems(position), theorems) is None:
            return None
        cost = LOOK_UP + Cost(seconds)
        return Plan(cost, lambda: _values(kind, theorems(position), theorems), is_sure=not seconds)

    def _answer(
        self, position: Position, found: Theorem, theorems: Theorems, *, with_moves: bool
    ) -> Answer:
        outcome = Outcome.P if found.is_p else Outcome.N
        moves: tuple[Move, ...] | None = () if with_moves else None
        reason = found.reason
        if with_moves and not found.is_p:
            moves = self._winning(position, theorems)
            if moves is None:
                reason += f"; {TOO_MANY}"
                moves = self._one(position, theorems)
        certainty = Certainty.EXACT_SEARCH if found.is_searched else Certainty.THEOREM
        return Answer(position, outcome, certainty, reason, moves)

    def _winning(self, position: Position, theorems: Theorems) -> tuple[Move, ...] | None:
        """Return all winning moves by the theorem; None if there are too many to check."""
        children = self._rules.likely_wins(position)
        if children is None and self._rules.some_win(position) is not None:
            return None
        if children is None:
            children = (each for _, each in self._rules.actions(position.value, position.game))
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
        one = self._rules.some_win(position)
        if one is None:
            return None
        of_child = theorems(position.child(one))
        return (Move(position.child(one)),) if of_child is not None and of_child.is_p else None


class ListedProber(Prober):
    """Answers questions about a family of `ListedRules`."""

    rules: ListedRules

    def games(self) -> tuple[Covered, ...]:
        """Return one entry."""
        game = self.rules.example_position().game.with_passes(0)
        limits = {"positions": MAX_POSITIONS}
        return (covered(game, self.rules.about, Certainty.EXACT_SEARCH, limits=limits),)

    @cached_property
    def common_sources(self) -> Sequence[Source]:
        """The theorem."""
        return (ListedTheorem(self.rules),)


def _values(kind: ValueKind, found: Theorem | None, theorems: Theorems) -> Values | None:
    if found is None or _number(kind, found) is None:
        return None

    def value(child: Position) -> int | None:
        of_child = theorems(child)
        return None if of_child is None else _number(kind, of_child)

    certainty = Certainty.EXACT_SEARCH if found.is_searched else Certainty.THEOREM
    return Values(value, certainty, found.reason)


def _number(kind: ValueKind, found: Theorem) -> int | None:
    return found.grundy if kind == "grundy" else found.remoteness


def listed_prober_of(name: str) -> type[Prober]:
    """Return the prober of a game with `ListedRules`."""
    return type(f"{name.title()}Prober", (ListedProber,), {"family": name})


class EatingThePoison(Source):
    """Source for misere Chomp in every form: a player who can eat the poison wins."""

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer]:
        """Plan N, unless the poison has been eaten."""

        def run() -> Answer:
            outcome = Outcome.P
            wins: tuple[Move, ...] = ()
            if not is_eaten(position):
                outcome = Outcome.N
                wins = (next(m for m in notable_moves(position) if is_eaten(m.child)),)
            reason = "in misere play eating the poison wins, and it can always be eaten"
            return Answer(
                position, outcome, Certainty.THEOREM, reason, wins if with_moves else None
            )

        return Plan(LOOK_UP, run)


class SearchProber(Prober):
    """Answers questions by the graph, and about misere Chomp by the poison."""

    def games(self) -> tuple[Covered, ...]:
        """Return none: the family lists the games."""
        return ()

    def sources(self, game: GameSpec) -> Sequence[Source]:
        """Return the source about the poison, which declared positions may exclude, or none."""
        eats = game.misere and self.rules.has_poison and not game.is_variant
        return (EatingThePoison(),) if eats else ()


def search_prober_of(name: str) -> type[Prober]:
    """Return a prober of any family that knows no theorem and no table."""
    return type(f"{name.title()}SearchProber", (SearchProber,), {"family": name})
