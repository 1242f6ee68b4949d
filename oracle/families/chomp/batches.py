"""Many Chomp boards at once: the sources of `BoardProber` one after the other, on arrays."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from position_oracle.engine.budget import Cost, current
from position_oracle.engine.games.position import Outcome, Position
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.families.base import (
    NO_MOVE,
    Coordinates,
    Moves,
    Outcomes,
    Prober,
    packed,
)
from position_oracle.oracle.families.chomp.tables import (
    MAX_SEARCH,
    SEARCH_SECONDS,
    BoardSearches,
    BoardTable,
    search_count,
)
from position_oracle.schema.errors import InvalidPositionError

_THREE_ROW: Final = GameSpec("chomp3")

Boards = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Lines = npt.NDArray[np.intp]


class BoardBatch:
    """The boards of one batch, with what has been found out about them so far.

    Attributes:
        outcomes: uint8 (n,) of `Outcome` values.
    """

    def __init__(
        self,
        coordinates: Coordinates,
        tables: Sequence[BoardTable],
        three_row: Prober,
        thin_limit: int,
        searches: BoardSearches,
    ) -> None:
        """Answer all outcomes.

        Args:
            coordinates: integers (n, width), row lengths with zeros for empty rows.
            tables: stored tables, in the order in which they are asked.
            three_row: answers boards of three rows or columns.
            thin_limit: largest x of its stored table, -1 if there is none.
            searches: solves what is small.

        Raises:
            InvalidPositionError: a row is no board; the message names the row.
        """
        boards = checked(coordinates)
        self._width = boards.shape[1]
        self._boards = np.pad(boards, ((0, 0), (0, max(3 - self._width, 0))))
        self._three_row = three_row
        self._heights = np.count_nonzero(self._boards, axis=1)
        self._tabled: list[tuple[BoardTable, Lines]] = []
        self._thin: list[Lines] = []
        self.outcomes: Outcomes = np.zeros(len(self._boards), np.uint8)
        self._bites = np.zeros((len(self._boards), 2), np.int64)
        self._by_closed_forms()
        for table in tables:
            self._by_table(table, self._open())
        self._by_three_rows(self._open(), thin_limit)
        self._by_searches(searches)
        self._by_three_rows(self._open(), int(np.iinfo(np.int64).max))
        self._by_strategy_stealing(self._open())

    def moves(self) -> Moves:
        """The first winning child of each board, int32 (n, width), or `NO_MOVE`."""
        for table, lines in self._tabled:
            part = self._boards[lines], self.outcomes[lines]
            self._bites[lines] = table.table.first_winning_bites(*part)
        for lines in self._thin:
            self._bite_thin(lines)
        row, column = self._bites[:, :1], self._bites[:, 1:]
        bitten = np.arange(1, self._boards.shape[1] + 1) >= row
        children = np.where(bitten, np.minimum(self._boards, column - 1), self._boards)
        return np.where(row > 0, children, NO_MOVE).astype(np.int32)[:, : self._width]

    def _open(self) -> Lines:
        return np.flatnonzero(self.outcomes == Outcome.UNKNOWN)

    def _by_closed_forms(self) -> None:
        """See `engine.theory.boards.closed_form`."""
        first = self._boards[:, 0]
        second = self._boards[:, 1]
        pairs = np.count_nonzero(self._boards == 2, axis=1)
        hook = second <= 1
        self._decide_hooks(hook, first)
        two_rows = ~hook & (self._heights == 2)
        self._decide_two_rows(two_rows, first, second, 0)
        self._decide_two_rows(~hook & ~two_rows & (first == 2), self._heights, pairs, 1)

    def _decide_hooks(self, where: Mask, width: Boards) -> None:
        height = self._heights
        is_p = (width == height) & (width > 0)
        self.outcomes[where] = np.where(is_p, Outcome.P, Outcome.N)[where]
        wide = where & (width > height)
        tall = where & (width < height)
        self._bites[wide] = np.stack((np.ones_like(width), height + 1), axis=1)[wide]
        self._bites[tall] = np.stack((width + 1, np.ones_like(width)), axis=1)[tall]

    def _decide_two_rows(self, where: Mask, first: Boards, second: Boards, turned: int) -> None:
        self.outcomes[where] = np.where(first == second + 1, Outcome.P, Outcome.N)[where]
        equal = where & (first == second)
        longer = where & (first > second + 1)
        for chosen, row, column in ((equal, 2, second), (longer, 1, second + 2)):
            self._bites[chosen, turned] = row
            self._bites[chosen, 1 - turned] = column[chosen]

    def _by_table(self, table: BoardTable, lines: Lines) -> None:
        if not len(lines):
            return
        found = table.table.outcomes(self._boards[lines])
        self.outcomes[lines] = found
        self._tabled.append((table, lines[found != Outcome.UNKNOWN]))

    def _by_searches(self, searches: BoardSearches) -> None:
        """All boards that are searched when asked for singly; most of them in common."""
        outers = searches.outer_boards(self._boards[self._open()])
        seconds = SEARCH_SECONDS * sum(map(search_count, outers)) / MAX_SEARCH
        current().admit(Cost(seconds, MAX_SEARCH), f"{len(outers)} searches of boards")
        for outer in outers:
            table = searches.find(outer)
            if table is not None:
                self._by_table(table, self._open())

    def _by_three_rows(self, lines: Lines, limit: int) -> None:
        lines = lines[(self._heights[lines] <= 3) | (self._boards[lines, 0] <= 3)]
        coordinates = self._zeilberger(lines)
        covered = coordinates[:, 0] <= limit
        lines, coordinates = lines[covered], coordinates[covered]
        if len(lines):
            found = self._three_row.outcomes(_THREE_ROW, coordinates)
            self.outcomes[lines] = found
            self._thin.append(lines[found != Outcome.UNKNOWN])

    def _bite_thin(self, thin: Lines) -> None:
        """Winning moves of the boards that three-row Chomp answered."""
        flat = self._heights[thin] <= 3
        lines = thin[flat]
        _, moves = self._three_row.winning_move_batch(_THREE_ROW, self._zeilberger(lines))
        won = moves[:, 0] != NO_MOVE
        lines, (x, y, z) = lines[won], moves[won].T.astype(np.int64)
        after = np.stack((x + y + z, x + y, x), axis=1)
        row = (after != self._boards[lines, :3]).argmax(axis=1)
        self._bites[lines] = np.stack((row + 1, after[np.arange(len(row)), row] + 1), axis=1)
        for line in thin[~flat].tolist():
            self._bites[line] = self._first_bite_of_tall(line)

    def _first_bite_of_tall(self, line: int) -> tuple[int, int]:
        """Of a board of three columns: the order of moves differs from that of its transpose."""
        a, b, c = (int((self._boards[line] >= length).sum()) for length in (1, 2, 3))
        answer = self._three_row.answer(Position(_THREE_ROW, (c, b - c, a - b)), with_moves=True)
        bites = []
        for move in answer.winning_moves or ():
            x, y, z = move.child.coordinates
            pairs = zip((a, b, c), (x + y + z, x + y, x), strict=True)
            bites.append(next((new + 1, i) for i, (old, new) in enumerate(pairs, 1) if old != new))
        return min(bites, default=(0, 0))

    def _by_strategy_stealing(self, lines: Lines) -> None:
        """See `engine.theory.boards.rectangle`."""
        width = self._boards[lines, 0]
        filled = self._heights[lines] * width == self._boards[lines].sum(axis=1)
        self.outcomes[lines[filled]] = Outcome.N
        self._bites[lines[filled & (self._heights[lines] == width)]] = 2

    def _zeilberger(self, lines: Lines) -> npt.NDArray[np.int64]:
        """[x, y, z] of boards of at most three rows, or of the transposes of the others."""
        boards = self._boards[lines]
        rows = np.zeros((len(lines), 3), np.int64)
        flat = self._heights[lines] <= 3
        rows[flat] = boards[flat, :3]
        for length in (1, 2, 3):
            rows[~flat, length - 1] = np.count_nonzero(boards[~flat] >= length, axis=1)
        a, b, c = rows.T
        return np.stack((c, b - c, a - b), axis=1)


def searched_boards(
    coordinates: Coordinates, tables: Sequence[BoardTable], thin_limit: int
) -> tuple[Boards, Boards]:
    """What of a batch no closed form and no table answers.

    Args:
        coordinates: integers (n, width), row lengths with zeros for empty rows.
        tables: stored tables.
        thin_limit: largest x of the stored table of three-row Chomp, -1 if there is none.

    Returns:
        The different boards (m, 3 or more); and [x, 0, 0] of those that three-row Chomp may have to
        answer, (k, 3).

    Raises:
        InvalidPositionError: a row is no board; the message names the row.
    """
    boards = checked(coordinates)
    boards = np.pad(boards, ((0, 0), (0, max(3 - boards.shape[1], 0))))
    heights = np.count_nonzero(boards, axis=1)
    thin = (heights <= 3) | (boards[:, 0] <= 3)
    columns = np.where(heights <= 3, boards[:, 2], np.count_nonzero(boards >= 3, axis=1))
    closed = (boards[:, 1] <= 1) | (heights == 2) | (boards[:, 0] == 2)
    left = ~closed & (~thin | (columns > thin_limit))
    boards, columns, thin = boards[left], columns[left], thin[left]
    for table in tables:
        if not len(boards):
            break
        rest = table.table.outcomes(boards) == Outcome.UNKNOWN
        boards, columns, thin = boards[rest], columns[rest], thin[rest]
    three_rows = np.zeros((np.count_nonzero(thin), 3), np.int64)
    three_rows[:, 0] = columns[thin]
    return np.unique(boards, axis=0), three_rows


def checked(coordinates: Coordinates) -> Boards:
    """A batch as int64 (n, width), all of them boards."""
    form = "chomp:a/b/c/..."
    width = coordinates.shape[1] if coordinates.ndim == 2 else 1
    boards = packed(coordinates, max(width, 1), form).astype(np.int64)
    bad = np.flatnonzero((boards < 0).any(axis=1) | (np.diff(boards, axis=1) > 0).any(axis=1))
    if len(bad):
        raise InvalidPositionError(
            f"{form}: row {bad[0]} is {coordinates[bad[0]].tolist()}; row lengths may be neither"
            " negative nor increasing"
        )
    return boards
