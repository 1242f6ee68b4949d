"""Outcomes of Chomp boards: stored tables, and boards solved on demand."""

from dataclasses import dataclass, replace
from math import comb, inf
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from position_oracle.engine.budget import watched
from position_oracle.engine.games.chomp import transpose
from position_oracle.engine.games.position import Outcome
from position_oracle.engine.games.spec import Coordinates
from position_oracle.engine.theory.boards import Bite
from position_oracle.oracle.answers import Certainty, Limits
from position_oracle.oracle.families.resources import Arrays, Resources, StoredTable
from position_oracle.schema.errors import CorruptTableError
from position_oracle.schema.games import Build

if TYPE_CHECKING:
    from position_oracle.engine.solvers.boards.outcomes import OutcomeTable
    from position_oracle.engine.solvers.boards.outer import Outer
    from position_oracle.schema.snapshot import Snapshot

MAX_SEARCH: Final = 2**24
"""Maximum number of boards inside a board that is solved on demand: 0.2 s. A 13 x 13 box has 10.4
million."""

SEARCH_SECONDS: Final = 0.3
"""Seconds of the largest search."""

MAX_SEARCH_AREA: Final = 2**20
"""Maximum area (rows times columns) of a board that is solved on demand: 8 MiB of rank weights."""

Boards = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class BoardTable:
    """Outcomes of the boards inside a bounding board, and their origin.

    Attributes:
        table: the outcomes.
        outer: the bounding board by its text; None for a table solved on demand.
        build: provenance of a stored table.
        asked: the board of the question that was solved on demand; empty for a stored table.
    """

    table: "OutcomeTable"
    outer: "Outer | None" = None
    build: Build | None = None
    asked: Coordinates = ()

    @property
    def certainty(self) -> Certainty:
        """The certainty of the table's answers."""
        return Certainty.EXACT_SEARCH if self.outer is None else Certainty.EXACT_TABLE

    @property
    def limits(self) -> Limits | None:
        """The limits of a stored table, in numbers."""
        if self.outer is None:
            return None
        if self.outer.is_box:
            return {"rows": len(self.outer.board), "columns": self.outer.board[0]}
        return {"cells": self.outer.complete_cookies}

    @property
    def reason(self) -> str:
        """The reason in answers; a larger table names only the boards inside the asked one."""
        if self.outer is None:
            from position_oracle.engine.theory.bounds import estimate_ideals

            count = int(estimate_ideals(self.asked))
            return f"solved with all {count:,} boards inside {board_name(self.asked)}"
        return f"outcomes of all {self.outer}"

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.table.bits.nbytes + self.table.shape.weights.nbytes

    def holds(self, board: Coordinates) -> bool:
        """Return whether a board is inside, directly or transposed."""
        shape = self.table.shape
        if shape.contains(board):
            return True
        fits = len(board) <= shape.columns and (not board or board[0] <= shape.rows)
        return fits and shape.contains(transpose(board))

    def outcome(self, board: Coordinates) -> Outcome:
        """Return the outcome of a board inside."""
        return self.table.outcome(board)

    def winning_bites(self, board: Coordinates) -> list[Bite]:
        """Return all winning bites, row by row from the poison row, left to right."""
        return self.table.winning_bites(board)


def board_name(board: Coordinates) -> str:
    """Describe a board: `4 x 5` for a box, else the beginning of its text."""
    if board[0] == board[-1]:
        return f"{len(board)} x {board[0]}"
    shown = "/".join(map(str, board[:12]))
    return f"chomp:{shown}" + "/..." * (len(board) > 12)


def load_outcomes(snapshot: "Snapshot", build: Build) -> Arrays:
    """Return the bits of each bounding board of a build, by its text.

    Raises:
        CorruptTableError: the rows do not match the named bounding boards.
    """
    from position_oracle.engine.solvers.boards.outcomes import OutcomeTable
    from position_oracle.engine.solvers.boards.outer import Outer
    from position_oracle.schema.boards import read_boards

    arrays = {}
    for stored in read_boards(snapshot, build.game):
        outer = Outer.parse(stored.outer.name)
        if (outer.board, outer.count) != (stored.outer.row_lengths, stored.outer.boards):
            raise CorruptTableError(f"the bounding board {outer.text} is not what it is called")
        arrays[outer.text] = OutcomeTable.of_p_ranks(outer.shape, stored.p_ranks).bits
    return arrays


