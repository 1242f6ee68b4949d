"""Source for positions with an even number of passes, from positions without passes."""

from dataclasses import replace
from typing import TYPE_CHECKING

from position_oracle.engine.budget import Plan, largest
from position_oracle.engine.games.moves import is_over
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.oracle.answers import Answer, Certainty
from position_oracle.oracle.families.sources import (
    NOT_ALL,
    Source,
    first_found,
)
from position_oracle.oracle.families.values import Values
from position_oracle.schema.answerer import ValueKind

if TYPE_CHECKING:
    from position_oracle.oracle.families.base import Prober


class EvenPasses(Source):
    """Source for an even number of passes: docs/nim-passes.md, theorem 1.

    Two more passes change no outcome in any game in which the end allows no pass. The outcome with
    an odd number of passes shows whether the pass wins, too.
    """

    def __init__(self, prober: "Prober") -> None:
        self._prober = prober

    def plan(self, position: Position, *, with_moves: bool) -> Plan[Answer] | None:
        """Plan the position without passes, and for winning moves the one with a pass fewer."""
        game, rules = position.game, self._prober.rules
        if not game.passes or game.passes % 2:
            return None
        plain = self._prober.plan(
            Position(game.with_passes(0), position.value), with_moves=with_moves
        )
        passed = None
        if with_moves and not is_over(position):
            passed = self._prober.plan(position.passed(), with_moves=False)

        def run() -> Answer:
            found = plain.run()
            answer = _without_moves(position, found)
            moves, reason = found.winning_moves, answer.reason
            if answer.outcome and moves is not None:
                children = (rules.position(game, move.child.coordinates) for move in moves)
                regular = tuple(map(Move, dict.fromkeys(children)))
                by_pass = Outcome.N
                if passed is not None and found.outcome is Outcome.N:
                    by_pass = passed.run().outcome
                if by_pass is Outcome.P:
                    regular = (*regular, Move(position.passed(), is_pass=True))
                elif by_pass is Outcome.UNKNOWN:
                    reason += f"; {NOT_ALL}"
                moves = regular if regular or by_pass else None
            return replace(answer, reason=reason, winning_moves=moves)

        cost = plain.cost if passed is None else largest(plain.cost, passed.cost)
        return Plan(cost, run, is_sure=plain.is_sure and (passed is None or passed.is_sure))

    def plan_look_up(self, position: Position) -> Plan[Answer] | None:
        """Plan to look up the same position without passes."""
        game = position.game
        if not game.passes or game.passes % 2:
            return None
        plain = self._prober.plan_look_up(Position(game.with_passes(0), position.value))
        return Plan(plain.cost, lambda: _without_moves(position, plain.run()), plain.is_sure)

    def plan_values(self, kind: ValueKind, position: Position) -> Plan[Values | None] | None:
        """Plan the Grundy value without passes (theorem 2), if the graph does not give it.

        Values after a pass are left out, because no theorem gives values for an odd number of
        passes.
        """
        game = position.game
        is_plain = not game.misere and not game.is_variant
        if kind != "grundy" or not is_plain or not game.passes or game.passes % 2:
            return None
        plain = self._prober.plan_values(kind, Position(game.with_passes(0), position.value))

        def run() -> Values | None:
            found = plain.run()
            if found is None:
                return None

            def grundy(of: Position) -> int | None:
                if of.game.passes % 2:
                    return None
                return found.at(Position(of.game.with_passes(0), of.value))

            reason = f"{found.reason}; an even number of passes changes no Grundy value"
            return Values(grundy, found.certainty, reason)

        by_graph = self._prober.graph.plan_values(kind, position)
        return first_found((by_graph, Plan(plain.cost, run, is_sure=plain.is_sure)))


def _without_moves(position: Position, plain: Answer) -> Answer:
    """Return the answer about a position from that without passes."""
    if not plain.outcome:
        return Answer(position, Outcome.UNKNOWN, Certainty.UNKNOWN, plain.reason)
    reason = f"{plain.reason}; an even number of passes changes no outcome"
    return Answer(position, plain.outcome, plain.certainty, reason)
