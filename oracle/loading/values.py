"""Grundy values and remoteness, from stored rows to arrays that answer."""

from pathlib import Path

from engine.games.game_text import parse_game
from engine.solvers.value_layouts import KINDS, layout_of
from oracle.probers.values import StoredValues, Values
from schema.errors import CorruptTableError
from schema.provenance import BuildRecord
from schema.snapshot import Snapshot
from schema.value_rows import read_values


def load_values(db: Path) -> Values:
    """The values in the current file of a store, or in one file.

    Raises:
        TableFileError: there is no such file, or it cannot be used.
    """
    with Snapshot.open(db) as snapshot:
        builds = [build for build in snapshot.builds() if build.kind in KINDS]
        return Values([_stored(snapshot, build) for build in builds])


def _stored(snapshot: Snapshot, build: BuildRecord) -> StoredValues:
    layout = layout_of(parse_game(build.game), build.limit, build.kind)
    values = read_values(snapshot, build.game, build.kind, check=False)
    if len(values) != layout.count:
        raise CorruptTableError(
            f"{snapshot.path}: {build.game} {build.kind} up to {build.limit} has {len(values)}"
            f" rows instead of {layout.count}"
        )
    return StoredValues(build.kind, layout, values, build)
