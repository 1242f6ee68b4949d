"""Pages for monitoring: metrics, liveness, readiness, over HTTP on a port of their own.

The server reads one request of a connection, answers it and closes it.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Final, NamedTuple

from position_oracle.schema.addresses import host_and_port

_MAX_HEAD: Final = 8 * 1024
_MAX_CONNECTIONS: Final = 64
_SECONDS: Final = 5.0
TEXT: Final = "text/plain; charset=utf-8"

_log = logging.getLogger(__name__)


class Page(NamedTuple):
    """A page: status, content type and content."""

    status: HTTPStatus
    content_type: str
    body: bytes


Pages = Mapping[str, Callable[[], Awaitable[Page]]]


class Probes:
    """A small HTTP server of pages by their paths."""

    def __init__(self, pages: Pages) -> None:
        """Serve pages, each of which is made for every request, on the event loop."""
        self._pages = pages
        self._open = 0
        self._server: asyncio.Server | None = None

    async def start(self, address: str) -> int:
        """Listen, and give the port.

        Raises:
            OSError: the address cannot be listened on.
        """
        host, port = host_and_port(address)
        try:
            self._server = await asyncio.start_server(self._serve, host, port, limit=_MAX_HEAD)
        except OSError as error:
            raise OSError(f"cannot listen on {address}: {error.strerror}") from error
        bound: int = self._server.sockets[0].getsockname()[1]
        return bound

    def close(self) -> None:
        """Listen no more."""
        if self._server is not None:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open += 1
        try:
            with suppress(TimeoutError, ConnectionError):
                if self._open <= _MAX_CONNECTIONS:
                    async with asyncio.timeout(_SECONDS):
                        writer.write(await self._answer(reader))
                        await writer.drain()
        finally:
            self._open -= 1
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader) -> bytes:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.LimitOverrunError:
            return _written(_plain(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE))
        except asyncio.IncompleteReadError:
            return b""
        words = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ")
        if len(words) != 3 or not words[2].startswith("HTTP/1."):
            return _written(_plain(HTTPStatus.BAD_REQUEST))
        if words[0] not in {"GET", "HEAD"}:
            return _written(_plain(HTTPStatus.METHOD_NOT_ALLOWED))
        make = self._pages.get(words[1].partition("?")[0])
        if make is None:
            return _written(_plain(HTTPStatus.NOT_FOUND))
        try:
            page = await make()
        except Exception:
            _log.exception("%s failed", words[1][:80])
            page = _plain(HTTPStatus.INTERNAL_SERVER_ERROR)
        return _written(page, with_body=words[0] == "GET")


def health_page(*, is_well: bool, text: str) -> Page:
    """A page with one line: 200 where all is well, otherwise 503."""
    status = HTTPStatus.OK if is_well else HTTPStatus.SERVICE_UNAVAILABLE
    return Page(status, TEXT, text.encode() + b"\n")


def _plain(status: HTTPStatus) -> Page:
    return Page(status, TEXT, status.phrase.encode() + b"\n")


def _written(page: Page, *, with_body: bool = True) -> bytes:
    head = (
        f"HTTP/1.1 {page.status.value} {page.status.phrase}\r\n"
        f"Content-Type: {page.content_type}\r\n"
        f"Content-Length: {len(page.body)}\r\n"
        "Cache-Control: no-store\r\n"
        "Connection: close\r\n\r\n"
    )
    return head.encode("ascii") + (page.body if with_body else b"")
