"""Conversion of Grundy values and remoteness between arrays and rows: one number a position."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from position_oracle.schema import tables
from position_oracle.schema.reading import Snapshot

IntArray = NDArray[np.int32]


def rows_of_values(coordinates: IntArray, begins: IntArray, values: IntArray) -> pa.Table:
    """Return rows of the table `grundy` or `remoteness`.

    Args:
        coordinates: int32, the concatenated coordinates of the positions.
        begins: int32 (k + 1,), the index at which each position begins, and the end.
        values: int32 (k,).
    """
    lists = pa.ListArray.from_arrays(begins, coordinates)
    schema = tables.arrow_schema(tables.grundy)
    return pa.table({"coordinates": lists, "value": values}, schema=schema)


def read_values(snapshot: Snapshot, game: str, kind: str, *, check: bool = True) -> IntArray:
    """Return the values of a game in stored order, int32.

    Raises:
        UnknownGameError: the file has no results for the game.
        CorruptTableError: the file is damaged, or the checksum differs.
    """
    return snapshot.read_column(kind, "value", game, check=check)
