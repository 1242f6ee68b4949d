"""Everything about one position at once: what it is worth, and what every move is worth."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice
from typing import Final

from engine.games.notation import format_move, format_position
from engine.games.position import Move, Outcome, Position
from engine.games.registry import rules_of
from engine.games.sum import SumPosition, moved_component
from engine.theory.move_order import MoveFacts, best_first
from oracle.answers import Answer
from oracle.probers.transfinite_answers import TransfiniteAnswer
from oracle.probers.values import PositionValues, Values

MAX_MOVES: Final = 10_000
"""Most moves that are listed; of a position with more, only the winning ones are."""

MAX_CHARACTERS: Final = 4_000_000
"""The same for the moves of large positions, by the length of their texts together."""


@dataclass(frozen=True, slots=True)
class AnalyzedMove:
    """A legal move and what it leads to.

    Attributes:
        move: the move.
        outcome: outcome of the position after it: a move wins if that is P.
        values: numbers of the position after it.
        component: in a sum, the component moved in, from 0; None elsewhere.
    """

    move: Move
    outcome: Outcome
    values: PositionValues
    component: int | None = None

    def as_json(self) -> dict[str, object]:
        """Stable keys for programs; what is not known is None."""
        record: dict[str, object] = {
            "move": format_move(self.move),
            "outcome": self.outcome.name if self.outcome else None,
            "grundy": self.values.grundy,
            "grundy_unrestricted": self.values.grundy_unrestricted,
            "remoteness": self.values.remoteness,
        }
        return record if self.component is None else {**record, "component": self.component}


@dataclass(frozen=True, slots=True)
class Analysis:
    """One position and its moves.

    Attributes:
        answer: outcome, how it is known, and the winning moves.
        values: numbers of the position.
        moves: every legal move, best first (`engine.theory.move_order`); None where they were not
            asked for.
        complete: whether `moves` are all of them; a position with more than `MAX_MOVES` lists only
            the winning ones (large positions with fewer, see `MAX_CHARACTERS`), and one of
            transfinite Chomp those known to win.
    """

    answer: Answer
    values: PositionValues
    moves: tuple[AnalyzedMove, ...] | None = None
    complete: bool = False

    def as_json(self, most_moves: int | None = None) -> dict[str, object]:
        """Stable keys for programs: those of the answer, the numbers, and moves if asked for.

        Args:
            most_moves: write the best moves, up to this many; None leaves the key `moves` out.
        """
        record = self.answer.as_json()
        if not isinstance(self.answer, TransfiniteAnswer):  # which has ordinals as values
            record |= {
                "grundy": self.values.grundy,
                "grundy_unrestricted": self.values.grundy_unrestricted,
                "remoteness": self.values.remoteness,
            }
        if most_moves is not None:
            record["moves"] = [move.as_json() for move in (self.moves or ())[:most_moves]]
        return record


def analyze(answer: Answer, values: Values, *, with_moves: bool) -> Analysis:
    """What there is to know about the position of an answer.

    Args:
        answer: the answer to the question for its winning moves.
        values: where numbers are looked up.
        with_moves: whether to list the moves.
    """
    if isinstance(answer, TransfiniteAnswer):
        return _known_wins(answer, with_moves=with_moves)
    position = answer.position
    table = values.around(position)
    if not with_moves:
        return Analysis(answer, table.at(position))
    rules = rules_of(position.game.family)
    most = min(MAX_MOVES, MAX_CHARACTERS // len(format_position(position)))
    moves = list(islice(rules.moves(position), most + 1))
    complete = len(moves) <= most
    if not complete:
        moves = list(answer.winning_moves or ())
    winning = None if answer.winning_moves is None else {m.child for m in answer.winning_moves}

    def analyzed(move: Move) -> AnalyzedMove:
        child = move.child
        numbers = table.at(child)
        found = _outcome(child, numbers, winning)
        component = None
        if isinstance(position, SumPosition) and isinstance(child, SumPosition):
            component = moved_component(position, child)
        return AnalyzedMove(move, found, numbers, component)

    def facts(each: AnalyzedMove) -> MoveFacts:
        wins = None if each.outcome is Outcome.UNKNOWN else each.outcome is Outcome.P
        return MoveFacts(
            wins=wins,
            remoteness=None if wins is None else each.values.remoteness,
            ends_game=wins is not None and rules.ends_at(each.move.child),
        )

    ordered = best_first([analyzed(move) for move in moves], facts)
    return Analysis(answer, table.at(position), tuple(ordered), complete)


def _known_wins(answer: TransfiniteAnswer, *, with_moves: bool) -> Analysis:
    """An analysis that lists the known winning moves: all moves may be infinitely many."""
    moves = None
    if with_moves:
        of_p = PositionValues(grundy=0, grundy_unrestricted=1)
        moves = tuple(AnalyzedMove(move, Outcome.P, of_p) for move in answer.winning_moves or ())
    return Analysis(answer, PositionValues(), moves)


def _outcome(
    child: Position, numbers: PositionValues, winning: AbstractSet[Position] | None
) -> Outcome:
    """Where a move leads: where all winning moves are known, the others lead to N-positions."""
    if winning is not None:
        return Outcome.P if child in winning else Outcome.N
    if numbers.grundy is not None:
        return Outcome.P if numbers.grundy == 0 else Outcome.N
    return Outcome.UNKNOWN
