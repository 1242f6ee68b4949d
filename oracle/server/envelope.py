"""What is looked at before a message is parsed: its size, and where the bytes are.

Parsing holds the interpreter, so it has to be short. Packed coordinates are copied in one piece
whatever their number; it is everything beside them that takes time, and is bounded as a single
question is.
"""

from typing import Final

from oracle.server.faults import RequestError, TooLargeError

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
