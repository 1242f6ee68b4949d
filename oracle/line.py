"""Best lines: both players play by remoteness, and the winner hurries."""

from typing import TYPE_CHECKING, Final

from position_oracle.engine.budget import Cost, Plan, largest, watched
from position_oracle.engine.games.moves import is_over, move_by, options, with_action
from position_oracle.engine.games.position import Move, Outcome, Position
from position_oracle.oracle.answers import AnalyzedMove, Answer, PositionValues
from position_oracle.oracle.families.base import Prober
from position_oracle.oracle.families.graph_costs import graph_size
from position_oracle.oracle.families.sources import KINDS, LOOK_UP, count_moves, weight
from position_oracle.oracle.families.values import ValueTable
from position_oracle.schema.errors import InvalidPositionError
from position_oracle.schema.lines import DEFAULT_PLIES, MAX_PLIES

if TYPE_CHECKING:
    from typing import TypeAlias

    from position_oracle.schema import lines

    BestLine: TypeAlias = lines.BestLine[Position]
else:
    from position_oracle.schema.lines import BestLine

_OTHER: Final = {Outcome.P: Outcome.N, Outcome.N: Outcome.P}

MAX_LOOKED: Final = 200_000
"""Maximum number of moves that are visited for one line: about a second of work."""


_LOOK_SECONDS: Final = 6e-6
_PLY_SECONDS: Final = 1e-4


def plan_best_line(
    prober: Prober, position: Position, plies: int = DEFAULT_PLIES
) -> Plan[BestLine]:
    """Plan the line of play in which the winner hurries and the loser delays.

    The moves are those that an analysis lists first, as long as remoteness is known. Where it is
    not, the line has at most one move: one that is known to win.

    Args:
        prober: the prober of the position's family.
        position: a legal position.
        plies: the maximum number of moves of the line.

    Raises:
        InvalidPositionError: `plies` is not from 1 to `MAX_PLIES`.
    """
    if not 1 <= plies <= MAX_PLIES:
        raise InvalidPositionError(f"plies = {plies}; allowed are 1 to {MAX_PLIES}")
    answer = prober.plan(position, with_moves=True)
    values = [prober.plan_values(kind, position) for kind in KINDS]
    looking = _cost_of_looking(position, plies) if values[-1].cost.seconds else LOOK_UP
    # Most of them share one graph.
    cost = looking + largest(answer.cost, *(plan.cost for plan in values))

    def run() -> BestLine:
        table = ValueTable(*(plan.run() for plan in values))
        return _best_line(prober, answer.run(), table, plies)

    return Plan(cost, run)


def _cost_of_looking(position: Position, plies: int) -> Cost:
    """Return the cost of visiting the moves of each ply: at most all moves of one graph."""
    looked = min(MAX_LOOKED, plies * count_moves(position, MAX_LOOKED))
    if (size := graph_size(position)) is not None:
        looked, plies = min(looked, size.moves), min(plies, size.positions)
    return Cost(weight(position) * (_LOOK_SECONDS * looked + _PLY_SECONDS * plies), 1 << 22)


def _best_line(prober: Prober, answer: Answer, values: ValueTable, plies: int) -> BestLine:
    position = answer.position
    line = _Line(prober, position, answer.outcome, values)
    remoteness = values.at(position).remoteness
    if remoteness is None and is_over(position):
        return BestLine(answer, None, (), complete=True, reason="the game is over")
    if remoteness is None:
        reason = line.take_winning(answer.winning_moves or ())
        return BestLine(answer, None, tuple(line.plies), line.is_over, reason)
    reason = line.follow(remoteness, plies)
    complete = len(line.plies) == remoteness
    return BestLine(answer, remoteness, tuple(line.plies), complete, reason)


class _Line:
    """A line that grows move by move."""

    def __init__(
        self, prober: Prober, position: Position, outcome: Outcome, values: ValueTable
    ) -> None:
        self.plies: list[AnalyzedMove] = []
        self._prober = prober
        self._position = position
        self._outcome = outcome
        self._values = values
        self._looked = 0

    def follow(self, remoteness: int, most: int) -> str:
        """Add moves up to the requested number or the end; return the reason."""
        for left in range(remoteness, max(remoteness - most, 0), -1):
            move = self._next(left) or self._next_from_here(left)
            if move is None:
                return self._ends_early()
            self._add(move, left - 1)
        if len(self.plies) < remoteness:
            return f"the first {most} plies of {remoteness}; ask again from the last position"
        return "remoteness falls by one with each ply, and no move does better"

    def take_winning(self, moves: tuple[Move, ...]) -> str:
        """Add a winning move, preferably one that ends the game; return the reason."""
        ends = (move for move in moves if is_over(move.child))
        best = next(ends, moves[0] if moves else None)
        if best is None:
            return "the remoteness of this position is not known, and no move that wins"
        self._add(best, None)
        if self.is_over:
            return "the move ends the game"
        return "the move wins; how long the game lasts is not known, as remoteness is not"

    @property
    def is_over(self) -> bool:
        """Whether the line has led to the end of the game."""
        return bool(self.plies) and is_over(self._position)

    def _next_from_here(self, left: int) -> Move | None:
        """Return the best move if the values of the first position do not reach so far."""
        self._values = self._prober.values(self._position)
        return self._next(left)

    def _next(self, left: int) -> Move | None:
        """Return the best move at this remoteness: the first move that reduces it by one."""
        if self._values.remoteness is None:
            return None
        look_up = self._values.remoteness.at
        for called, child in watched(options(self._position)):
            self._looked += 1
            if self._looked > MAX_LOOKED:
                return None
            if look_up(child) == left - 1 and self._turns(child):
                return move_by(self._position, called, child)
        return None

    def _turns(self, child: Position) -> bool:
        """Return whether exactly one of a child and its parent is won for the player to move."""
        if not child.game.is_variant:
            return True  # one ply less suffices: its parity determines the winner
        found = self._prober.answer(child, with_moves=False).outcome
        return found is _OTHER.get(self._outcome)

    def _add(self, move: Move, remoteness: int | None) -> None:
        before, after = self._position, move.child
        numbers = self._values.at(after)
        self._outcome = _OTHER.get(self._outcome, Outcome.UNKNOWN)
        values = PositionValues(numbers.grundy, numbers.grundy_unrestricted, remoteness)
        made = with_action(before, move)
        component = None if made.action is None else made.action.component
        self.plies.append(AnalyzedMove(made, self._outcome, values, component))
        self._position = after

    def _ends_early(self) -> str:
        if self._looked > MAX_LOOKED:
            return f"{MAX_LOOKED:,} moves were looked at; ask again from the last position"
        return "the remoteness of the next positions is not known"
