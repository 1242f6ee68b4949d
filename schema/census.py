"""A census: conversion between rows and arrays of sheet summaries and checkpoints."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from position_oracle.schema.errors import CorruptTableError, UnknownGameError

if TYPE_CHECKING:
    import pyarrow as pa

    from position_oracle.schema.reading import Snapshot

Int32s = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Census:
    """The sheets x = 0 .. limit of three-row Chomp, one entry of every array for each.

    A sheet has a prefix, which is one P-position [x, y, z] for each y < ``prefix_length``. After
    the prefix comes either nothing (period 0; the last z of the prefix is 0) or a tail that repeats
    for ever. Prefixes and periods are as short as possible.

    Attributes:
        prefix_length: int32; for a sheet with a tail the y at which the tail starts.
        tail_period: int32; 0 for a sheet that stops.
        tail_offset: int64, shape (limit + 2,); the tail of sheet x repeats
            ``tail_z[tail_offset[x] : tail_offset[x + 1]]``.
        tail_z: int32.
        diagonal_z: int32; the z of [x, 0, z], so that (x + z, x, x) is a P-position.
        max_z: int32; the largest z of the whole sheet.
        lower: int32; values of the prefix on the lower loser line, that is rows x + y + z below
            x + diagonal_z.
        upper: int32; values of the prefix on the upper line, above x + diagonal_z. A prefix
            consists of its first value (unless it is empty), and the upper and lower values.
    """

    prefix_length: Int32s
    tail_period: Int32s
    tail_offset: NDArray[np.int64]
    tail_z: Int32s
    diagonal_z: Int32s
    max_z: Int32s
    lower: Int32s
    upper: Int32s

    def __len__(self) -> int:
        """Return the number of sheets."""
        return len(self.tail_period)

    @property
    def limit(self) -> int:
        """The last x."""
        return len(self) - 1

    @property
    def positions(self) -> int:
        """Total number of P-positions of all prefixes."""
        return int(self.prefix_length.sum(dtype=np.int64))

    def tail(self, x: int) -> Int32s:
        """Return one period of the tail of sheet x; empty if it stops."""
        return self.tail_z[self.tail_offset[x] : self.tail_offset[x + 1]]

    def counts(self) -> dict[int, int]:
        """Return the number of sheets by period, in increasing order of the period."""
        periods, counts = np.unique(self.tail_period, return_counts=True)
        return dict(zip(periods.tolist(), counts.tolist(), strict=True))


def read_census(snapshot: "Snapshot", game: str, *, check: bool = True) -> Census:
    """Return the census of a game.

    Raises:
        UnknownGameError: the file has no census.
        CorruptTableError: the file is damaged, or a checksum differs.
    """
    rows = snapshot.read_table("census", game, check=check)
    if not len(rows):
        raise UnknownGameError(f"{snapshot.path.name} has no census of {game}")
    tail = rows.column("tail_z").combine_chunks()
    period = _numbers(rows, "tail_period")
    fits = np.array_equal(_numbers(rows, "x"), np.arange(len(rows))) and np.array_equal(
        tail.value_lengths().to_numpy(), period
    )
    if not fits:
        raise CorruptTableError(f"{snapshot.path}: the census of {game} does not fit together")
    offset = np.zeros(len(period) + 1, np.int64)
    np.cumsum(period, out=offset[1:])
    names = ("prefix_length", "diagonal_z", "max_z", "lower", "upper")
    return Census(
        tail_period=period,
        tail_offset=offset,
        tail_z=tail.flatten().to_numpy(zero_copy_only=False),
        **{name: _numbers(rows, name) for name in names},
    )


def read_checkpoints(
    snapshot: "Snapshot", game: str, *, check: bool = True
) -> tuple[Int32s, NDArray[np.int64], NDArray[np.uint8]]:
    """Return rows (k,), offsets (k + 1,) and concatenated data of a game's checkpoints.

    Raises:
        UnknownGameError, CorruptTableError: see `read_census`.
    """
    found = snapshot.read_table("checkpoint", game, check=check)
    pieces = [np.frombuffer(piece.as_buffer(), np.uint8) for piece in found.column("data")]
    offsets = np.zeros(len(pieces) + 1, np.int64)
    np.cumsum([len(piece) for piece in pieces], out=offsets[1:])
    data = np.concatenate(pieces) if pieces else np.zeros(0, np.uint8)
    return _numbers(found, "row"), offsets, data


def reader_of(offsets: NDArray[np.int64], data: NDArray[np.uint8]) -> Callable[[int], bytes]:
    """Return a function that returns the bytes of checkpoint 1, 2, ..."""

    def read(number: int) -> bytes:
        return data[offsets[number - 1] : offsets[number]].tobytes()

    return read


def _numbers(rows: "pa.Table", name: str) -> Int32s:
    values: Int32s = rows.column(name).to_numpy()
    return values
