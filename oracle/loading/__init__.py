"""From a table file to probers: everything that answering needs, read once.

A family that stores tables has a module here, which turns stored rows into its arrays.
"""

from pathlib import Path

from oracle.loading import boards, chance, heaps, three_row
from oracle.probers.base import Prober
from oracle.probers.board_tables import BoardTable
from oracle.probers.boards import BoardProber
from oracle.probers.chance import ChanceProber
from oracle.probers.chance_tables import StoredChances
from oracle.probers.divisors import DivisorProber
from oracle.probers.heap_arrays import HeapTable
from oracle.probers.nim import NimProber
from oracle.probers.sheet_table import SheetTable
from oracle.probers.three_row import ThreeRowProber
from oracle.probers.transfinite import TransfiniteProber
from oracle.probers.transfinite_sheets import sheets_for
from oracle.probers.wythoff import WythoffProber
from schema.snapshot import Snapshot


def load_all(db: Path) -> tuple[tuple[Prober, ...], ChanceProber]:
    """All that answers from the current file of a store, or from one file.

    Returns:
        The probers of the families, and that of games against chance.

    Raises:
        TableFileError: there is no such file, or it cannot be used.
    """
    with Snapshot.open(db) as snapshot:
        builds = snapshot.builds()
        probers = (
            *_make_probers(
                three_row.load_tables(snapshot, builds), boards.load_tables(snapshot, builds)
            ),
            *_heap_probers(heaps.load_tables(snapshot, builds)),
        )
        return probers, _chance_prober(chance.load_table(snapshot, builds))


def probers_without_tables() -> tuple[Prober, ...]:
    """Probers that answer only what needs no table."""
    return *_make_probers([], []), *_heap_probers([])


def _make_probers(
    three_row_tables: list[SheetTable], board_tables: list[BoardTable]
) -> tuple[Prober, ...]:
    three_row_prober = ThreeRowProber(three_row_tables)
    three_row_prober.warm_up()
    board_prober = BoardProber(three_row_prober, board_tables)
    if board_tables:
        board_prober.warm_up()
    return (
        three_row_prober,
        board_prober,
        DivisorProber(board_prober),
        TransfiniteProber(board_prober, sheets_for(three_row_tables)),
    )


def _chance_prober(table: StoredChances | None) -> ChanceProber:
    prober = ChanceProber(table)
    if table is not None:
        prober.warm_up()
    return prober


def _heap_probers(tables: list[HeapTable]) -> tuple[Prober, ...]:
    probers = tuple(
        prober(table for table in tables if table.game.family == prober.family)
        for prober in (NimProber, WythoffProber)
    )
    for prober in probers:
        prober.warm_up()
    return probers
