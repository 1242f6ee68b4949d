"""The shape of loser sheets, as the tables `geometry` and `census_geometry` have it."""

from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any, Final

from schema import tables
from schema.snapshot import Snapshot

__all__ = ["Shape", "StoredMeasure", "read_shapes"]

_SOURCES: Final = {"sheets": tables.geometry, "census": tables.census_geometry}
"""In the order of preference where both have the same range."""


@dataclass(frozen=True, slots=True)
class StoredMeasure:
    """One measured number.

    Attributes:
        quantity: what was measured, e.g. `alpha`; see docs/geometry.md.
        value: the measured value.
        standard_error: by a block jackknife; None for extremes.
        expected: by equation (5) of Friedman and Landsberg (2007), or None.
    """

    quantity: str
    value: float
    standard_error: float | None
    expected: float | None

    @property
    def deviation(self) -> float | None:
        """The value minus the expected one."""
        return None if self.expected is None else self.value - self.expected


@dataclass(frozen=True, slots=True)
class Shape:
    """What was measured over one range of sheets.

    Attributes:
        game: canonical text.
        source: `sheets` or `census`.
        first_x: first sheet of the range.
        last_x: last sheet of the range.
        measures: what was measured.
    """

    game: str
    source: str
    first_x: int
    last_x: int
    measures: tuple[StoredMeasure, ...]

    def as_json(self) -> dict[str, Any]:
        """The shape as what JSON has."""
        return asdict(self)


def read_shapes(snapshot: Snapshot, game: str) -> list[Shape]:
    """The shapes of a game over ranges of x, ascending; empty where none are stored.

    Raises:
        UnknownGameError: the file has no results for the game.
        CorruptTableError: the file is damaged.
    """
    stored = {one.table_name for kind in _SOURCES for one in snapshot.checksums(game, kind)}
    shapes = []
    for source, table in _SOURCES.items():
        if table.name not in stored:
            continue
        columns = tables.arrow_schema(table).names
        batches = snapshot.stream(table.name, game, columns)
        rows = [row for batch in batches for row in batch.to_pylist()]
        for (first_x, last_x), group in groupby(
            rows, key=lambda row: (row.pop("first_x"), row.pop("last_x"))
        ):
            measures = tuple(StoredMeasure(**row) for row in group)
            shapes.append(Shape(game, source, first_x, last_x, measures))
    return sorted(shapes, key=lambda shape: (shape.first_x, shape.source))
