"""What is looked at before a message is parsed: its size, unpacked, and where the bytes are.

Parsing holds the interpreter, so it has to be short. Packed coordinates are copied in one piece
whatever their number; it is everything beside them that takes time, and is bounded as a single
question is.
"""

import zlib
from typing import Final

from position_oracle.oracle.server.faults import RequestError, TooLargeError
from position_oracle.schema.errors import ResourceLimitError

GZIP: Final = b"\x1f\x8b"
"""How gzip begins; no message does, since there are no fields of such a kind."""

_WINDOW: Final = 31
"""Of gzip, with its header."""

_MAX_FIELDS: Final = 64
_BYTES: Final = 2
_FIXED: Final = {1: 8, 5: 4}
_POSITIONS: Final = 1
_COORDINATES: Final = 4


def check_size(serialized: bytes, limit: int) -> None:
    """Refuse a message by its length.

    Raises:
        TooLargeError: it is longer than the limit.
    """
    if len(serialized) > limit:
        raise TooLargeError(
            f"the message has {len(serialized)} bytes; allowed are at most {limit}",
            "request_bytes",
            len(serialized),
            limit,
        )


def unpacked(data: bytes, most: int) -> bytes:
    """A message as it is; where it is compressed with gzip, what was compressed.

    Raises:
        ResourceLimitError: that has more bytes than are allowed; no more are unpacked.
        RequestError: it is cut off or damaged.
    """
    return gunzipped(data, most) if data.startswith(GZIP) else data


def gunzipped(data: bytes, most: int) -> bytes:
    """What was compressed with gzip, of at most so many bytes; raises as `unpacked`."""
    unpacking = zlib.decompressobj(wbits=_WINDOW)
    try:
        found = unpacking.decompress(data, most + 1)
    except zlib.error:
        raise RequestError("what is sent as gzip is none") from None
    if len(found) > most:
        raise ResourceLimitError(f"the message has more than {most} bytes, which are allowed")
    if not unpacking.eof or unpacking.unused_data:
        raise RequestError("what is sent as gzip is cut off, or goes on after its end")
    return found


def check_batch(serialized: bytes, limit: int, beside: int) -> None:
    """Refuse a batch that is too long, or long beside its coordinates.

    Args:
        serialized: a message whose field 1 is a `PackedPositions`.
        limit: bytes of all of it.
        beside: bytes beside the coordinates.

    Raises:
        TooLargeError: it is longer than a limit.
        RequestError: it is no message, or has more than 64 fields.
    """
    check_size(serialized, limit)
    if len(serialized) <= beside:
        return
    coordinates = sum(
        inner_end - inner
        for field, start, end in _fields(serialized, 0, len(serialized))
        if field == _POSITIONS
        for inner_field, inner, inner_end in _fields(serialized, start, end)
        if inner_field == _COORDINATES
    )
    rest = len(serialized) - coordinates
    if rest > beside:
        raise TooLargeError(
            f"the message has {rest} bytes beside its coordinates; allowed are at most {beside}",
            "question_bytes",
            rest,
            beside,
        )


def _fields(data: bytes, start: int, end: int) -> list[tuple[int, int, int]]:
    """Number, begin and end of each field of bytes in a stretch of the wire format."""
    found: list[tuple[int, int, int]] = []
    while start < end:
        tag, start = _varint(data, start, end)
        begin, kind = start, tag & 7
        if kind == _BYTES:
            size, begin = _varint(data, start, end)
            start = begin + size
        elif kind in _FIXED:
            start += _FIXED[kind]
        elif kind == 0:
            _, start = _varint(data, start, end)
        else:
            raise RequestError("the message is not in the wire format")
        found.append((tag >> 3, begin, start))
        if start > end or len(found) > _MAX_FIELDS:
            raise RequestError(f"the message is cut off, or has more than {_MAX_FIELDS} fields")
    return found


def _varint(data: bytes, start: int, end: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if start >= end:
            break
        byte = data[start]
        start += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, start
    raise RequestError("the message is not in the wire format")
