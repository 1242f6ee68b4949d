"""The protocols of a POST: Connect in JSON or the wire format, and gRPC-Web.

A protocol parses the message in the body of a request, and writes a response or an error.
https://connectrpc.com/docs/protocol, https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md
"""

import base64
import binascii
import json
import re
import struct
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import parse_qsl, quote

import grpc
from google.protobuf import json_format
from google.protobuf.message import Message
from starlette.responses import Response
from typing_extensions import override

from position_oracle.oracle.server.codec import PROTO, Codec, Size, gunzipped
from position_oracle.oracle.server.errors import (
    ErrorStatus,
    FieldError,
    NoSuchCallError,
    RequestError,
)
from position_oracle.oracle.server.settings import ServerSettings
from position_oracle.oracle.web.json_codec import JSON

HTTP_STATUS: Final = {
    "CANCELLED": 499, "UNKNOWN": 500, "INVALID_ARGUMENT": 400, "DEADLINE_EXCEEDED": 504,
    "NOT_FOUND": 404, "ALREADY_EXISTS": 409, "PERMISSION_DENIED": 403, "RESOURCE_EXHAUSTED": 429,
    "FAILED_PRECONDITION": 400, "ABORTED": 409, "OUT_OF_RANGE": 400, "UNIMPLEMENTED": 501,
    "INTERNAL": 500, "UNAVAILABLE": 503, "DATA_LOSS": 500, "UNAUTHENTICATED": 401,
}  # fmt: skip
"""The HTTP status of each gRPC status, as the Connect protocol defines it."""

MAX_PARAMETERS: Final = 16
"""Maximum number of parameters of a URL."""

_FRAME: Final = struct.Struct(">BI")
_TRAILERS: Final = 0x80
_PLAIN: Final = "identity"
_COMPRESSED: Final = 1
_MILLISECONDS: Final = re.compile(r"[0-9]{1,10}")
_TIMEOUT: Final = re.compile(r"([0-9]{1,8})([HMSmun])")
_SECONDS: Final = {"H": 3600.0, "M": 60.0, "S": 1.0, "m": 1e-3, "u": 1e-6, "n": 1e-9}


class Connect:
    """The Connect protocol for one content type; the body is the message."""

    def __init__(self, codec: Codec, content_type: str) -> None:
        self.codec = codec
        self.content_type = content_type

    def longest(self, settings: ServerSettings, size: Size) -> int:
        """Return the maximum number of bytes of the body of a request."""
        return self.codec.longest(settings, size)

    def seconds(self, headers: Mapping[str, str]) -> float | None:
        """Return the deadline of the caller, in seconds.

        Raises:
            RequestError: the deadline is malformed.
        """
        text = headers.get("connect-timeout-ms")
        if text is None:
            return None
        if not _MILLISECONDS.fullmatch(text):
            raise RequestError("Connect-Timeout-Ms takes at most ten digits")
        return int(text) / 1000

    def opened(self, body: bytes, headers: Mapping[str, str], most: int) -> bytes:
        """Return the message in a body, of at most `most` bytes.

        Raises:
            RequestError: the body has no message.
            ResourceLimitError: the message is longer.
            NoSuchCallError: the compression is unknown.
        """
        return _unpacked(body, headers.get("content-encoding", _PLAIN), most)

    def sealed(self, message: bytes) -> Response:
        """Return the response with a message."""
        return Response(message, media_type=self.content_type)

    def refused(self, status: ErrorStatus) -> Response:
        """Return the response for an error."""
        return refusal(status)


class GrpcWeb(Connect):
    """gRPC-Web for unary calls: one frame with the message, one frame with the status."""

    def __init__(self, content_type: str) -> None:
        super().__init__(PROTO, content_type)
        self._is_text = "-text" in content_type

    @override
    def longest(self, settings: ServerSettings, size: Size) -> int:
        longest = self.codec.longest(settings, size) + _FRAME.size
        return longest * 4 // 3 + 4 if self._is_text else longest

    @override
    def seconds(self, headers: Mapping[str, str]) -> float | None:
        text = headers.get("grpc-timeout")
        if text is None:
            return None
        if (found := _TIMEOUT.fullmatch(text)) is None:
            raise RequestError("grpc-timeout takes at most eight digits and a unit")
        return int(found[1]) * _SECONDS[found[2]]

    @override
    def opened(self, body: bytes, headers: Mapping[str, str], most: int) -> bytes:
        body = _unpacked(body, headers.get("content-encoding", _PLAIN), len(body))
        if self._is_text:
            try:
                body = base64.b64decode(body, validate=True)
            except binascii.Error:
                raise RequestError("the body is not base64 text") from None
        if len(body) < _FRAME.size:
            raise RequestError("the call has no message")
        flags, size = _FRAME.unpack_from(body)
        if flags not in {0, _COMPRESSED} or len(body) != _FRAME.size + size:
            raise RequestError("the body is not one frame with one message")
        encoding = headers.get("grpc-encoding", _PLAIN) if flags else _PLAIN
        return _unpacked(body[_FRAME.size :], encoding, most)

    @override
    def sealed(self, message: bytes) -> Response:
        return self._response(_frame(0, message), "grpc-status: 0\r\n")

    @override
    def refused(self, status: ErrorStatus) -> Response:
        details = base64.b64encode(status.status.SerializeToString()).decode().rstrip("=")
        code: tuple[int, str] = status.code.value
        return self._response(
            b"",
            f"grpc-status: {code[0]}\r\ngrpc-message: {quote(status.message, safe=_UNQUOTED)}\r\n"
            f"grpc-status-details-bin: {details}\r\n",
        )

    def _response(self, frames: bytes, trailers: str) -> Response:
        body = frames + _frame(_TRAILERS, trailers.encode())
        if self._is_text:
            body = base64.b64encode(body)
        return Response(body, media_type=self.content_type)


