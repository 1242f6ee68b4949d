"""Messages as JSON, by the standard mapping of protocol buffers."""

import base64
import json
import math
import re
from collections.abc import Callable
from functools import cache
from typing import Any, Final, TypeVar

from google.protobuf import json_format
from google.protobuf.any_pb2 import Any as Any_
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from position_oracle.engine.budget import current
from position_oracle.oracle.server.codec import Codec, Size
from position_oracle.oracle.server.errors import RequestError
from position_oracle.oracle.server.settings import ServerSettings

MAX_JSON: Final = 2 * 1024 * 1024
"""Maximum number of bytes of a batch in JSON. Parsing it blocks the interpreter for milliseconds;
longer batches need the wire format."""

_DEEPEST: Final = 32
_PACKED: Final = re.compile(rb'"coordinates"\s*:\s*"([^"\\]*)"')
_LARGE: Final = 64 * 1024
_WIDTH: Final = 96
_LONG: Final = {FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_UINT64}
_PIECE: Final = 96 * 1024
"""Number of bytes encoded at a time; a multiple of three."""

M = TypeVar("M", bound=Message)


class JsonCodec(Codec):
    """JSON in one line, or in several lines for people."""

    quick_bytes = 2048

    def __init__(self, *, is_readable: bool = False) -> None:
        self._is_readable = is_readable

    def longest(self, settings: ServerSettings, size: Size) -> int:
        """Return the maximum number of bytes of a request."""
        return min(super().longest(settings, size), MAX_JSON)

    def beside(self, serialized: bytes, size: Size) -> int:
        """Return the number of bytes of a long request beside its packed numbers."""
        packed = _PACKED.search(serialized)
        return 0 if size is Size.GRAPH else len(serialized) - len(packed[1] if packed else b"")

    def read(self, kind: type[M], serialized: bytes) -> M:
        """Parse a message.

        Raises:
            RequestError: the text is not JSON, or not a message of this type.
        """
        message = kind()
        try:
            json_format.Parse(_object(serialized), message, max_recursion_depth=_DEEPEST)
        except (ValueError, RecursionError, json_format.ParseError) as error:
            name = kind.DESCRIPTOR.name
            raise RequestError(f"the message is not a {name} in JSON: {error}") from None
        return message

    def response(self, kind: type[Message], serialized: bytes) -> bytes:
        """Return the JSON of a response."""
        return self.write(kind.FromString(serialized))

    def write(self, message: Message) -> bytes:
        """Return the JSON of a message; long bytes are written in pieces, and come last."""
        large = {
            field: value
            for field, value in message.ListFields()
            if field.type == FieldDescriptor.TYPE_BYTES and len(value) > _LARGE
        }
        if large:
            rest = type(message)()
            rest.CopyFrom(message)
            for field in large:
                rest.ClearField(field.name)
            message = rest
        found = plain(message)
        written = (_lines(found) + "\n" if self._is_readable else _line(found)).encode()
        for field, value in large.items():
            written = _with_bytes(written, field.json_name, value)
        return written


def _object(serialized: bytes) -> str:
    """Return the text of a JSON object; other JSON is not a message.

    Raises:
        ValueError: the JSON is not an object.
    """
    text = serialized.decode()
    if text.lstrip()[:1] not in {"", "{"}:
        raise ValueError("it is not an object")
    return text


def _line(value: Any) -> str:
    """Return JSON in one line, made item by item if it is long, so that no step takes long."""
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {_line(part)}" for key, part in value.items()]
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(json.dumps, value)) + "]"
    return json.dumps(value)


def _lines(value: Any, indent: int = 0) -> str:
    """Return JSON for people: an object that fits into a line is written in one."""
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {_lines(part, indent + 2)}" for key, part in value.items()]
    elif isinstance(value, list):
        parts = [_lines(part, indent + 2) for part in value]
    else:
        return json.dumps(value, ensure_ascii=False)
    first, last = "{}" if isinstance(value, dict) else "[]"
    width = indent + 2 + sum(len(part) + 2 for part in parts)
    if width <= _WIDTH and not any("\n" in part for part in parts):
        return first + ", ".join(parts) + last
    inner = "\n" + " " * (indent + 2)
    return first + inner + f",{inner}".join(parts) + "\n" + " " * indent + last


def _with_bytes(written: bytes, name: str, value: bytes) -> bytes:
    """Return an object with one more entry."""
    head = written.rstrip().removesuffix(b"}").rstrip()
    comma = b"" if head == b"{" else b","
    pieces = (
        base64.b64encode(value[start : start + _PIECE]) for start in range(0, len(value), _PIECE)
    )
    return b"".join((head, comma, f'"{name}":"'.encode(), *pieces, b'"}\n'))


def plain(message: Message) -> dict[str, Any]:
    """Return a message as a dictionary, by the standard mapping.

    The result equals that of `json_format.MessageToDict`; this function is faster, and checks the
    budget.
    """
    current().check()
    found = {}
    for field, value in message.ListFields():
        name, of = _way(field)
        found[name] = of(value)
    return found


@cache
def _way(field: Any) -> tuple[str, Callable[[Any], Any]]:
    """Return the name of a field in JSON, and the writer of its value."""
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        return field.json_name, dict  # of texts: the contract has no others
    one = _one(field)
    if not field.is_repeated:
        return field.json_name, one
    return field.json_name, lambda values: [one(value) for value in values]


def _one(field: Any) -> Callable[[Any], Any]:
    if field.message_type is not None:
        return _WRITERS.get(field.message_type.full_name, plain)
    if field.enum_type is not None:
        names = {value.number: value.name for value in field.enum_type.values}
        return lambda number: names.get(number, number)
    if field.cpp_type in _LONG:
        return str
    if field.cpp_type == FieldDescriptor.CPPTYPE_DOUBLE:
        return _number
    if field.type == FieldDescriptor.TYPE_BYTES:
        return lambda value: base64.b64encode(value).decode()
    return lambda value: value


_WRITERS: Final[dict[str, Callable[[Any], Any]]] = {
    Timestamp.DESCRIPTOR.full_name: Timestamp.ToJsonString,
    Duration.DESCRIPTOR.full_name: Duration.ToJsonString,
    Any_.DESCRIPTOR.full_name: json_format.MessageToDict,
}
"""Writers of messages that are not objects in JSON."""


def _number(value: float) -> float | str:
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


JSON: Final = JsonCodec()
READABLE: Final = JsonCodec(is_readable=True)
