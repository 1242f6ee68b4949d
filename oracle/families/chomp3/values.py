"""Grundy values and remoteness of three-row Chomp: stored, else computed on demand."""

from typing import TYPE_CHECKING, Final

from position_oracle.engine.budget import Cost, Plan
from position_oracle.engine.games.chomp3 import RULES
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import Coordinates
from position_oracle.engine.solvers.ranked import MAX_PLAIN
from position_oracle.engine.theory.bounds import estimate_ideals
from position_oracle.oracle.answers import Certainty
from position_oracle.oracle.families.resources import Resources
from position_oracle.oracle.families.sources import LOOK_UP, Source
from position_oracle.oracle.families.stored_values import stored_values
from position_oracle.oracle.families.values import Value, Values
from position_oracle.schema.answerer import ValueKind

if TYPE_CHECKING:
    from position_oracle.engine.solvers.tables import Table

SMALL: Final = 9
"""First row of the boards that share one table, which takes 2 ms, once."""

SIZES: Final = (60, 200, 400)
"""Longest first rows of tables that are computed on demand: 0.25 s for the largest."""


_SOLVING: Final = {60: Cost(0.03, 1 << 20), 200: Cost(0.15, 16 << 20), 400: Cost(0.6, 64 << 20)}
"""Costs of computing these tables."""

_STEP_SECONDS: Final = 4e-7
"""Seconds for each pair of a board inside a small board and a cookie."""


class ThreeRowValues(Source):
    """Source of values for the plain game without passes, up to the stored first row, or 400."""

    def __init__(self, resources: Resources) -> None:
        self._cache = resources.cache
        self._stored = {each.kind: each for each in stored_values(resources, "chomp3")}

    def plan_values(self, kind: ValueKind, position: Position) -> Plan[Values | None] | None:
        """Plan values of a position [x, y, z] and of all positions that play reaches."""
        game, coordinates = position.game, position.coordinates
        if game.passes or not game.is_plain:
            return None
        first_row = sum(coordinates)
        stored = self._stored.get(kind)
        if stored is not None and first_row <= stored.layout.sides[0]:
            values = Values(stored.at, Certainty.EXACT_TABLE, stored.reason)
            return Plan(LOOK_UP, lambda: values)
        size = next((size for size in SIZES if first_row <= size), None)
        if size is None:
            return None
        cost, outer = _table_for(kind, RULES.rows(coordinates), size)
        reason = f"solved with all positions inside {list(coordinates)}"

        def run() -> Values:
            return Values(self._solved(kind, outer), Certainty.EXACT_SEARCH, reason)

        return Plan(cost, run)

    def _solved(self, kind: ValueKind, outer: Coordinates) -> Value:
        """Return look-ups in a table of all boards inside one; cached, also for smaller boards."""

        def make() -> "Table":
            from position_oracle.engine.solvers import tables, three_row_values
            from position_oracle.engine.solvers.ranked import Ranked
            from position_oracle.engine.solvers.shape import under

            game = Ranked(under(outer))
            if game.is_plain:
                return tables.solve(game, kind)
            return three_row_values.solve(kind, outer[0])

        def is_larger(other: Coordinates) -> bool:
            return len(other) >= len(outer) and all(map(int.__le__, outer, other))

        serves = None if outer[0] <= SMALL else is_larger  # a look-up waits for no larger table
        table = self._cache.find(f"chomp3 {kind}", outer, make, _bytes_of, serves)

        def value(position: Position) -> int | None:
            board = RULES.rows(position.coordinates)
            return table.of_board(board) if board else None

        return value


def _table_for(kind: ValueKind, board: Coordinates, size: int) -> tuple[Cost, Coordinates]:
    """Return the cost of the table that has a board, and the largest board of the table."""
    if sum(board[:1]) <= SMALL:
        return LOOK_UP, (SMALL,) * 3
    work = estimate_ideals(board) * sum(board)
    if work > MAX_PLAIN:
        return _SOLVING[size].once("three rows", kind, size), (size,) * 3
    return Cost(1e-3 + _STEP_SECONDS * work, 1 << 20), board


def _bytes_of(table: "Table") -> int:
    return table.values.nbytes