def stored_tables(stored: StoredTable) -> list[BoardTable]:
    """Return the tables of a build, one for each bounding board."""
    from position_oracle.engine.solvers.boards.outcomes import OutcomeTable
    from position_oracle.engine.solvers.boards.outer import Outer

    tables = []
    for text, bits in stored.arrays.items():
        outer = Outer.parse(text)
        tables.append(BoardTable(OutcomeTable(outer.shape, bits), outer, stored.build))  # type: ignore[arg-type]
    return tables


class BoardSearches:
    """Solves boards once and caches the tables.

    Play stays inside the first board of a game, so one search answers all questions of the game.
    """

    def __init__(self, resources: Resources) -> None:
        self._cache = resources.cache

    def find(self, board: Coordinates) -> BoardTable:
        """Return a table with a board that has a `search_count` of at most `MAX_SEARCH`.

        Args:
            board: row lengths, positive and not increasing; not empty.
        """
        flat = flattened(board)

        def solve() -> BoardTable:
            from position_oracle.engine.solvers.boards.outcomes import solve_shape
            from position_oracle.engine.solvers.shape import under

            return BoardTable(solve_shape(under(flat, MAX_SEARCH)))

        found = self._cache.find(
            "boards", flat, solve, lambda table: table.nbytes, lambda outer: holds(outer, flat)
        )
        return replace(found, asked=flat)

    def outer_boards(self, boards: Boards) -> tuple[npt.NDArray[np.bool_], list[Coordinates]]:
        """Return which boards can be searched, and bounding boards that contain all of them.

        Args:
            boards: int64 (k, width), legal boards, none empty.
        """
        known = np.count_nonzero(boards, axis=1) * boards[:, 0] <= MAX_SEARCH_AREA
        few = boards[known]
        if len(few) and search_count(_trimmed(few.max(axis=0))) > MAX_SEARCH:
            known[known] = [search_count(_trimmed(board)) <= MAX_SEARCH for board in watched(few)]
        small = boards[known]
        order = np.argsort(small.sum(axis=1), kind="stable")
        rest, outers = small[order], []
        while len(rest):
            hulls = np.maximum.accumulate(rest, axis=0)
            first, last = 1, len(hulls)  # hulls before `first` can be searched, from `last` on not
            while first < last:
                middle = (first + last) // 2
                if search_count(_trimmed(hulls[middle])) <= MAX_SEARCH:
                    first = middle + 1
                else:
                    last = middle
            hull = hulls[first - 1]
            outers.append(_trimmed(hull))
            rest = rest[(rest > hull).any(axis=1)]
        return known, outers


def search_count(board: Coordinates) -> float:
    """Return about how many boards are inside a board; inf if a box inside exceeds MAX_SEARCH."""
    from position_oracle.engine.theory.bounds import estimate_ideals

    flat = flattened(board) if len(board) * board[0] <= MAX_SEARCH_AREA else ()
    if not flat or any(comb(row + length, row) > MAX_SEARCH for row, length in enumerate(flat, 1)):
        return inf
    return estimate_ideals(flat)


def holds(outer: Coordinates, board: Coordinates) -> bool:
    """Return whether a board fits into a bounding board, directly or transposed."""
    return _inside(outer, board) or _inside(outer, transpose(board))


def _inside(outer: Coordinates, board: Coordinates) -> bool:
    return len(board) <= len(outer) and all(map(int.__le__, board, outer))


def flattened(board: Coordinates) -> Coordinates:
    """Return the board, or its transpose if that has fewer rows."""
    return transpose(board) if len(board) > board[0] else board


def _trimmed(row: npt.NDArray[np.int64]) -> Coordinates:
    return tuple(row[row > 0].tolist())
