"""Grundy values and remoteness of Chomp boards: stored boxes, else searches when asked for."""

from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from position_oracle.engine.games import chomp, chomp3
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.oracle.answers import Certainty, GameInfo
from position_oracle.oracle.families.base import Shelf
from position_oracle.oracle.families.chomp.tables import board_name, flattened, holds
from position_oracle.oracle.families.stored_values import StoredValues, stored_values
from position_oracle.oracle.families.values import NOTHING, Value, ValueTable

if TYPE_CHECKING:
    from position_oracle.engine.solvers import boards

    Table = boards.GrundyTable | boards.RemotenessTable

MAX_WORK: Final = 1 << 27
"""Most boards times cookies of a search: 0.2 s, as for all boards inside 11 x 11."""

MAX_AREA: Final = 1 << 16
_THREE: Final = 3
_LONGEST: Final = 21_845
"""Longest row that three-row Chomp numbers."""
_THREE_ROW: Final = GameSpec("chomp3")


class BoardValues:
    """Chomp boards: thin ones as three-row Chomp, others from stored boxes or a search."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    @cached_property
    def _stored(self) -> "dict[str, tuple[StoredValues, Table]]":
        return {each.kind: (each, _table_of(each)) for each in stored_values(self._shelf, "chomp")}

    def games(self) -> tuple[GameInfo, ...]:
        """One entry a stored table."""
        return tuple(each.info for each in stored_values(self._shelf, "chomp"))

    def around(self, board: Coordinates) -> ValueTable:
        """Look-ups for a board and all that it can become."""
        if not board:
            return NOTHING
        if min(len(board), board[0]) <= _THREE:
            found = self._by_three_rows(board)
            if found.grundy is not None:
                return found
        flat = flattened(board)
        grundy = self._find("grundy", flat)
        certainty, reason = Certainty.UNKNOWN, ""
        if grundy is not None:
            certainty = Certainty.EXACT_SEARCH
            reason = f"solved with all boards inside {board_name(flat)}"
            stored = self._stored.get("grundy")
            if stored is not None and stored[1] is grundy:
                certainty, reason = Certainty.EXACT_TABLE, stored[0].reason
        remoteness = self._find("remoteness", flat)
        return ValueTable(_look_up(grundy), _look_up(remoteness), certainty, reason)

    def _by_three_rows(self, board: Coordinates) -> ValueTable:
        if max(len(board), board[0]) > _LONGEST:
            return NOTHING
        three = Position(_THREE_ROW, _three_rows(board))
        found = self._shelf.prober("chomp3").values(three)
        return ValueTable(
            _of_board(found.grundy), _of_board(found.remoteness), found.certainty, found.reason
        )

    def _find(self, kind: str, flat: Coordinates) -> "Table | None":
        if kind in self._stored and holds(self._stored[kind][1].shape.lengths, flat):
            return self._stored[kind][1]
        from position_oracle.engine.solvers import boards
        from position_oracle.engine.theory.bounds import estimate_ideals

        if len(flat) * flat[0] > MAX_AREA or estimate_ideals(flat) * sum(flat) > MAX_WORK:
            return None

        def solve() -> "Table":
            solve_values = boards.solve_grundy if kind == "grundy" else boards.solve_remoteness
            return solve_values(boards.under(flat), max_work=MAX_WORK)

        return self._shelf.cache.find(
            f"board {kind}",
            flat,
            solve,
            lambda table: table.values.nbytes,
            lambda outer: holds(outer, flat),
        )


def _table_of(stored: StoredValues) -> "Table":
    from position_oracle.engine.solvers import boards

    shape = boards.box(stored.layout.sides[0], stored.layout.sides[-1])
    cookies = sum(shape.lengths)
    wide = np.concatenate(([0], stored.table.arrays["values"]))
    values = wide.astype(np.uint8) if cookies <= 256 else wide.astype(np.uint16)
    if stored.kind == "grundy":
        return boards.GrundyTable(shape, values)
    return boards.RemotenessTable(shape, values)


def _look_up(table: "Table | None") -> Value | None:
    if table is None:
        return None
    from position_oracle.engine.solvers import boards

    if isinstance(table, boards.GrundyTable):
        return lambda position: table.restricted(position.coordinates)
    return lambda position: table.remoteness(position.coordinates)


def _of_board(value: Value | None) -> Value | None:
    """The look-up for boards that one for three rows amounts to."""
    if value is None:
        return None
    return lambda position: value(position.child(_three_rows(position.coordinates)))


def _three_rows(board: Coordinates) -> Coordinates:
    rows = chomp.transpose(board) if len(board) > _THREE else board
    return chomp3.from_rows(rows + (0,) * (_THREE - len(rows)))
