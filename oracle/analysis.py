"""Analyses of positions: values of the position, and values of every move."""

from dataclasses import replace
from itertools import islice
from typing import Final

from position_oracle.engine.budget import Cost, Plan, current, largest, watched
from position_oracle.engine.games.moves import (
    few_moves,
    is_endless,
    moves,
    outcome_at_end,
    with_action,
)
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.oracle.actions import with_actions
from position_oracle.oracle.answers import (
    MAX_LISTED_MOVES,
    Analysis,
    AnalyzedMove,
    Answer,
    PositionValues,
)
from position_oracle.oracle.families.base import MAX_LOOKED_UP, Prober
from position_oracle.oracle.families.graph_costs import graph_size
from position_oracle.oracle.families.sources import (
    KINDS,
    LOOK_UP,
    count_moves,
    names_all_wins,
    weight,
)
from position_oracle.oracle.families.values import ValueTable
from position_oracle.schema.analyses import Listing

MAX_CHARACTERS: Final = 4_000_000
"""Maximum number of characters of all moves of a large position together."""

MAX_ASKED: Final = MAX_LOOKED_UP
"""Maximum number of moves whose outcomes are asked one by one, if neither values nor winning moves
decide them."""

ASKED_SECONDS: Final = 1.0
"""Maximum total cost, in seconds, of asking the outcomes of moves one by one."""


_MOVE_SECONDS: Final = 4e-5
_SKIP_SECONDS: Final = 5e-6
"""Seconds for a listed move, by the number of its coordinates, and for a skipped one."""


def plan_analysis(
    prober: Prober,
    position: Position,
    *,
    with_moves: bool,
    first: int = 0,
    most: int | None = None,
) -> Plan[Analysis]:
    """Plan the analysis of a position.

    If there are too many moves to sort, the winning moves come first, and then the others in the
    order of the rules.

    Args:
        prober: the prober of the position's family.
        position: a legal position.
        with_moves: whether to list the moves.
        first: the index of the first move: `Analysis.following` of the page before.
        most: the maximum number of moves of a page; None for `MAX_LISTED_MOVES`.
    """
    answer = prober.plan(position, with_moves=True)
    values = [prober.plan_values(kind, position) for kind in KINDS]
    cost = largest(answer.cost, *(plan.cost for plan in values))  # most of them share one graph
    if with_moves:
        cost += _cost_of_moves(position, answer, first)

    def run() -> Analysis:
        table = ValueTable(*(plan.run() for plan in values))
        found = with_actions(answer.run())
        return _analyze(prober, found, table, with_moves=with_moves, first=first, most=most)

    return Plan(cost, run)


def _cost_of_moves(position: Position, answer: Plan[Answer], first: int) -> Cost:
    """Return the cost of listing the moves, with single outcomes and values."""
    moves = count_moves(position, MAX_LISTED_MOVES)
    asked = LOOK_UP.seconds * min(MAX_ASKED, moves)
    size = None if answer.is_sure else graph_size(position)
    if not answer.is_sure and (size is None or not size.is_bounded):
        asked += min(ASKED_SECONDS, moves * answer.cost.seconds)
    seconds = weight(position) * (_MOVE_SECONDS * moves + _SKIP_SECONDS * first) + asked
    return Cost(seconds, 1000 * moves)


