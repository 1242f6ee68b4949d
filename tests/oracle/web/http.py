"""Calls over HTTP, as programs and browsers make them, and bytes that no program would send."""

import base64
import json
import socket
import struct
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any

from tests.clock import PATIENCE

SERVICE = "position_oracle.v1.PositionOracle"
JSON = "application/json"
PROTO = "application/proto"
GRPC_WEB = "application/grpc-web+proto"
GRPC_WEB_TEXT = "application/grpc-web-text"


@dataclass(frozen=True)
class Reply:
    """A response: its status, its headers with names in lower case, and its body."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()


def ask(
    port: int,
    target: str,
    body: bytes | None = None,
    method: str | None = None,
    headers: dict[str, str] | None = None,
) -> Reply:
    """Send one request on a connection of its own."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=2 * PATIENCE)) as connection:
        connection.request(
            method or ("GET" if body is None else "POST"), target, body, headers or {}
        )
        response = connection.getresponse()
        names = {name.lower(): value for name, value in response.getheaders()}
        return Reply(response.status, names, response.read())


def get(port: int, target: str, **headers: str) -> Reply:
    """Ask by an address. Underscores in names of headers stand for hyphens."""
    return ask(port, target, headers={k.replace("_", "-"): v for k, v in headers.items()})


def post(
    port: int, call: str, body: bytes, kind: str = JSON, headers: dict[str, str] | None = None
) -> Reply:
    """Make a call of the contract."""
    return ask(port, f"/{SERVICE}/{call}", body, headers={"Content-Type": kind, **(headers or {})})


def post_json(port: int, call: str, message: object) -> Reply:
    """Make a call of the contract in JSON."""
    return post(port, call, json.dumps(message).encode())


def grpc_web(
    port: int, call: str, message: bytes, kind: str = GRPC_WEB
) -> tuple[bytes | None, dict[str, str]]:
    """Make a call in gRPC-Web. Returns the message of the response, and its trailers."""
    is_text = "-text" in kind
    body = struct.pack(">BI", 0, len(message)) + message
    reply = post(port, call, base64.b64encode(body) if is_text else body, kind)
    assert reply.status == 200, reply
    assert reply.headers["content-type"] == kind
    return opened(base64.b64decode(reply.body) if is_text else reply.body)


def opened(body: bytes) -> tuple[bytes | None, dict[str, str]]:
    """Return the message and the trailers of a body in gRPC-Web."""
    message = None
    while True:
        flags, size = struct.unpack_from(">BI", body)
        data, body = body[5 : 5 + size], body[5 + size :]
        if flags & 0x80:
            assert not body
            lines = data.decode("ascii").split("\r\n")
            return message, dict(line.split(": ", 1) for line in lines if line)
        message = data


def raw(port: int, data: bytes, *, ends: bool = False, seconds: float = PATIENCE) -> bytes:
    """Send bytes, and read until the server closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
        try:
            connection.sendall(data)
            if ends:
                connection.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: connection.recv(65536), b""))
        except (ConnectionResetError, BrokenPipeError):
            return b""
