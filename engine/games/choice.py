"""Moves that stand out among many: at random, that take the most, that take the least."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from random import Random
from typing import TYPE_CHECKING

from position_oracle.engine.budget import current, first_of, watched
from position_oracle.engine.games.actions import THE_PASS
from position_oracle.engine.games.choices import MAX_LISTED
from position_oracle.engine.games.moves import (
    act,
    few_moves,
    may_pass,
    move_by,
    moves,
    options,
    winner,
)
from position_oracle.engine.games.position import Move
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.rules import EndlessError
from position_oracle.schema.answers import Outcome
from position_oracle.schema.errors import IllegalMoveError

if TYPE_CHECKING:
    from position_oracle.engine.games.position import Position
    from position_oracle.schema.moves import Action


def some_moves(position: "Position", most: int) -> tuple[Move, ...]:
    """Some legal moves, up to a number: all where they are few, else those that stand out."""
    few = few_moves(position, most)
    return tuple(islice(notable_moves(position), most)) if few is None else few


def random_move(position: "Position", chance: Random) -> Move:
    """A legal move at random: each action has equal probability, and the pass is one.

    In a position with more than `MAX_LISTED` actions that cannot be counted, one of
    `notable_moves`.
    """
    rules = rules_of(position.game.family)
    found = rules.choices(position.value, position.game)
    if found is None:
        few = first_of(options(position), MAX_LISTED + 1)
        if len(few) > MAX_LISTED:
            return chance.choice(list(notable_moves(position)))
        return move_by(position, *chance.choice(few))
    number = chance.randrange(found.number + may_pass(position))
    if number == found.number:
        return move_by(position, THE_PASS, position.passed())
    called, value = found.option(number)
    return move_by(position, called, position.child(value))


def notable_moves(position: "Position") -> Iterator[Move]:
    """Some legal moves: among them those that take the most and the least, and the pass.

    These are few also where all are too many to be listed.
    """
    notable = rules_of(position.game.family).notable_actions(position)
    seen: set[Action] = set()
    for action in watched(islice(notable, MAX_LISTED), every=1):
        if action in seen:
            continue
        seen.add(action)
        try:
            yield Move(act(position, action), action=action)
        except IllegalMoveError:
            continue
    if may_pass(position):
        yield Move(position.passed(), is_pass=True, action=THE_PASS)


def small_move(position: "Position") -> "Move":
    """The move that takes the least, and does not lose at once where another does not."""
    return least_first(_not_lost_at_once(position))[0]


def greedy_move(position: "Position") -> "Move":
    """The move that takes the most, and does not lose at once where another does not."""
    found = _not_lost_at_once(position)
    regular = [move for move in found if not move.is_pass] or found
    return min(regular, key=_left)


def _not_lost_at_once(position: "Position") -> "list[Move]":
    """Moves that stand out and do not lose by rule; else any such move; else all that stand out."""
    notable = list(notable_moves(position))
    return list(filter(goes_on, notable)) or _first(position, goes_on) or notable


def goes_on(move: "Move") -> bool:
    """Whether a move does not lose by rule."""
    return winner(move.child) is not Outcome.N


def _first(position: "Position", wanted: "Callable[[Move], bool]") -> "list[Move]":
    """The first move that is wanted, if there is one among the first that are listed."""
    try:
        return list(islice(filter(wanted, islice(moves(position), MAX_LISTED)), 1))
    except EndlessError:
        return []


def least_first(moves: "Sequence[Move]") -> "list[Move]":
    """Sort moves by how much they take; passes last, equal moves in reverse."""
    last_first = list(reversed(moves))
    return sorted(last_first, key=lambda move: (move.is_pass, -_left(move)))


def _left(move: "Move") -> int:
    current().check()  # counting what is left may take milliseconds
    return rules_of(move.child.game.family).amount(move.child)
