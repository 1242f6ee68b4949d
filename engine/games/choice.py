"""Which move to make: the rule of `best_move`, and moves that stand out among many.

The rule asks questions and is told their answers. It is therefore a generator, which an oracle in
this process drives with `finish`, and a client with its requests.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Move
from position_oracle.engine.games.registry import rules_of
from position_oracle.engine.games.rules import MAX_LISTED
from position_oracle.schema.answers import Outcome
from position_oracle.schema.errors import (
    InvalidPositionError,
    NotationError,
    UnknownGameError,
)

if TYPE_CHECKING:
    from position_oracle.engine.games.position import Position
    from position_oracle.engine.games.rules import Rules
    from position_oracle.schema import moves
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


def best_move(text: str) -> "Choice[moves.Move[Any] | None]":
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
    position = parse(text)
    rules = rules_of(position.game.family)
    if rules.winner(position) is not None:
        return None
    move = yield from _unproved(rules, position, outcome, lost)
    return Move(move.child, move.is_pass, move.action or rules.action(position, move))


def _unproved(
    rules: "Rules", position: "Position", outcome: Outcome, lost: frozenset[str]
) -> "Choice[Move]":
    if outcome is Outcome.P:
        return small_move(rules, position)

    def may_win(move: "Move") -> bool:
        return str(move) not in lost and rules.winner(move.child) is not Outcome.N

    tried = some_moves(rules, position, MAX_TRIED)
    candidates = [move for move in tried if may_win(move)]
    is_won = outcome is Outcome.N
    found: list[Move] = []
    for move in candidates if is_won else _least_first(rules, candidates):
        after = (yield Ask("outcome", str(move.child))).outcome
        if after is Outcome.P:
            return move
        if after is Outcome.UNKNOWN:
            found.append(move)
            if not is_won:  # perhaps no move wins, so that more questions would be in vain
                break
    if not found and rules.has_finite_moves(position):
        others = islice(rules.moves(position), MAX_LISTED)
        found = list(islice((move for move in others if move not in tried and may_win(move)), 1))
    return _least_first(rules, found)[0] if found else small_move(rules, position)


def some_moves(rules: "Rules", position: "Position", most: int) -> tuple[Move, ...]:
    """Up to so many legal moves: all of them where they are few, else those that stand out."""
    if rules.has_finite_moves(position):
        moves = tuple(islice(rules.moves(position), most + 1))
        if len(moves) <= most:
            return moves
    return tuple(islice(rules.notable_moves(position), most))


def small_move(rules: "Rules", position: "Position") -> "Move":
    """The move that takes the least, and does not lose at once where another does not."""
    return _least_first(rules, _not_lost_at_once(rules, position))[0]


def greedy_move(rules: "Rules", position: "Position") -> "Move":
    """The move that takes the most, and does not lose at once where another does not."""
    moves = _not_lost_at_once(rules, position)
    regular = [move for move in moves if not move.is_pass] or moves
    return min(regular, key=lambda move: rules.amount(move.child))


def _not_lost_at_once(rules: "Rules", position: "Position") -> "list[Move]":
    """Moves that stand out and do not lose by rule; else any such move; else all that stand out."""

    def goes_on(move: "Move") -> bool:
        return rules.winner(move.child) is not Outcome.N

    moves = list(rules.notable_moves(position))
    kept = list(filter(goes_on, moves))
    if not kept and rules.has_finite_moves(position):
        kept = list(islice(filter(goes_on, islice(rules.moves(position), MAX_LISTED)), 1))
    return kept or moves


def _least_first(rules: "Rules", moves: "Sequence[Move]") -> "list[Move]":
    """By how much they take; passes last, and of equal moves those first that come last."""
    last_first = list(reversed(moves))
    return sorted(last_first, key=lambda move: (move.is_pass, -rules.amount(move.child)))
