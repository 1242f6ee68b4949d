"""A checkpoint: the states of all live columns at one row, as checksummed bytes.

The rows above row b depend only on the states at row b. Layout, little-endian:

    header   magic, CRC-32 of all that follows, row, first live column, states, chunks
    index    for each chunk: first column, its low and high, states, bytes of its five streams,
             number of escapes
    streams  of the chunks, each deflated by itself

The lower ends of neighbouring columns differ by 2.4 on average, the upper ends by 1. A state
becomes four small numbers,

    zigzag(low - low of the column before - 2), zigzag(high - high of the column before - 1),
    the lower window in reverse order, so that the bits next to the interval come first,
    the upper window,

each a byte in a separate stream, which takes a quarter of a byte on average. 255 stands for a
number of 255 or more, which follows in eight bytes in a fifth stream. The lower window leaves out
the deadly diagonals well below a column's first value, because the sheet table has them. So the
bytes do not depend on the progress of the sweep when a window was refilled. The sheet table also
gives the live columns.
"""

import zlib
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.solvers.row_sweep.ledger import Ledger
from position_oracle.engine.solvers.row_sweep.state import COLUMN
from position_oracle.schema.errors import BuildError, CorruptTableError

CHUNK: Final = 8192
"""Number of columns that are encoded together, and can be decoded separately."""

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
_ESCAPE: Final = np.uint64(255)
_U1: Final = np.uint64(1)
_U63: Final = np.uint64(63)
_MEAN_LOW: Final = 2
_MEAN_HIGH: Final = 1
_REVERSED: Final = np.packbits(
    np.unpackbits(np.arange(256, dtype=np.uint8)), bitorder="little"
)  # the bits of each byte in reverse order

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]


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
    if np.any(states["below"] >> _U63) or np.any(states["above"] & _U1):
        raise BuildError(f"a state at row {row} is not normal")
    chunks = -(-len(column) // CHUNK)
    index = np.zeros(chunks, _INDEX)
    packed: list[bytes] = []
    for h in range(chunks):
        part = slice(h * CHUNK, (h + 1) * CHUNK)
        numbers = _numbers(column[part], states[part], ledger)
        escapes = numbers[numbers >= _ESCAPE].astype("<u8").tobytes()
        streams = np.minimum(numbers, _ESCAPE).astype(np.uint8).T
        pieces = [_deflate(stream.tobytes()) for stream in streams]
        pieces.append(_deflate(escapes) if escapes else b"")
        index[h] = (
            column[part][0],
            states[part][0]["low"],
            states[part][0]["high"],
            len(numbers),
            [len(piece) for piece in pieces],
            len(escapes) // 8,
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
    try:
        return _decoded(layout, h, ledger)
    except (zlib.error, ValueError) as error:
        raise CorruptTableError(
            f"chunk {h} of the checkpoint of row {layout.row}: {error}"
        ) from error


def _decoded(
    layout: PackedCheckpoint, h: int, ledger: Ledger
) -> tuple[NDArray[np.int32], NDArray[np.void]]:
    entry = layout.index[h]
    size = int(entry["states"])
    ends = int(layout.starts[h]) + np.cumsum([0, *entry["bytes"].tolist()])
    pieces = [layout.data[begin:end] for begin, end in pairwise(ends)]
    streams = np.frombuffer(b"".join(map(_inflate, pieces[:4])), np.uint8).reshape(4, size)
    numbers = streams.T.astype(np.uint64)
    escapes = np.frombuffer(_inflate(pieces[4]) if pieces[4] else b"", "<u8")
    escaped = numbers == _ESCAPE
    column = _live(layout, h, ledger)[:size]
    if np.count_nonzero(escaped) != len(escapes) or len(column) < size:
        raise ValueError("it does not fit the sheets")
    numbers[escaped] = escapes
    states = np.empty(size, COLUMN)
    states["low"] = int(entry["low"]) - _MEAN_LOW + np.cumsum(_unzigzag(numbers[:, 0]) + _MEAN_LOW)
    states["high"] = (
        int(entry["high"]) - _MEAN_HIGH + np.cumsum(_unzigzag(numbers[:, 1]) + _MEAN_HIGH)
    )
    if not 0 <= states["low"].min() <= states["low"].max() <= len(ledger.dd) * 64 - 256:
        raise ValueError("it does not fit the sheets")
    known = _known_diagonals(ledger, column, states["low"])
    states["below"] = _reversed_bits(numbers[:, 2] << _U1) ^ known
    states["above"] = numbers[:, 3] << _U1
    return column, states


def _live(layout: PackedCheckpoint, h: int, ledger: Ledger) -> NDArray[np.int32]:
    """Return the columns from the first one of a chunk up to the next chunk that have not stopped.

    By the ledger, they stop after the row of the checkpoint, or never.
    """
    first = int(layout.index["column"][h])
    is_last = h + 1 == len(layout.index)
    after = min(layout.row, len(ledger.end)) if is_last else int(layout.index["column"][h + 1])
    part = slice(first, after)
    end = ledger.end[part]
    stopped = (ledger.period[part] == 0) & (end >= 0) & (end <= layout.row)
    return (first + np.flatnonzero(~stopped)).astype(np.int32)


def _numbers(column: NDArray[np.int32], states: NDArray[np.void], ledger: Ledger) -> Words:
    """Return the four numbers of each state, uint64 (columns, 4)."""
    low, high = states["low"], states["high"]
    own = states["below"] ^ _known_diagonals(ledger, column, low)
    columns = (
        _zigzag(np.diff(low, prepend=low[0] - _MEAN_LOW) - _MEAN_LOW),
        _zigzag(np.diff(high, prepend=high[0] - _MEAN_HIGH) - _MEAN_HIGH),
        _reversed_bits(own) >> _U1,
        states["above"] >> _U1,
    )
    return np.stack(columns, axis=1)


def _known_diagonals(ledger: Ledger, column: NDArray[np.int32], low: Ints) -> Words:
    """Return the bits of lower windows that are deadly diagonals, 64 or more below the value."""
    word, shift = low >> 6, (low & 63).astype(np.uint64)  # a word of ones comes first in dd
    window = (ledger.dd[word] >> shift) | ((ledger.dd[word + 1] << _U1) << (_U63 - shift))
    count = np.clip(ledger.diagonal[column] - low, 0, 64)
    below = (_U1 << np.minimum(count, 63).astype(np.uint64)) - _U1
    return np.where(count == 64, window, window & below)


def _zigzag(numbers: Ints) -> Words:
    return ((numbers << 1) ^ (numbers >> 63)).view(np.uint64)


def _unzigzag(words: Words) -> Ints:
    return (words >> _U1).view(np.int64) ^ -(words & _U1).view(np.int64)


def _reversed_bits(words: Words) -> Words:
    return _REVERSED[words.byteswap().view(np.uint8)].view(np.uint64)


def _deflate(data: bytes) -> bytes:
    """Deflate with run-length matches only: smaller here, and three times faster."""
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, -15, 9, zlib.Z_RLE)
    return packer.compress(data) + packer.flush()


def _inflate(data: bytes) -> bytes:
    return zlib.decompress(data, -15)
