"""Outcomes by the definition, from the legal moves of `engine.games` alone.

A position is P if no move leads to a P-position, else N; the empty Chomp board and declared
positions are N without a move. Memoised, iterative, slow.
"""

from position_oracle.engine.games.moves import moves, winner
from position_oracle.engine.games.position import Move, Outcome, Position


class GameTree:
    """Outcomes and winning moves of small positions."""

    def __init__(self) -> None:
        self._outcomes: dict[Position, Outcome] = {}

    def outcome(self, position: Position) -> Outcome:
        """The outcome by exhaustive search, with an explicit stack, so that depth has no limit."""
        stack = [position]
        while stack:
            top = stack[-1]
            children = [move.child for move in self._moves(top)]
            missing = [child for child in children if child not in self._outcomes]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            self._outcomes[top] = self._decide(top, children)
        return self._outcomes[position]

    def winning_moves(self, position: Position) -> list[Move]:
        """The moves to P-positions, in the order of the rules."""
        self.outcome(position)
        return [m for m in self._moves(position) if self._outcomes[m.child] is Outcome.P]

    def _moves(self, position: Position) -> list[Move]:
        return list(moves(position))

    def _decide(self, position: Position, children: list[Position]) -> Outcome:
        if not children:
            return winner(position) or Outcome.P
        reached = any(self._outcomes[child] is Outcome.P for child in children)
        return Outcome.N if reached else Outcome.P
