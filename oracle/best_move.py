"""The move to make: it keeps every proved win, and avoids a loss by rule if possible."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from position_oracle.engine.budget import Cost, Plan, current, first_of, largest, watched
from position_oracle.engine.games.choice import goes_on, least_first, small_move, some_moves
from position_oracle.engine.games.choices import MAX_LISTED
from position_oracle.engine.games.moves import (
    is_endless,
    move_by,
    moves,
    options,
    winner,
    with_action,
)
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.oracle.answers import MAX_LISTED_MOVES, Answer, Certainty
from position_oracle.oracle.families.base import Prober
from position_oracle.oracle.families.graph_costs import graph_size
from position_oracle.oracle.families.sources import LOOK_UP, count_moves, weight
from position_oracle.oracle.families.values import Values

AT_ONCE: Final = 1e-3
"""Maximum cost in seconds of an answer that is computed while planning, because the rest depends on
it."""

MAX_ASKED: Final = 200
"""Maximum number of moves whose outcomes are asked if no winning move is named."""

ASKED_SECONDS: Final = 1.0
"""Maximum total cost in seconds of these outcomes, besides at most twice the cost of the answer."""

_TRIED: Final = 64
"""Maximum number of moves that are sorted by the amount they take before their outcomes are
asked."""

_LOOK_SECONDS: Final = 2e-5
"""Seconds to look up the remoteness after a move."""


def plan_best_move(prober: Prober, position: Position) -> Plan[Move | None]:
    """Plan the move to make (see `Answerer.best_move`); None if the game is over.

    The plan asks for remoteness if no move wins; if several moves win, only if remoteness costs no
    more than the winning moves.

    Args:
        prober: the prober of the position's family.
        position: a legal position.
    """
    if winner(position) is not None:
        return Plan(LOOK_UP, lambda: None)
    answer = prober.plan(position, with_moves=True)
    remoteness = prober.plan_values("remoteness", position)
    asked = ASKED_SECONDS + 2 * min(answer.cost.seconds, ASKED_SECONDS)
    if answer.is_sure and answer.cost.seconds <= AT_ONCE:
        found = answer.run()
        if found.winning_moves and not _is_worth(remoteness, found, answer):
            return Plan(answer.cost + LOOK_UP, lambda: _soonest(found, None))
        if found.winning_moves or found.outcome is Outcome.P:
            asked = 0.0
        answer = Plan(answer.cost, lambda: found)
    elif (size := graph_size(position)) is not None and size.is_bounded:
        asked = 0.0  # small positions are searched to the end
    cost = largest(answer.cost, remoteness.cost)  # most of them share one graph
    cost += Cost(_LOOK_SECONDS * count_moves(position, MAX_LISTED) * weight(position), 1 << 20)

    def run() -> Move | None:
        found = answer.run()
        if found.winning_moves:
            is_worth = _is_worth(remoteness, found, answer)
            return _soonest(found, remoteness.run() if is_worth else None)
        if found.outcome is Outcome.P:
            return _latest(position, remoteness.run())
        seconds = min(asked, current().seconds / 2)
        return _unproved(prober, position, is_won=found.outcome is Outcome.N, seconds=seconds)

    return Plan(cost + Cost(asked), run)


def _is_worth(remoteness: Plan[Values | None], found: Answer, answer: Plan[Answer]) -> bool:
    """Return whether several moves win, and the search that found them tells which is soonest."""
    is_search = found.certainty is Certainty.EXACT_SEARCH
    most = answer.cost if is_search else LOOK_UP
    return len(found.winning_moves or ()) > 1 and remoteness.cost.seconds <= most.seconds


def _soonest(answer: Answer, remoteness: Values | None) -> Move:
    """Return the winning move that ends the game soonest, if known; else the first."""
    wins = answer.winning_moves or ()
    plies = [None if remoteness is None else remoteness.at(move.child) for move in wins]
    known = [number for number, each in enumerate(plies) if each is not None]
    best = min(known, key=lambda number: plies[number] or 0, default=0)
    return with_action(answer.position, wins[best])


def _latest(position: Position, remoteness: Values | None) -> Move:
    """Return the move after which the game lasts longest, if known; else one that takes little.

    For a position with very many moves it is also a move that takes little.
    """
    if remoteness is None or remoteness.at(position) is None or is_endless(position):
        return small_move(position)
    found = first_of(options(position), MAX_LISTED_MOVES + 1)
    if len(found) > MAX_LISTED_MOVES:
        return small_move(position)
    plies = [-1 if (each := remoteness.at(child)) is None else each for _, child in watched(found)]
    return move_by(position, *found[plies.index(max(plies))])


def _unproved(prober: Prober, position: Position, *, is_won: bool, seconds: float) -> Move:
    """Return the move if no winning move is named: one proved to win, else one that may win.

    Args:
        prober: the prober of the position's family.
        position: a position that is not the end of the game.
        is_won: whether a move wins for certain.
        seconds: the maximum total cost of the outcomes of moves.
    """
    may_win: Move | None = None
    candidates = filter(goes_on, _least_first(position))
    for move in islice(candidates, MAX_ASKED):
        current().check()
        plan = prober.plan(move.child, with_moves=False)
        outcome = Outcome.UNKNOWN
        if plan.cost.seconds <= seconds:
            seconds -= plan.cost.seconds
            outcome = plan.run().outcome
        if outcome is Outcome.P:
            return move
        if outcome is Outcome.UNKNOWN:
            may_win = may_win or move
            if not is_won:  # perhaps no move wins, so more questions may be useless
                break
    return may_win or next(candidates, None) or small_move(position)


def _least_first(position: Position) -> Iterator[Move]:
    """Return the moves; if there are few, those that take the least come first."""
    tried = some_moves(position, _TRIED)
    yield from least_first(tried)
    if not is_endless(position):
        yield from (move for move in islice(moves(position), MAX_LISTED) if move not in tried)
