"""From a table file to probers: everything that answering needs, read once."""

from pathlib import Path

import numpy as np

from engine.games.spec import parse_game
from engine.solvers.three_row import STOPS, Sheets
from oracle.index import build_index
from oracle.probers.base import Prober
from oracle.probers.boards import BoardProber
from oracle.probers.three_row import Table, ThreeRowProber
from schema.provenance import BuildRecord
from schema.records import SheetArrays
from schema.snapshot import Snapshot


def load_probers(db: Path) -> tuple[Prober, ...]:
    """Probers that answer from the current file of a store, or from one file.

    Raises:
        TableFileError: there is no such file, or it cannot be used.
    """
    with Snapshot.open(db) as snapshot:
        tables = [
            _load_sheets(snapshot, build) for build in snapshot.builds() if build.kind == "sheets"
        ]
    return make_probers(tables)


def make_probers(tables: list[Table]) -> tuple[Prober, ...]:
    """Probers of every family, ready to answer; without tables they answer what needs none."""
    three_row = ThreeRowProber(table for table in tables if table.game.family == "chomp3")
    three_row.warm_up()
    return three_row, BoardProber(three_row)


def _load_sheets(snapshot: Snapshot, build: BuildRecord) -> Table:
    arrays = snapshot.read_sheets(build.game, check=False)
    return Table(parse_game(build.game), build_index(_as_sheets(arrays)), build)


def _as_sheets(arrays: SheetArrays) -> Sheets:
    length = arrays.prefix_length
    rectangle = np.flatnonzero((length == 1) & (arrays.tail_period == STOPS))
    return Sheets(
        first_x=0,
        prefix_offset=arrays.prefix_offset,
        z=arrays.prefix_z,
        period=arrays.tail_period,
        tail_offset=arrays.tail_offset,
        tail_z=arrays.tail_z,
        closed_by=int(rectangle[0]) if len(rectangle) else None,
    )