_UNQUOTED: Final = "".join(map(chr, range(0x20, 0x7F))).replace("%", "")


def _unpacked(data: bytes, encoding: str, most: int) -> bytes:
    """Decompress data to at most `most` bytes."""
    if encoding == _PLAIN:
        return data
    if encoding != "gzip":
        raise NoSuchCallError(f"the encoding {encoding[:40]!r} is not read; gzip is")
    return gunzipped(data, most)


def _frame(flags: int, data: bytes) -> bytes:
    return _FRAME.pack(flags, len(data)) + data


def refusal(status: ErrorStatus) -> Response:
    """Return the response for an error in Connect, with details for programs."""
    return _refusal(status, {"details": [_detail(detail) for detail in status.details]})


def line(status: ErrorStatus) -> Response:
    """Return the response for an error in one line for people."""
    field = {"field": status.field} if status.field else {}
    return _refusal(status, {"reason": status.reason, **field, "metadata": status.facts})


def _refusal(status: ErrorStatus, more: Mapping[str, Any]) -> Response:
    code = "canceled" if status.code is grpc.StatusCode.CANCELLED else status.code.name.lower()
    response = Response(
        json.dumps({"code": code, "message": status.message, **more}) + "\n",
        HTTP_STATUS[status.code.name],
        media_type="application/json",
    )
    response.headers["cache-control"] = "no-store"
    if status.retry_seconds is not None:
        response.headers["retry-after"] = str(max(1, round(status.retry_seconds)))
    if status.code is grpc.StatusCode.UNAUTHENTICATED:
        response.headers["www-authenticate"] = "Bearer"
    return response


def _detail(detail: Message) -> dict[str, Any]:
    value = base64.b64encode(detail.SerializeToString()).decode().rstrip("=")
    return {
        "type": detail.DESCRIPTOR.full_name,
        "value": value,
        "debug": json_format.MessageToDict(detail),
    }


CONNECT: Final[Mapping[str, Connect]] = {
    "json": Connect(JSON, "application/json"),
    "proto": Connect(PROTO, "application/proto"),
}
"""Connect by the encoding of its messages."""


def read_query(query: bytes) -> dict[str, str]:
    """Return the parameters of the query of a URL, each given once.

    Raises:
        RequestError, FieldError: the query is not UTF-8, has too many parameters, or repeats one.
    """
    try:
        pairs = parse_qsl(
            query.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=MAX_PARAMETERS,
        )
    except UnicodeDecodeError:
        raise RequestError("the query is not UTF-8 text, percent-encoded") from None
    except ValueError:
        raise RequestError(f"the query has more than {MAX_PARAMETERS} parameters") from None
    if twice := {name for name, _ in pairs if sum(name == other for other, _ in pairs) > 1}:
        raise FieldError(min(twice)[:40], RequestError("is given twice"))
    return dict(pairs)


def opened_query(query: bytes, most: Callable[[Codec], int]) -> tuple[bytes, Connect]:
    """Return the message in the query of a GET, and its protocol.

    Args:
        query: the query of the URL.
        most: returns the maximum number of bytes of a message in a codec.

    Raises:
        RequestError: the query has no message.
        NoSuchCallError: the encoding is unknown.
        ResourceLimitError: the message is longer.
    """
    pairs = read_query(query)
    if unknown := pairs.keys() - _PARAMETERS:
        known = ", ".join(sorted(_PARAMETERS))
        raise FieldError(min(unknown)[:40], RequestError(f"is not a parameter; there are: {known}"))
    if "message" not in pairs:
        raise FieldError("message", RequestError("is missing; give the request"))
    encoding = pairs.get("encoding", "")
    if encoding not in CONNECT:
        known = ", ".join(CONNECT)
        raise FieldError("encoding", RequestError(f"is {encoding[:40]!r}; there are: {known}"))
    if pairs.get("connect", "v1") != "v1":
        raise FieldError("connect", RequestError(f"is {pairs['connect'][:40]!r}; it is v1"))
    message, protocol = pairs["message"].encode(), CONNECT[encoding]
    if pairs.get("base64") == "1":
        try:
            padding = b"=" * (-len(message) % 4)
            message = base64.b64decode(message + padding, b"-_", validate=True)
        except binascii.Error:
            raise FieldError("message", RequestError("is no URL-safe base64 text")) from None
    compression = pairs.get("compression", _PLAIN)
    return _unpacked(message, compression, most(protocol.codec)), protocol


_PARAMETERS: Final = frozenset({"connect", "encoding", "message", "base64", "compression"})

PROTOCOLS: Final[Mapping[str, Connect]] = {
    **{protocol.content_type: protocol for protocol in CONNECT.values()},
    **{
        kind: GrpcWeb(kind)
        for kind in (
            "application/grpc-web",
            "application/grpc-web+proto",
            "application/grpc-web-text",
            "application/grpc-web-text+proto",
        )
    },
}
"""The protocol of each content type."""
