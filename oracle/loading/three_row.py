"""Loser sheets of three-row games, from stored rows to arrays that answer."""

from collections.abc import Iterable

import numpy as np

from engine.games.game_text import parse_game
from engine.solvers.three_row import STOPS, Sheets
from oracle.index import build_index
from oracle.probers.sheet_table import SheetTable
from schema.provenance import BuildRecord
from schema.records import SheetArrays
from schema.snapshot import Snapshot


def load_tables(snapshot: Snapshot, builds: Iterable[BuildRecord]) -> list[SheetTable]:
    """The tables of all three-row games among the builds of a file."""
    games = {build: parse_game(build.game) for build in builds if build.kind == "sheets"}
    return [
        SheetTable(
            game, build_index(_as_sheets(snapshot.read_sheets(build.game, check=False))), build
        )
        for build, game in games.items()
        if game.family == "chomp3"
    ]


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
