"""Proved bounds on win probabilities against a perfect player, beyond tables and searches.

Consider a player who errs, to move at an N-position. This player can win only after one of the
winning moves: after any other move the perfect player is at an N-position, and wins for certain.
With w winning actions of m and a probability ε of an error, in which the move is made at random,
the chance is at most ε w / m + 1 - ε. A perfect player may move wherever this is least.
"""

from collections.abc import Callable
from itertools import islice
from typing import Final

from position_oracle.engine.budget import Plan, current, first_of
from position_oracle.engine.games.choice import notable_moves
from position_oracle.engine.games.moves import is_endless, may_pass, options, ways
from position_oracle.engine.games.position import Outcome, Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.theory.random_play.model import Model
from position_oracle.oracle.answers import Answer, Certainty, Method, WinProbability
from position_oracle.oracle.families.chance.answers import approximately
from position_oracle.oracle.families.sources import names_all_wins

MAX_TRIED: Final = 4
"""Number of moves of a perfect player after which the other player's chance is bounded."""

LEAST_TOLD: Final = 0.5
"""A bound above this value is not reported."""

MAX_COUNTED: Final = 10_000
"""Maximum number of actions that are listed to count them."""

MAX_SECONDS: Final = 0.6
"""Maximum cost in seconds of the winning moves of all positions that a bound needs."""

Plans = Callable[[Position], Plan[Answer]]
"""Function that plans the outcome of a position, with its winning moves."""


def bounded(position: Position, model: Model, known: Plans) -> WinProbability | None:
    """Return the midpoint of the interval that a bound leaves; None if the interval is large.

    Args:
        position: a position before the move of the player in question.
        model: a model with one perfect player.
        known: plans what theorems and tables give about a position.
    """
    if is_endless(position):
        return None
    erring = [position]
    if model.mover_chooses:
        erring = list(islice((move.child for move in notable_moves(position)), MAX_TRIED))
    most, at, left = LEAST_TOLD, None, min(MAX_SECONDS, current().seconds / 2)
    for each in erring:
        plan = known(each)
        if (left := left - plan.cost.seconds) < 0:
            break
        chance = _most(plan.run(), model)
        if chance is not None and chance < most:
            most, at = chance, each
    if at is None:
        return None
    where = f"after {at.brief}" if model.mover_chooses else "here"
    value = 1 - most / 2 if model.mover_chooses else most / 2
    bound = most / 2 + 2.0**-53
    reason = (
        f"the player who errs wins with a chance of at most {most:.6g} {where}, by the share of"
        " winning actions"
    )
    return approximately(position, model, value, bound, Certainty.ESTIMATE, Method.BOUND, reason)


def _most(answer: Answer, model: Model) -> float | None:
    """Bound the chance of the player who errs, to move at an N-position; None if unknown."""
    position = answer.position
    if answer.outcome is not Outcome.N or not names_all_wins(answer):
        return None
    actions = _count(position)
    if not actions:
        return None
    winning = sum(sum(1 for _ in ways(position, move.child)) for move in answer.winning_moves or ())
    return float(model.epsilon * winning / actions + 1 - model.epsilon)


def _count(position: Position) -> int:
    """Return the number of actions; 0 if there are too many to count."""
    choices = rules_of(position.game.family).choices(position.value, position.game)
    if choices is not None:
        return choices.number + may_pass(position)
    few = len(first_of(options(position), MAX_COUNTED + 1))
    return few if few <= MAX_COUNTED else 0
