"""Which move to make: the rule of `best_move`, and moves that stand out among many.

The rule asks questions and is told their answers. It is therefore a generator, which an oracle in
this process drives with `finish`, and a client with its requests.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from position_oracle.engine.budget import first_of, watched
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
    with_action,
)
from position_oracle.engine.games.position import Move
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.rules import EndlessError
from position_oracle.schema.answers import Outcome
from position_oracle.schema.errors import (
    IllegalMoveError,
    InvalidPositionError,
    NotationError,
    UnknownGameError,
)

if TYPE_CHECKING:
    from position_oracle.engine.games.position import Position
    from position_oracle.schema import moves as said
    from position_oracle.schema.analyses import Analysis
    from position_oracle.schema.answerer import Answerer

MAX_TRIED: Final = 64
"""Most moves that are asked about one by one where no winning move is known."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ask:
    """A question that a choice rests on.

    Attributes:
        question: the name of a method of `Answerer`.
        position: text of the position that it is about.
    """

    question: Literal["analyze", "outcome"]
    position: str


Choice = Generator[Ask, Any, T]
"""Several questions for one choice: it gives questions, is sent the answers, and returns."""


def finish(choice: Choice[T], oracle: "Answerer") -> T:
    """Ask an oracle what a choice wants to know, until it is made."""
    answer = None
    while True:
        try:
            ask = choice.send(answer)
        except StopIteration as end:
            result: T = end.value
            return result
        answer = getattr(oracle, ask.question)(ask.position)


def best_move(text: str) -> "Choice[said.Move[Any] | None]":
    """The move to make, as `Answerer.best_move` describes it; None where the game is over."""
    analysis: Analysis[Any] = yield Ask("analyze", text)
    answer, listed = analysis.answer, analysis.moves or ()
    if listed and listed[0].outcome is Outcome.P:
        return listed[0].move
    if answer.winning_moves:
        return answer.winning_moves[0]
    is_ordered = analysis.complete and bool(listed) and listed[0].values.remoteness is not None
    if answer.outcome is Outcome.P and is_ordered:
        return listed[0].move
    from position_oracle.engine.games.notation import parse

    canonical = str(answer.position)
    try:
        parse(canonical)
    except (NotationError, InvalidPositionError, UnknownGameError):  # a game of a newer server
        return listed[0].move if listed else None
    lost = frozenset(str(each.move) for each in listed if each.outcome is Outcome.N)
    return (yield from unproved_move(canonical, answer.outcome, lost))


def unproved_move(
    text: str, outcome: Outcome, lost: frozenset[str] = frozenset()
) -> "Choice[Move | None]":
    """The move to make where none is known to win; None where the game is over.

    Where all moves lose, it is one that takes little. Else moves are asked about one by one. One
    that turns out to win is made, else one that is not known to lose. A move that loses by rule is
    made only where all do.

    Args:
        text: a position.
        outcome: its outcome, as far as it is known.
        lost: texts of moves that are known to lose.
    """
    from position_oracle.engine.games.notation import parse

    position = parse(text)
    if winner(position) is not None:
        return None
    move = yield from _unproved(position, outcome, lost)
    return with_action(position, move)


def _unproved(position: "Position", outcome: Outcome, lost: frozenset[str]) -> "Choice[Move]":
    if outcome is Outcome.P:
        return small_move(position)

    def may_win(move: "Move") -> bool:
        return str(move) not in lost and goes_on(move)

    tried = some_moves(position, MAX_TRIED)
    candidates = [move for move in tried if may_win(move)]
    is_won = outcome is Outcome.N
    found: list[Move] = []
    for move in candidates if is_won else least_first(candidates):
        after = (yield Ask("outcome", str(move.child))).outcome
        if after is Outcome.P:
            return move
        if after is Outcome.UNKNOWN:
            found.append(move)
            if not is_won:  # perhaps no move wins, so that more questions would be in vain
                break
    if not found:
        found = _first(position, lambda move: move not in tried and may_win(move))
    return least_first(found)[0] if found else small_move(position)


def some_moves(position: "Position", most: int) -> tuple[Move, ...]:
    """Up to so many legal moves: all of them where they are few, else those that stand out."""
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
    seen: set[said.Action] = set()
    for action in watched(islice(notable, MAX_LISTED)):
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
    """By how much they take; passes last, and of equal moves those first that come last."""
    last_first = list(reversed(moves))
    return sorted(last_first, key=lambda move: (move.is_pass, -_left(move)))


def _left(move: "Move") -> int:
    return rules_of(move.child.game.family).amount(move.child)
