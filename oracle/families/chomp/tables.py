"""Outcomes of Chomp boards at hand: stored tables, and boards solved when they are asked for."""

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.games.position import Outcome
from engine.games.spec import Coordinates
from engine.solvers.boards import Bite, OutcomeTable, Outer, solve_shape, transpose, under
from engine.solvers.boards.shape import estimate_ideals
from oracle.answers import Certainty
from schema.provenance import BuildRecord

MAX_SEARCH: Final = 2**24
"""Most boards inside one that is solved when asked: 0.2 s. A 13 x 13 box has 10.4 million."""

MAX_SEARCH_AREA: Final = 2**20
"""Most rows times columns of a board that is solved when asked: 8 MiB of rank weights."""

KEPT: Final = 64
KEPT_BYTES: Final = 64 << 20
"""Tables kept of boards that were asked for, and their memory; the least recently used go first."""

Boards = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class BoardTable:
    """Outcomes of the boards inside an outer board, and where they come from.

    Attributes:
        table: the outcomes.
        outer: the outer board by its text; None for a board that was solved when asked.
        build: provenance of a stored table.
    """

    table: OutcomeTable
    outer: Outer | None = None
    build: BuildRecord | None = None

    @property
    def certainty(self) -> Certainty:
        """How its answers are known."""
        return Certainty.EXACT_SEARCH if self.outer is None else Certainty.EXACT_TABLE

    @property
    def reason(self) -> str:
        """What its answers rest on."""
        if self.outer is None:
            return f"solved with all {self.table.shape.count:,} boards inside {_shape_name(self)}"
        return f"outcomes of all {self.outer}"

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.table.bits.nbytes + self.table.shape.weights.nbytes

    def holds(self, board: Coordinates) -> bool:
        """Whether a board is inside, as it stands or transposed."""
        shape = self.table.shape
        if shape.contains(board):
            return True
        fits = len(board) <= shape.columns and (not board or board[0] <= shape.rows)
        return fits and shape.contains(transpose(board))

    def outcome(self, board: Coordinates) -> Outcome:
        """P or N of a board inside."""
        return self.table.outcome(board)

    def winning_bites(self, board: Coordinates) -> list[Bite]:
        """All winning bites, row by row from the poison row, left to right."""
        return self.table.winning_bites(board)


def _shape_name(table: BoardTable) -> str:
    lengths = table.table.shape.lengths
    if lengths[0] == lengths[-1]:
        return f"{len(lengths)} x {lengths[0]}"
    shown = "/".join(map(str, lengths[:12]))
    return f"chomp:{shown}" + "/..." * (len(lengths) > 12)


class BoardSearches:
    """Solves boards once and keeps the tables for a while; safe to use from many threads.

    A game goes on inside the board that it began with, so one search answers for all of it.
    """

    def __init__(self) -> None:
        self._tables: OrderedDict[Coordinates, BoardTable] = OrderedDict()
        self._lock = Lock()

    def find(self, board: Coordinates) -> BoardTable | None:
        """A table that holds the board, None where it would be too large.

        Args:
            board: row lengths, positive and not increasing; not empty.
        """
        # The lock is held while solving: whoever asks meanwhile for the same board needs it too.
        with self._lock:
            for key in reversed(self._tables):
                if self._tables[key].holds(board):
                    self._tables.move_to_end(key)
                    return self._tables[key]
            if not is_searchable(board):
                return None
            flat = _flat(board)
            self._tables[flat] = table = BoardTable(solve_shape(under(flat, MAX_SEARCH)))
            self._forget()
            return table

    def _forget(self) -> None:
        held = sum(each.nbytes for each in self._tables.values())
        while len(self._tables) > KEPT or (held > KEPT_BYTES and len(self._tables) > 1):
            held -= self._tables.popitem(last=False)[1].nbytes

    def find_for_many(self, boards: Boards) -> BoardTable | None:
        """A table that holds as many of the smallest of the boards as one search can.

        Args:
            boards: int64 (k, width), legal boards, at least one and none empty.
        """
        order = np.argsort(boards.sum(axis=1), kind="stable")
        hulls = np.maximum.accumulate(boards[order], axis=0)
        first, last = 0, len(hulls)  # hulls before `first` can be searched, from `last` on not
        while first < last:
            middle = (first + last) // 2
            if is_searchable(_trimmed(hulls[middle])):
                first = middle + 1
            else:
                last = middle
        return self.find(_trimmed(hulls[first - 1])) if first else None


def is_searchable(board: Coordinates) -> bool:
    """Whether a board is small enough to be solved when asked."""
    if len(board) * board[0] > MAX_SEARCH_AREA:
        return False
    return estimate_ideals(_flat(board)) <= MAX_SEARCH


def _flat(board: Coordinates) -> Coordinates:
    return transpose(board) if len(board) > board[0] else board


def _trimmed(row: npt.NDArray[np.int64]) -> Coordinates:
    return tuple(row[row > 0].tolist())
