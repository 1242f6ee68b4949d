"""Grundy values and remoteness of Chomp boards: stored boxes, else searches when asked for."""

from functools import cached_property
from typing import Final

from position_oracle.engine.games import chomp, chomp3
from position_oracle.engine.games.position import Position
from position_oracle.engine.games.spec import Coordinates, GameSpec
from position_oracle.oracle.answers import Certainty, GameInfo
from position_oracle.oracle.families.base import Shelf
from position_oracle.oracle.families.chomp.tables import board_name, flattened, holds
from position_oracle.oracle.families.stored_values import StoredValues, stored_values
from position_oracle.oracle.families.values import NOTHING, Value, ValueTable

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
    def _stored(self) -> dict[str, StoredValues]:
        return {each.kind: each for each in stored_values(self._shelf, "chomp")}

    def games(self) -> tuple[GameInfo, ...]:
        """One entry a stored table."""
        return tuple(each.info for each in self._stored.values())

    def around(self, board: Coordinates) -> ValueTable:
        """Look-ups for a board and all that it can become."""
        if not board:
            return NOTHING
        if min(len(board), board[0]) <= _THREE:
            found = self._by_three_rows(board)
            if found.grundy is not None:
                return found
        flat = flattened(board)
        grundy, remoteness = (self._value(kind, flat) for kind in ("grundy", "remoteness"))
        if grundy is None:
            return ValueTable(None, remoteness)
        if (stored := self._reaching("grundy", flat)) is not None:
            return ValueTable(grundy, remoteness, Certainty.EXACT_TABLE, stored.reason)
        reason = f"solved with all boards inside {board_name(flat)}"
        return ValueTable(grundy, remoteness, Certainty.EXACT_SEARCH, reason)

    def _by_three_rows(self, board: Coordinates) -> ValueTable:
        if max(len(board), board[0]) > _LONGEST:
            return NOTHING
        three = Position(_THREE_ROW, _three_rows(board))
        found = self._shelf.prober("chomp3").values(three)
        return ValueTable(
            _of_board(found.grundy), _of_board(found.remoteness), found.certainty, found.reason
        )

    def _reaching(self, kind: str, flat: Coordinates) -> StoredValues | None:
        stored = self._stored.get(kind)
        return stored if stored is not None and stored.layout.place(flat) >= 0 else None

    def _value(self, kind: str, flat: Coordinates) -> Value | None:
        """Look-ups in a stored table, else in one of the boards inside."""
        if (stored := self._reaching(kind, flat)) is not None:
            return stored.at
        from position_oracle.engine.solvers import tables
        from position_oracle.engine.solvers.ranked import Ranked
        from position_oracle.engine.solvers.shape import under
        from position_oracle.engine.theory.bounds import estimate_ideals

        if len(flat) * flat[0] > MAX_AREA or estimate_ideals(flat) * sum(flat) > MAX_WORK:
            return None
        table = self._shelf.cache.find(
            f"board {kind}",
            flat,
            lambda: tables.solve(Ranked(under(flat)), kind),
            lambda made: made.values.nbytes,
            lambda outer: holds(outer, flat),
        )

        def value(position: Position) -> int | None:
            return table.of_board(position.coordinates) if position.coordinates else None

        return value


def _of_board(value: Value | None) -> Value | None:
    """The look-up for boards that one for three rows amounts to."""
    if value is None:
        return None
    return lambda position: value(position.child(_three_rows(position.coordinates)))


def _three_rows(board: Coordinates) -> Coordinates:
    rows = chomp.transpose(board) if len(board) > _THREE else board
    return chomp3.from_rows(rows + (0,) * (_THREE - len(rows)))
