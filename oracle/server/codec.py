"""The codec of the wire format, and checks of messages before parsing.

Parsing blocks the interpreter, so it has to be short. Packed coordinates are copied in one
operation. All other fields take time, and have the limit of a single question.
"""

import zlib
from enum import Enum
from typing import Final, TypeVar

from google.protobuf.message import DecodeError, Message

from position_oracle.oracle.server.errors import RequestError, check_bytes
from position_oracle.oracle.server.settings import ServerSettings

GZIP: Final = b"\x1f\x8b"
"""The first bytes of gzip data; no message begins with them."""

_WINDOW: Final = 31
"""Window size of gzip data with a header, for zlib."""

_MAX_FIELDS: Final = 64
_BYTES: Final = 2
_FIXED: Final = {1: 8, 5: 4}
_POSITIONS: Final = 1
_COORDINATES: Final = 3

M = TypeVar("M", bound=Message)


class Size(Enum):
    """Limits on the requests of a call."""

    QUESTION = 1
    """A question about one position."""
    PACKED = 2
    """A batch, whose coordinates are packed."""
    LIST = 3
    """A list of positions, as long as eight questions."""
    GRAPH = 4
    """A graph, whose moves are packed."""


class Codec:
    """The wire format of protocol buffers; other codecs derive from it.

    Attributes:
        quick_bytes: a thread writes responses of more bytes in the wire format.
    """

    quick_bytes = 2**31

    def longest(self, settings: ServerSettings, size: Size) -> int:
        """Return the maximum number of bytes of a request."""
        if size is Size.QUESTION:
            return min(settings.max_question_bytes, settings.max_message_bytes)
        if size is Size.LIST:
            return min(8 * settings.max_question_bytes, settings.max_message_bytes)
        return settings.max_message_bytes

    def check(self, serialized: bytes, settings: ServerSettings, size: Size) -> None:
        """Check the size of a request before parsing, which blocks the interpreter.

        Raises:
            TooLargeError: the request is too long, or most of it is not packed.
            RequestError: the request is not in the wire format, or has more than 64 fields.
        """
        check_size(serialized, self.longest(settings, size))
        most = settings.max_question_bytes
        if len(serialized) > most and size in {Size.PACKED, Size.GRAPH}:
            said = "the message has {} bytes beside its coordinates"
            check_bytes(self.beside(serialized, size), most, said, "question_bytes")

    def beside(self, serialized: bytes, size: Size) -> int:
        """Return the number of bytes of a long request beside its packed numbers."""
        fields = _fields(serialized, 0, len(serialized))
        if size is Size.GRAPH:
            return 0
        return len(serialized) - sum(
            inner_end - inner
            for field, start, end in fields
            if field == _POSITIONS
            for inner_field, inner, inner_end in _fields(serialized, start, end)
            if inner_field == _COORDINATES
        )

    def read(self, kind: type[M], serialized: bytes) -> M:
        """Parse a message.

        Raises:
            RequestError: the bytes are not a message of this type.
        """
        try:
            return kind.FromString(serialized)
        except DecodeError:
            raise RequestError(f"the message is not a {kind.DESCRIPTOR.name}") from None

    def response(self, kind: type[Message], serialized: bytes) -> bytes:
        """Return the bytes of a response in this codec, from those in the wire format."""
        return serialized


PROTO: Final = Codec()


def check_size(serialized: bytes, limit: int) -> None:
    """Check the length of a message.

    Raises:
        TooLargeError: the message is longer than the limit.
    """
    check_bytes(len(serialized), limit, "the message has {} bytes")


def gunzipped(data: bytes, most: int) -> bytes:
    """Decompress gzip data.

    Raises:
        TooLargeError: there are more than `most` bytes, of which no more are decompressed.
        RequestError: the data are incomplete or damaged.
    """
    unpacking = zlib.decompressobj(wbits=_WINDOW)
    try:
        found = unpacking.decompress(data, most + 1)
    except zlib.error:
        raise RequestError("the message is not gzip data") from None
    check_bytes(len(found), most, f"the message has more than {most} bytes")
    if not unpacking.eof or unpacking.unused_data:
        raise RequestError("the gzip data is cut off, or continues after its end")
    return found


def _fields(data: bytes, start: int, end: int) -> list[tuple[int, int, int]]:
    """Return number, begin and end of each field in a part of a message."""
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
