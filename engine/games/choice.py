"""Selected moves among many: random ones, those that take the most, those that take the least."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from random import Random

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
from position_oracle.engine.games.position import Move, Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.rules import EndlessError
from position_oracle.schema.answers import Outcome
from position_oracle.schema.errors import IllegalMoveError
from position_oracle.schema.moves import Action


def some_moves(position: Position, most: int) -> tuple[Move, ...]:
    """Return legal moves up to a number: all if there are few, else a selection."""
    few = few_moves(position, most)
    if few is not None:
        return few
    passes = _passes(position) if most else ()
    regular = (move for move in notable_moves(position) if not move.is_pass)
    return (*islice(regular, most - len(passes)), *passes)


def random_move(position: Position, chance: Random) -> Move:
    """Draw a legal move at random: every action has the same probability, and the pass is one.

    If a position has more than `MAX_LISTED` actions and they cannot be counted, the move is one of
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


def notable_moves(position: Position) -> Iterator[Move]:
    """Return legal moves: those that take the most or the least, perhaps others, and the pass.

    There are at most `MAX_LISTED` of them and the pass.
    """
    notable = rules_of(position.game.family).notable_actions(position)
    seen: set[Action] = set()
    for action in watched(islice(notable, MAX_LISTED)):
        if action in seen:
            continue
        seen.add(action)
        try:
            yield Move(act(position, action), action=action)
        except IllegalMoveError:
            continue
    yield from _passes(position)


def _passes(position: Position) -> tuple[Move, ...]:
    """Return the pass if it is legal."""
    if not may_pass(position):
        return ()
    return (Move(position.passed(), is_pass=True, action=THE_PASS),)


def small_move(position: Position) -> Move:
    """Return the move that takes the least; it loses at once only if every move does."""
    return least_first(_not_lost_at_once(position))[0]


def greedy_move(position: Position) -> Move:
    """Return the move that takes the most; it loses at once only if every move does."""
    # Where all large notable moves end the game, the first in the order of the rules takes more.
    found = _not_lost_at_once(position) + _first(position, goes_on)
    regular = [move for move in found if not move.is_pass] or found
    return min(regular, key=_left)


def _not_lost_at_once(position: Position) -> list[Move]:
    """Return the notable moves that do not lose by rule; else any such move; else all of them."""
    notable = list(notable_moves(position))
    return list(filter(goes_on, notable)) or _first(position, goes_on) or notable


def goes_on(move: Move) -> bool:
    """Return whether a move does not lose by rule."""
    return winner(move.child) is not Outcome.N


def _first(position: Position, wanted: Callable[[Move], bool]) -> list[Move]:
    """Return the first wanted move among the first listed, as a list; empty if there is none."""
    try:
        return list(islice(filter(wanted, islice(moves(position), MAX_LISTED)), 1))
    except EndlessError:
        return []


def least_first(moves: Sequence[Move]) -> list[Move]:
    """Sort moves by the amount they take; passes come last, and equal moves in reverse order.

    Passes of one heap, or of one component of a sum, come last, too.
    """
    last_first = list(reversed(moves))
    return sorted(last_first, key=lambda move: (_uses_pass(move), -_left(move)))


def _uses_pass(move: Move) -> bool:
    action = move.action or Action()
    return move.is_pass or action.is_pass or any(change.is_pass for change in action.taking)


def _left(move: Move) -> int:
    current().check()  # counting the amount left may take milliseconds
    return rules_of(move.child.game.family).amount(move.child)
