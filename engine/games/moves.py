"""Legal moves of a position of any game: list them, make them, find them; and the winner.

A move is an action together with the position that it leads to. Families list regular actions
(`Rules.actions`). Passes and declared N-positions are the same for every family and are added here:
a declared N-position has no moves, and its player to move has won. A pass is not available if no
move is left, or only the move that loses by rule (Morrison, Friedman & Landsberg, section 1.2).
"""

from collections.abc import Callable, Iterator
from typing import Any

from position_oracle.engine.budget import first_of, watched
from position_oracle.engine.games.actions import THE_PASS
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.rules import EndlessError, refused
from position_oracle.schema.errors import IllegalMoveError
from position_oracle.schema.moves import Action


def options(position: Position, *, misere: bool | None = None) -> Iterator[tuple[Any, Position]]:
    """Yield every legal action, as the family names it, with its position; the pass comes last.

    Args:
        position: the position before the move.
        misere: the kind of play of the sum that has this position as a component; None for the
            position's own kind of play.

    Raises:
        EndlessError: the position has infinitely many moves.
    """
    game = position.game
    if game.declares(position.value):
        return
    for called, value in rules_of(game.family).actions(position.value, game):
        yield called, Position(game, value)
    if may_pass(position, misere=misere):
        yield THE_PASS, position.passed()


def moves(position: Position, wanted: Callable[[Position], bool] | None = None) -> Iterator[Move]:
    """Yield the legal moves in the documented order, one move for each child.

    Args:
        position: the position before the move.
        wanted: returns whether a move to a position is wanted; None for all.

    Raises:
        EndlessError: the position has infinitely many moves.
    """
    for called, child in _distinct(position):
        if wanted is None or wanted(child):
            yield move_by(position, called, child)


def children(position: Position) -> Iterator[Position]:
    """Yield the positions after the legal moves, each once."""
    return (child for _, child in _distinct(position))


def few_moves(position: Position, most: int) -> tuple[Move, ...] | None:
    """Return all legal moves; None if there are more than the limit."""
    try:
        few = first_of(_distinct(position), most + 1)
    except EndlessError:
        return None
    if len(few) > most:
        return None
    named = rules_of(position.game.family).action
    return tuple(
        Move(
            child,
            called is THE_PASS,
            called if isinstance(called, Action) else named(position, called),
        )
        for called, child in watched(few, every=16)
    )


def move_by(position: Position, called: Any, child: Position) -> Move:
    """Return the move of an action, as the family names it, to a position."""
    return Move(child, called is THE_PASS, action_of(position, called))


def action_of(position: Position, called: Any) -> Action:
    """Return the Action that the family's name stands for."""
    if isinstance(called, Action):
        return called
    return rules_of(position.game.family).action(position, called)


def _distinct(position: Position) -> Iterator[tuple[Any, Position]]:
    seen = set()
    for called, child in watched(options(position), every=16):
        if called is THE_PASS:
            yield called, child
        elif child.value not in seen:
            seen.add(child.value)
            yield called, child


def act(position: Position, action: Action, *, misere: bool | None = None) -> Position:
    """Return the position after an action; long lists of moves are not made.

    Raises:
        IllegalMoveError: the rules do not allow it.
    """
    if winner(position) is not None:
        raise refused(position, action, "the game is over")
    if action.is_pass and action.component is None:
        if not may_pass(position, misere=misere):
            raise refused(position, action, "there is no pass here")
        return position.passed()
    if action.component is not None and position.game.family != "sum":
        raise refused(position, action, "only sums have components")
    found = next(rules_of(position.game.family).matching(position, action), None)
    if found is None:
        raise refused(position, action, "the rules of the game do not allow it")
    return position.child(found[1])


def ways(position: Position, child: Position, *, misere: bool | None = None) -> Iterator[Action]:
    """Yield every action that leads to a position, the usual one first; nothing if no move does.

    Equal heaps make several such actions. The arguments are those of `options`.
    """
    if position.game.declares(position.value):
        return
    if child.game is position.game or child.game == position.game:
        for called, value in rules_of(position.game.family).matching(position, child):
            if value == child.value:
                yield action_of(position, called)
    elif may_pass(position, misere=misere) and child == position.passed():
        yield THE_PASS


def move_to(position: Position, child: Position) -> Move:
    """Return the legal move that leads to a position; long lists of moves are not made.

    Raises:
        IllegalMoveError: no move leads to the position.
    """
    action = next(ways(position, child), None)
    if action is None:
        raise IllegalMoveError(f"{child.brief} is not a move from {position.brief}")
    return Move(child, action is THE_PASS, action)


def with_action(position: Position, move: Move) -> Move:
    """Return a legal move with its action."""
    return move if move.action is not None else move_to(position, move.child)


def may_pass(position: Position, *, misere: bool | None = None) -> bool:
    """Return whether the pass of the game is available; see the module docstring."""
    return position.game.passes > 0 and not is_over(position, misere=misere)


def is_over(position: Position, *, misere: bool | None = None) -> bool:
    """Return whether the game is over for either player: no move is left, or only a losing one.

    If only the poison is left, the player who must take it has lost in normal play.
    """
    game = position.game
    if game.declares(position.value):
        return True
    is_misere = game.misere if misere is None else misere
    spares_poison = rules_of(game.family).has_poison and not is_misere
    return not _has(position, 2 if spares_poison else 1)


def is_eaten(position: Position) -> bool:
    """Return whether the poison has been taken, so that nothing is left."""
    return rules_of(position.game.family).has_poison and not _has(position, 1)


def is_endless(position: Position) -> bool:
    """Return whether the position has infinitely many moves."""
    game = position.game
    if game.declares(position.value):
        return False
    try:
        rules_of(game.family).actions(position.value, game)  # raises before the first move is made
    except EndlessError:
        return True
    return False


def winner(position: Position) -> Outcome | None:
    """Return the winner if no move is left, N for the player to move; None before the end."""
    game = position.game
    if game.declares(position.value):
        return Outcome.N
    if _has(position, 1):
        return None
    return Outcome.N if rules_of(game.family).has_poison != game.misere else Outcome.P


def outcome_at_end(position: Position) -> Outcome | None:
    """Return the winner by rule of a finished game; None if the game goes on."""
    if not is_over(position):
        return None
    return winner(position) or Outcome.P  # the poison alone: the player who must take it loses


def _has(position: Position, number: int) -> bool:
    """Return whether the position has at least this many regular moves."""
    game = position.game
    try:
        moves = rules_of(game.family).actions(position.value, game)
        return all(next(moves, None) is not None for _ in range(number))
    except EndlessError:
        return True
