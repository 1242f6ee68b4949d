"""Outcomes of Chomp boards, from stored rows to tables that answer."""

from collections.abc import Iterable

from engine.solvers.boards import OutcomeTable, Outer
from oracle.probers.board_tables import BoardTable
from schema.boards import StoredBoards, read_boards
from schema.errors import CorruptTableError
from schema.provenance import BuildRecord
from schema.snapshot import Snapshot

_GAME, _KIND = "chomp", "outcomes"


def load_tables(snapshot: Snapshot, builds: Iterable[BuildRecord]) -> list[BoardTable]:
    """The tables of boards among the builds of a file.

    Raises:
        CorruptTableError: the rows are not those of the outer boards named.
    """
    return [
        _as_table(stored, build)
        for build in builds
        if (build.game, build.kind) == (_GAME, _KIND)
        for stored in read_boards(snapshot, build.game, check=False)
    ]


def _as_table(stored: StoredBoards, build: BuildRecord) -> BoardTable:
    outer = Outer.parse(stored.outer.name)
    if (outer.board, outer.count) != (stored.outer.row_lengths, stored.outer.boards):
        raise CorruptTableError(f"the outer board {outer.text} is not what it is called")
    return BoardTable(OutcomeTable.of_p_ranks(outer.shape, stored.p_ranks), outer, build)
