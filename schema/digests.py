"""Checksums of columns: SHA-256 over the values in stored order, for any chunks.

A column is digested as up to three streams: its values in little-endian bytes (nulls as 0), the
lengths of its lists or texts, and the row numbers of its nulls. Two columns have equal digests
exactly when they hold equal values in the same order.
"""

import hashlib
from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from position_oracle.schema.records import ChecksumRecord

DIGITS = 16
"""Number of hexadecimal digits of a SHA-256 that are kept."""


class ColumnDigest:
    """Running checksum of one column, over Arrow arrays in order.

    Attributes:
        rows: rows digested so far.
    """

    def __init__(self) -> None:
        self.rows = 0
        self._values = hashlib.sha256()
        self._nulls = hashlib.sha256()
        self._lengths = hashlib.sha256()
        self._items: ColumnDigest | None = None

    def update(self, array: pa.Array) -> None:
        """Add the rows of an array."""
        if array.null_count:
            where = np.flatnonzero(pc.is_null(array).to_numpy(zero_copy_only=False))
            self._nulls.update((where + self.rows).astype("<i8").tobytes())
        self.rows += len(array)
        if pa.types.is_list(array.type):
            self._lengths.update(_bytes(pc.list_value_length(array)))
            self._items = self._items or ColumnDigest()
            self._items.update(array.flatten())
        elif pa.types.is_string(array.type) or pa.types.is_binary(array.type):
            self._lengths.update(_bytes(pc.binary_length(array)))
            self._values.update(b"".join(array.drop_null().cast(pa.binary()).to_pylist()))
        else:
            self._values.update(_bytes(array))

    def hexdigest(self) -> str:
        """Return the checksum of all rows so far, 16 hexadecimal digits."""
        whole = hashlib.sha256(self.rows.to_bytes(8, "little"))
        for stream in (self._values, self._nulls, self._lengths):
            whole.update(stream.digest())
        if self._items is not None:
            whole.update(self._items.hexdigest().encode())
        return whole.hexdigest()[:DIGITS]


class TableDigest:
    """Running checksums of the columns of one result table.

    Attributes:
        columns: names of the columns.
    """

    def __init__(self, table_name: str, schema: pa.Schema) -> None:
        self.columns = list(schema.names)
        self._table_name = table_name
        self._columns = {name: ColumnDigest() for name in schema.names}

    def update(self, rows: pa.Table | pa.RecordBatch) -> None:
        """Add rows that have the columns of the schema."""
        for name, digest in self._columns.items():
            column = rows.column(name)
            chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
            for chunk in chunks:
                digest.update(chunk)

    def records(self) -> list[ChecksumRecord]:
        """Return the rows for the table `checksum`."""
        return [
            ChecksumRecord(self._table_name, name, digest.rows, digest.hexdigest())
            for name, digest in self._columns.items()
        ]


def combined(records: Iterable[ChecksumRecord]) -> str:
    """Return one checksum of many columns, independent of their order."""
    lines = sorted(f"{r.table_name}.{r.column_name} {r.rows} {r.digest}\n" for r in records)
    return hashlib.sha256("".join(lines).encode()).hexdigest()[:DIGITS]


def _bytes(array: pa.Array) -> memoryview:
    """Return the values of a fixed-width array as little-endian bytes, nulls as 0."""
    if array.null_count:
        array = array.fill_null(False if pa.types.is_boolean(array.type) else 0)
    values = array.to_numpy(zero_copy_only=False)
    return np.ascontiguousarray(values, values.dtype.newbyteorder("<")).data
