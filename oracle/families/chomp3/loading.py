"""The loaders of three-row Chomp: from stored rows to arrays for look-ups."""

from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np

from position_oracle.oracle.families.chomp3.index import build_index
from position_oracle.oracle.families.resources import Arrays, Loader
from position_oracle.oracle.families.stored_values import VALUE_LOADERS
from position_oracle.schema.census import Census, read_census, read_checkpoints
from position_oracle.schema.games import Build
from position_oracle.schema.geometry import QUANTITIES, TABLES, Measure, Shape

if TYPE_CHECKING:
    from position_oracle.schema.snapshot import Snapshot

_PREFIX: Final = "shape_"


def _load_sheets(snapshot: "Snapshot", build: Build) -> Arrays:
    index = build_index(snapshot.read_sheets(build.game, compact=True))
    return {**index.arrays(), **_load_shapes(snapshot, build.game, build.kind)}


def _load_census(snapshot: "Snapshot", build: Build) -> Arrays:
    """Return the sheets and the checkpoints of a build."""
    census = read_census(snapshot, build.game)
    rows, offsets, data = read_checkpoints(snapshot, build.game)
    sheets = {field.name: getattr(census, field.name) for field in fields(Census)}
    shapes = _load_shapes(snapshot, build.game, build.kind)
    return {**sheets, **shapes, "rows": rows, "offsets": offsets, "data": data}


def census_of(arrays: Arrays) -> Census:
    """Return the sheets of a census from its arrays."""
    return Census(**{field.name: arrays[field.name] for field in fields(Census)})  # type: ignore[arg-type]


def _load_random_play(snapshot: "Snapshot", build: Build) -> Arrays:
    columns = ("p_mover", "is_p", "p_random_wins")
    return {name: snapshot.read_column(build.kind, name, build.game) for name in columns}


def _load_shapes(snapshot: "Snapshot", game: str, source: str) -> Arrays:
    """Return the stored shapes of a game as arrays with one entry for each measured number."""
    from position_oracle.schema.shapes import read_shapes

    rows = [
        (shape.first_x, shape.last_x, one.quantity, one.value, one.standard_error, one.expected)
        for shape in read_shapes(snapshot, game, source)
        for one in shape.measures
    ]
    first, last, quantity, value, error, expected = zip(*rows, strict=True) if rows else [()] * 6
    names = list(QUANTITIES)
    return {
        f"{_PREFIX}first": np.array(first, np.int64),
        f"{_PREFIX}last": np.array(last, np.int64),
        f"{_PREFIX}quantity": np.array([names.index(name) for name in quantity], np.int64),
        f"{_PREFIX}numbers": np.array([value, error, expected], np.float64).T.copy(),
    }


def shapes_of(arrays: Arrays, game: str, source: str) -> tuple[Shape, ...]:
    """Return the shapes in arrays of a stored table, ascending; empty if there are none."""
    if f"{_PREFIX}first" not in arrays:
        return ()
    columns = (arrays[_PREFIX + name].tolist() for name in ("first", "last", "quantity", "numbers"))
    names = list(QUANTITIES)
    found: dict[tuple[int, int], list[Measure]] = {}
    for first, last, quantity, numbers in zip(*columns, strict=True):
        error, expected = (None if np.isnan(number) else number for number in numbers[1:])
        measure = Measure(names[quantity], numbers[0], error, expected)
        found.setdefault((first, last), []).append(measure)
    return tuple(
        Shape(game, source, first, last, tuple(measures), TABLES[source])
        for (first, last), measures in found.items()
    )


LOADERS: Final[Mapping[str, Loader]] = MappingProxyType(
    {
        "sheets": _load_sheets,
        "census": _load_census,
        **VALUE_LOADERS,
        "random_play": _load_random_play,
    }
)
