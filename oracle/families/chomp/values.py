"""Grundy values and remoteness of Chomp: stored tables, else tables computed when asked for."""

from collections.abc import Iterable
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.games import chomp, chomp3, divisors
from engine.games.position import Position
from engine.games.spec import Coordinates, GameSpec
from engine.solvers import boards, grundy3
from engine.solvers.boards.shape import estimate_ideals
from engine.theory import divisors as schuh
from oracle.answers import Certainty
from oracle.probers.values.cache import TableCache
from oracle.probers.values.records import NOTHING, StoredValues, Value, ValueTable

SIZES: Final = (60, 200, 400)
"""Longest first rows of the three-row tables that are computed: 0.25 s for the largest."""

MAX_WORK: Final = 1 << 27
"""Most boards times cookies of a search: 0.2 s, as for all boards inside 11 x 11."""

MAX_AREA: Final = 1 << 16
KEPT: Final = 16
_THREE: Final = 3
_BOARD: Final = GameSpec("chomp")

BoardValues = boards.GrundyTable | boards.RemotenessTable


class ThreeRowValues:
    """Three-row Chomp without passes, up to the stored first row, or 400."""

    def __init__(self, stored: Iterable[StoredValues]) -> None:
        self._stored = {each.kind: each for each in stored}
        self._limits = {kind: each.layout.sides[0] for kind, each in self._stored.items()}
        self._grundy: TableCache[int, grundy3.GrundyTable] = TableCache(1)
        self._remoteness: TableCache[int, grundy3.RemotenessTable] = TableCache(1)

    def around(self, coordinates: Coordinates) -> ValueTable:
        """Look-ups for a position [x, y, z] and all that it can become."""
        first_row = sum(coordinates)
        grundy, certainty, reason = self._grundy_of(first_row)
        return ValueTable(grundy, self._remoteness_of(first_row), certainty, reason)

    def _grundy_of(self, first_row: int) -> tuple[Value | None, Certainty, str]:
        if first_row <= self._limits.get("grundy", -1):
            stored = self._stored["grundy"]
            return partial(_by_rank, stored.values), Certainty.EXACT_TABLE, stored.reason
        size = next((size for size in SIZES if first_row <= size), None)
        if size is None:
            return None, Certainty.UNKNOWN, ""
        table = self._grundy.find(size, lambda: grundy3.solve_grundy(size), size.__le__)
        reason = f"solved with all positions of three rows, x + y + z <= {table.limit}"
        return lambda p: table.value(*p.coordinates), Certainty.EXACT_SEARCH, reason

    def _remoteness_of(self, first_row: int) -> Value | None:
        if first_row <= self._limits.get("remoteness", -1):
            return partial(_by_rank, self._stored["remoteness"].values)
        size = next((size for size in SIZES if first_row <= size), None)
        if size is None:
            return None
        table = self._remoteness.find(size, lambda: grundy3.solve_remoteness(size), size.__le__)
        return lambda p: table.remoteness(*p.coordinates)


def _by_rank(values: npt.NDArray[np.int32], position: Position) -> int | None:
    x, y, z = position.coordinates
    place = grundy3.rank(x, y, z, grundy3.LIMIT_MAX)
    return int(values[place - 1]) if place else None


