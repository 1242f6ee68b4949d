"""Reads the shape of loser sheets from the tables `geometry` and `census_geometry`."""

from itertools import groupby
from typing import Final

from position_oracle.schema import tables
from position_oracle.schema.geometry import Measure, Shape
from position_oracle.schema.snapshot import Snapshot

__all__ = ["read_shapes"]

_SOURCES: Final = {"sheets": tables.geometry, "census": tables.census_geometry}
"""Kinds of builds in the order of preference for equal ranges."""


def read_shapes(snapshot: Snapshot, game: str, *sources: str) -> list[Shape]:
    """Return the shapes of a game over ranges of x, ascending; empty if none are stored.

    Args:
        snapshot: an open table file.
        game: canonical text.
        sources: the kinds of builds, `sheets` and `census`; empty for all.

    Raises:
        UnknownGameError: the file has no results for the game.
        CorruptTableError: the file is damaged.
    """
    wanted = sources or tuple(_SOURCES)
    stored = {one.table_name for kind in wanted for one in snapshot.checksums(game, kind)}
    shapes = []
    for source in wanted:
        table = _SOURCES[source]
        if table.name not in stored:
            continue
        columns = tables.arrow_schema(table).names
        batches = snapshot.stream(table.name, game, columns)
        rows = [row for batch in batches for row in batch.to_pylist()]
        for (first_x, last_x), group in groupby(
            rows, key=lambda row: (row.pop("first_x"), row.pop("last_x"))
        ):
            measures = tuple(Measure(**row) for row in group)
            shapes.append(Shape(game, source, first_x, last_x, measures, table.name))
    return sorted(shapes, key=lambda shape: (shape.last_x, -wanted.index(shape.source)))