def _analyze(
    prober: Prober,
    answer: Answer,
    values: ValueTable,
    *,
    with_moves: bool,
    first: int,
    most: int | None,
) -> Analysis:
    position = answer.position
    if not with_moves:
        return Analysis(answer, values.at(position))
    if is_endless(position):
        return _known_wins(answer)
    listed = min(MAX_LISTED_MOVES, max(1, MAX_CHARACTERS // len(str(position))))
    size = min(listed, most or listed)
    few = few_moves(position, listed)
    complete = few is not None
    shown = few if few is not None else answer.winning_moves or ()
    outcomes = _Outcomes(prober, answer, values, moves=len(shown))
    here = values.at(position)
    if not complete and first > len(shown):
        return _others(position, Analysis(answer, here), outcomes, first, size)
    analyzed = [_analyzed(position, move, outcomes) for move in watched(shown)]
    best = tuple(sorted(analyzed, key=outcomes.order))
    end = first + size
    following = end if end < len(best) else None if complete else len(best) + 1
    page = best[first:end]
    whole = complete and len(page) == len(best)
    listing = Listing.BEST_FIRST if complete else Listing.WINNING_FIRST
    return Analysis(answer, here, page, whole, following, listing)


def _others(
    position: Position, of: Analysis, outcomes: "_Outcomes", first: int, size: int
) -> Analysis:
    """Return a page of the moves after the winning ones, unordered."""
    wins = frozenset(move.child for move in of.answer.winning_moves or ())
    begin = first - len(wins) - 1
    listed = list(islice(moves(position), begin, begin + size + 1))
    analyzed = tuple(
        _analyzed(position, move, outcomes)
        for move in watched(listed[:size])
        if move.child not in wins
    )
    following = first + size if len(listed) > size else None
    return replace(of, moves=analyzed, following=following, listing=Listing.WINNING_FIRST)


class _Outcomes:
    """Outcomes of the positions after the moves of one position."""

    def __init__(self, prober: Prober, answer: Answer, values: ValueTable, *, moves: int) -> None:
        self.values = values
        self.ended: set[Position] = set()
        self._prober = prober
        wins = () if answer.outcome is Outcome.P else answer.winning_moves
        names_all = wins is not None and (not wins or names_all_wins(answer))
        self._winning = frozenset(move.child for move in wins or ()) if names_all else None
        self._is_open = wins is None  # the search was not finished, so only look up
        self._seconds_left = (
            min(ASKED_SECONDS, current().seconds / 2) if moves <= MAX_ASKED else 0.0
        )
        self._asks_left = MAX_ASKED

    def of(self, child: Position, numbers: PositionValues) -> Outcome:
        """Return the outcome of a move: by rule, by winning moves, by values, or asked alone."""
        goes_on = numbers.remoteness or numbers.grundy  # both are 0 if the game is over
        if not goes_on and (ended := outcome_at_end(child)):
            self.ended.add(child)
            return ended
        if self._winning is not None:
            return Outcome.P if self._winning and child in self._winning else Outcome.N
        if numbers.grundy is not None:
            return Outcome.P if numbers.grundy == 0 else Outcome.N
        return self._asked(child) if self._asks_left > 0 else Outcome.UNKNOWN

    def order(self, each: AnalyzedMove) -> tuple[int, bool, int]:
        """Sort moves best first; equal moves keep the order of the rules (docs/grundy.md)."""
        if each.outcome is Outcome.UNKNOWN:
            return 2, True, 0
        wins = each.outcome is Outcome.P
        ends = bool(self.ended) and each.move.child in self.ended
        plies = each.values.remoteness or 0
        category = (1 - ends) if wins else (3 + ends)
        return category, each.values.remoteness is None, plies if wins else -plies

    def _asked(self, child: Position) -> Outcome:
        self._asks_left -= 1
        if self._is_open:
            return self._prober.look_up(child).outcome
        plan = self._prober.plan(child, with_moves=False)
        seconds = plan.cost.seconds
        if seconds > self._seconds_left:
            return Outcome.UNKNOWN
        self._seconds_left -= seconds
        return plan.run().outcome


def _analyzed(position: Position, move: Move, outcomes: _Outcomes) -> AnalyzedMove:
    numbers = outcomes.values.at(move.child)
    outcome = outcomes.of(move.child, numbers)
    made = with_action(position, move)
    return AnalyzedMove(
        made, outcome, numbers, None if made.action is None else made.action.component
    )


def _known_wins(answer: Answer) -> Analysis:
    """Analyse a position with infinitely many moves: list the known winning moves."""
    of_p = PositionValues(grundy=0, grundy_unrestricted=1)
    moves = tuple(AnalyzedMove(move, Outcome.P, of_p) for move in answer.winning_moves or ())
    return Analysis(answer, PositionValues(), moves, listing=Listing.WINNING_MOVES)


__all__ = ["MAX_CHARACTERS", "MAX_LISTED_MOVES", "Analysis", "AnalyzedMove", "plan_analysis"]
