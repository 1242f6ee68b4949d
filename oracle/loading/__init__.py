"""From a table file to probers: everything that answering needs, read once.

A family that stores tables has a module here, which turns stored rows into its arrays.
"""

from pathlib import Path

from oracle.loading import three_row
from oracle.probers.base import Prober
from oracle.probers.boards import BoardProber
from oracle.probers.sheet_table import SheetTable
from oracle.probers.three_row import ThreeRowProber
from schema.snapshot import Snapshot


def load_probers(db: Path) -> tuple[Prober, ...]:
    """Probers that answer from the current file of a store, or from one file.

    Raises:
        TableFileError: there is no such file, or it cannot be used.
    """
    with Snapshot.open(db) as snapshot:
        builds = snapshot.builds()
        return _make_probers(three_row.load_tables(snapshot, builds))


def probers_without_tables() -> tuple[Prober, ...]:
    """Probers that answer only what needs no table."""
    return _make_probers([])


def _make_probers(three_row_tables: list[SheetTable]) -> tuple[Prober, ...]:
    three_row_prober = ThreeRowProber(three_row_tables)
    three_row_prober.warm_up()
    return three_row_prober, BoardProber(three_row_prober)
