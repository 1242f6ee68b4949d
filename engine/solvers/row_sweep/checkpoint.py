"""A checkpoint: the states of all live columns at one row, as checksummed bytes.

The rows above row b depend only on the states at row b. Layout, little-endian:

    header   magic, CRC-32 of all that follows, row, first live column, states, chunks
    index    for each chunk: first column, its low and high, states, bytes of its five streams,
             number of escapes
    streams  of the chunks, each deflated by itself (see ``codec``)

The sheet table gives the live columns, and which of their bits are deadly diagonals.
"""

import zlib
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.row_sweep.codec import CHUNK, decode_states, encode_states
from position_oracle.engine.solvers.row_sweep.ledger import Ledger
from position_oracle.engine.solvers.row_sweep.state import COLUMN
from position_oracle.schema.errors import BuildError, CorruptTableError

_HEADER: Final = np.dtype(
    [
        ("magic", "S4"),
        ("checksum", "<u4"),
        ("row", "<i8"),
        ("first", "<i8"),
        ("states", "<i8"),
        ("chunks", "<i8"),
    ]
)
_INDEX: Final = np.dtype(
    [
        ("column", "<i8"),
        ("low", "<i8"),
        ("high", "<i8"),
        ("states", "<i4"),
        ("bytes", "<i4", (5,)),
        ("escapes", "<i4"),
    ]
)
_MAGIC: Final = b"3CK1"
_CHECKED_FROM: Final = 8
_LEVEL: Final = 6


@dataclass(frozen=True, slots=True, eq=False)
class PackedCheckpoint:
    """A checkpoint with a verified checksum and compressed chunks."""

    row: int
    first: int
    states: int
    index: NDArray[np.void]
    starts: NDArray[np.int64]
    data: bytes


def encode(
    row: int,
    first: int,
    column: NDArray[np.int32],
    states: NDArray[np.void],
    ledger: Ledger,
) -> bytes:
    """Encode the states (COLUMN) of the live columns at ``row``, ascending.

    Raises:
        BuildError: A state is not normal, which cannot happen after a sweep.
    """
    chunks = -(-len(column) // CHUNK)
    index = np.zeros(chunks, _INDEX)
    packed: list[bytes] = []
    streams = np.empty((4, CHUNK), np.uint8)
    escapes = np.empty(4 * CHUNK, np.uint64)
    for h in range(chunks):
        part = slice(h * CHUNK, (h + 1) * CHUNK)
        own_column, own_states = column[part], states[part]
        count = encode_states(own_column, own_states, ledger, streams, escapes)
        if count < 0:
            raise BuildError(f"a state at row {row} is not normal")
        size = len(own_column)
        pieces = [_deflate(streams[k, :size].tobytes()) for k in range(4)]
        pieces.append(_deflate(escapes[:count].astype("<u8").tobytes()) if count else b"")
        index[h] = (
            own_column[0],
            own_states[0]["low"],
            own_states[0]["high"],
            size,
            [len(piece) for piece in pieces],
            count,
        )
        packed.extend(pieces)
    header = np.zeros(1, _HEADER)
    header[0] = (_MAGIC, 0, row, first, len(column), chunks)
    body = header.tobytes()[_CHECKED_FROM:] + index.tobytes() + b"".join(packed)
    header["checksum"] = zlib.crc32(body)
    return header.tobytes()[:_CHECKED_FROM] + body


def parse(data: bytes) -> PackedCheckpoint:
    """Read header and index.

    Raises:
        CorruptTableError: The bytes are not a checkpoint, or are incomplete.
    """
    if len(data) < _HEADER.itemsize or data[:4] != _MAGIC:
        raise CorruptTableError("a checkpoint does not begin like one")
    header = np.frombuffer(data, _HEADER, 1)[0]
    if zlib.crc32(memoryview(data)[_CHECKED_FROM:]) != int(header["checksum"]):
        raise CorruptTableError(f"the checkpoint of row {int(header['row'])} is damaged")
    index = np.frombuffer(data, _INDEX, int(header["chunks"]), _HEADER.itemsize)
    sizes = index["bytes"].sum(axis=1, dtype=np.int64)
    starts = _HEADER.itemsize + index.nbytes + np.cumsum(sizes) - sizes
    return PackedCheckpoint(
        row=int(header["row"]),
        first=int(header["first"]),
        states=int(header["states"]),
        index=index,
        starts=starts,
        data=data,
    )


def decode_chunk(
    layout: PackedCheckpoint, h: int, ledger: Ledger
) -> tuple[NDArray[np.int32], NDArray[np.void]]:
    """Return the columns of chunk h and their states (COLUMN).

    Raises:
        CorruptTableError: The bytes do not fit the sheets.
    """
    entry = layout.index[h]
    size = int(entry["states"])
    pieces = []
    place = int(layout.starts[h])
    for length in entry["bytes"].tolist():
        pieces.append(layout.data[place : place + length])
        place += length
    try:
        streams = np.frombuffer(b"".join(map(_inflate, pieces[:4])), np.uint8).reshape(4, size)
        packed = _inflate(pieces[4]) if pieces[4] else b""
        escapes = np.frombuffer(packed, np.uint64, int(entry["escapes"]))
    except (zlib.error, ValueError) as error:
        raise CorruptTableError(
            f"chunk {h} of the checkpoint of row {layout.row}: {error}"
        ) from error
    column = np.empty(size, np.int32)
    states = np.empty(size, COLUMN)
    fits = decode_states(
        streams,
        escapes,
        layout.row,
        int(entry["column"]),
        int(entry["low"]),
        int(entry["high"]),
        ledger,
        np.zeros(4, np.uint64),
        column,
        states,
    )
    if not fits:
        raise CorruptTableError(f"chunk {h} of the checkpoint of row {layout.row} fits no sheets")
    return column, states


def _deflate(data: bytes) -> bytes:
    """Deflate with run-length matches only: smaller here, and three times faster."""
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, -15, 9, zlib.Z_RLE)
    return packer.compress(data) + packer.flush()


def _inflate(data: bytes) -> bytes:
    return zlib.decompress(data, -15)
