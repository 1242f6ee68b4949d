"""The shape of the sheets, from arrays stored with a table."""

from typing import TYPE_CHECKING, Final

import numpy as np

from position_oracle.oracle.families.resources import Arrays
from position_oracle.schema.geometry import QUANTITIES, TABLES, Measure, Shape

if TYPE_CHECKING:
    from position_oracle.schema.snapshot import Snapshot

_PREFIX: Final = "shape_"


def load_shapes(snapshot: "Snapshot", game: str, source: str) -> Arrays:
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
    """Return the shapes in arrays made by `load_shapes`, ascending; empty if there are none."""
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
