"""Sheets of games with three heaps, from stored rows to arrays that answer."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from engine.games.game_text import parse_game
from oracle.probers.heap_arrays import HeapTable, sheet_arrays
from schema.errors import CorruptTableError
from schema.provenance import BuildRecord
from schema.snapshot import Snapshot


def load_tables(snapshot: Snapshot, builds: Iterable[BuildRecord]) -> list[HeapTable]:
    """The tables of all games of heaps among the builds of a file.

    Raises:
        CorruptTableError: the rows of a game make no table.
    """
    games = {build: parse_game(build.game) for build in builds if build.kind == "sheets"}
    return [
        HeapTable(game, sheet_arrays(game, _read_z(snapshot, build.game)), build)
        for build, game in games.items()
        if game.family in {"nim", "wythoff"}
    ]


def _read_z(snapshot: Snapshot, name: str) -> NDArray[np.int32]:
    """The z for every x and y, int32 (X, Y)."""
    arrays = snapshot.read_sheets(name, check=False)
    columns = int(arrays.prefix_length[0])
    if columns == 0 or (arrays.prefix_length != columns).any():
        raise CorruptTableError(f"{snapshot.path}: the sheets of {name} differ in length")
    return np.asarray(arrays.prefix_z, np.int32).reshape(len(arrays), columns)