class BoardsValues:
    """Chomp boards: thin ones as three-row Chomp, others from stored boxes or a search."""

    def __init__(self, three_row: ThreeRowValues, stored: Iterable[StoredValues]) -> None:
        self._three_row = three_row
        self._stored = {each.kind: (each, _table_of(each)) for each in stored}
        self._grundy: TableCache[Coordinates, BoardValues] = TableCache(KEPT)
        self._remoteness: TableCache[Coordinates, BoardValues] = TableCache(KEPT)

    def around(self, board: Coordinates) -> ValueTable:
        """Look-ups for a board and all that it can become."""
        if not board:
            return NOTHING
        if min(len(board), board[0]) <= _THREE:
            found = self._by_three_rows(board)
            if found.grundy is not None:
                return found
        flat = boards.transpose(board) if len(board) > board[0] else board
        grundy = self._find("grundy", flat, self._grundy)
        certainty, reason = Certainty.UNKNOWN, ""
        if grundy is not None:
            certainty = Certainty.EXACT_SEARCH
            reason = f"solved with all boards inside {grundy.shape.name}"
            stored = self._stored.get("grundy")
            if stored is not None and stored[1] is grundy:
                certainty, reason = Certainty.EXACT_TABLE, stored[0].reason
        remoteness = self._find("remoteness", flat, self._remoteness)
        return ValueTable(_look_up(grundy), _look_up(remoteness), certainty, reason)

    def around_divisors(self, coordinates: Coordinates) -> ValueTable:
        """Look-ups for a game of divisors of at most two primes, which is a board."""
        left = divisors.decode(coordinates)
        if len(left.primes) > 2:
            return NOTHING
        found = self.around(schuh.to_board(left))
        return ValueTable(
            _of_divisors(found.grundy),
            _of_divisors(found.remoteness),
            found.certainty,
            found.reason,
        )

    def _by_three_rows(self, board: Coordinates) -> ValueTable:
        if max(len(board), board[0]) > grundy3.LIMIT_MAX:
            return NOTHING
        found = self._three_row.around(_three_rows(board))
        return ValueTable(
            _of_board(found.grundy), _of_board(found.remoteness), found.certainty, found.reason
        )

    def _find(
        self, kind: str, flat: Coordinates, cache: TableCache[Coordinates, BoardValues]
    ) -> BoardValues | None:
        if kind in self._stored and _holds(self._stored[kind][1].shape.lengths, flat):
            return self._stored[kind][1]
        if len(flat) * flat[0] > MAX_AREA or estimate_ideals(flat) * sum(flat) > MAX_WORK:
            return None

        def make() -> BoardValues:
            solve = boards.solve_grundy if kind == "grundy" else boards.solve_remoteness
            return solve(boards.under(flat), max_work=MAX_WORK)

        return cache.find(flat, make, lambda outer: _holds(outer, flat))


def _table_of(stored: StoredValues) -> BoardValues:
    shape = boards.box(stored.layout.sides[0], stored.layout.sides[-1])
    cookies = sum(shape.lengths)
    wide = np.concatenate(([0], stored.values))
    values = wide.astype(np.uint8) if cookies <= 256 else wide.astype(np.uint16)
    if stored.kind == "grundy":
        return boards.GrundyTable(shape, values)
    return boards.RemotenessTable(shape, values)


def _look_up(table: BoardValues | None) -> Value | None:
    if table is None:
        return None
    if isinstance(table, boards.GrundyTable):
        return lambda position: table.restricted(position.coordinates)
    return lambda position: table.remoteness(position.coordinates)


def _of_board(value: Value | None) -> Value | None:
    """The look-up for boards that one for three rows amounts to."""
    if value is None:
        return None
    return lambda position: value(position.child(_three_rows(position.coordinates)))


def _of_divisors(value: Value | None) -> Value | None:
    """The look-up for games of divisors that one for boards amounts to."""
    if value is None:
        return None

    def look_up(position: Position) -> int | None:
        board = schuh.to_board(divisors.decode(position.coordinates))
        return value(Position(_BOARD, board))

    return look_up


def _three_rows(board: Coordinates) -> Coordinates:
    rows = chomp.transpose(board) if len(board) > _THREE else board
    return chomp3.from_rows(rows + (0,) * (_THREE - len(rows)))


def _holds(outer: Coordinates, board: Coordinates) -> bool:
    """Whether a board fits into an outer one, as it stands or transposed."""
    return _inside(outer, board) or _inside(outer, boards.transpose(board))


def _inside(outer: Coordinates, board: Coordinates) -> bool:
    return len(board) <= len(outer) and all(map(int.__le__, board, outer))
