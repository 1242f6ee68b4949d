"""Grundy values and remoteness of Chomp boards: stored boxes, else searches on demand."""

from functools import cached_property
from math import inf
from typing import Final

from position_oracle.engine.budget import Cost, Plan
from position_oracle.engine.games import chomp, chomp3
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.oracle.answers import Certainty
from position_oracle.oracle.families.chomp.tables import board_name, flattened, holds
from position_oracle.oracle.families.resources import Resources
from position_oracle.oracle.families.sources import LOOK_UP, Source
from position_oracle.oracle.families.stored_values import StoredValues, stored_values
from position_oracle.oracle.families.values import Values
from position_oracle.schema.answerer import ValueKind

MAX_WORK: Final = 1 << 27
"""Maximum of boards times cookies of a search: 0.2 s, as for all boards inside 11 x 11."""

MAX_AREA: Final = 1 << 16
_THREE: Final = 3
_LONGEST: Final = 21_845
"""Longest row in the numbering of three-row Chomp."""
_THREE_ROW: Final = GameSpec("chomp3")


class BoardValues(Source):
    """Source of values of Chomp boards: three-row Chomp for thin ones, else stored or searched."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources

    @cached_property
    def _stored(self) -> dict[str, StoredValues]:
        return {each.kind: each for each in stored_values(self._resources, "chomp")}

    @cached_property
    def _three_rows(self) -> Source:
        from position_oracle.oracle.families.chomp3.values import ThreeRowValues

        return ThreeRowValues(self._resources)

    def plan_values(self, kind: ValueKind, position: Position) -> Plan[Values | None] | None:
        """Plan values of a board and of all boards inside, in plain Chomp."""
        board = position.coordinates
        if not board:
            return None
        if min(len(board), board[0]) <= _THREE and max(len(board), board[0]) <= _LONGEST:
            three = self._plan_three_rows(kind, board)
            if three is not None:
                return three
        flat = flattened(board)
        stored = self._stored.get(kind)
        if stored is not None and stored.layout.place(flat) >= 0:
            found = Values(stored.at, Certainty.EXACT_TABLE, stored.reason)
            return Plan(LOOK_UP, lambda: found)
        return self._plan_search(kind, flat)

    def _plan_three_rows(self, kind: ValueKind, board: Coordinates) -> Plan[Values | None] | None:
        outer = chomp.transpose(board) if len(board) > _THREE else board
        plan = self._three_rows.plan_values(kind, Position(_THREE_ROW, _three_rows(outer)))
        if plan is None:
            return None

        def run() -> Values | None:
            found = plan.run()
            return None if found is None else _of_board(found, outer)

        return Plan(plan.cost, run)

    def _plan_search(self, kind: ValueKind, flat: Coordinates) -> Plan[Values | None] | None:
        from position_oracle.engine.theory.bounds import estimate_ideals

        work = estimate_ideals(flat) * sum(flat) if len(flat) * flat[0] <= MAX_AREA else inf
        if work > MAX_WORK:
            return None

        def run() -> Values:
            from position_oracle.engine.solvers import tables
            from position_oracle.engine.solvers.ranked import Ranked
            from position_oracle.engine.solvers.shape import under

            table = self._resources.cache.find(
                f"board {kind}",
                flat,
                lambda: tables.solve(Ranked(under(flat)), kind),
                lambda made: made.values.nbytes,
                lambda outer: holds(outer, flat),
            )

            def value(position: Position) -> int | None:
                return table.of_board(position.coordinates) if position.coordinates else None

            reason = f"solved with all boards inside {board_name(flat)}"
            return Values(value, Certainty.EXACT_SEARCH, reason)

        seconds = 1e-3 + min(0.01, 4e-7 * work) + 0.35 * work / MAX_WORK
        return Plan(Cost(seconds, 64 << 20), run)


def _of_board(values: Values, outer: Coordinates) -> Values:
    """Convert a look-up for three rows to one for boards, perhaps transposed."""

    def look_up(position: Position) -> int | None:
        board = position.coordinates
        fits = len(board) <= len(outer) and all(map(int.__le__, board, outer))
        return values.at(position.child(_three_rows(board if fits else chomp.transpose(board))))

    return Values(look_up, values.certainty, values.reason)


def _three_rows(board: Coordinates) -> Coordinates:
    return chomp3.from_rows(board + (0,) * (_THREE - len(board)))
