"""Listening for HTTP/1.1 on the server's event loop, and ending slow requests."""

import asyncio
import socket
import ssl
from contextlib import suppress
from typing import Any, Final

import h11
import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from position_oracle.oracle.server.connections import Gate
from position_oracle.oracle.server.settings import ServerSettings
from position_oracle.oracle.web.guards import MAX_HEAD, MAX_LINES
from position_oracle.schema.addresses import host_and_port

_FREE_CHUNKS: Final = 128
_SMALLEST: Final = 64
"""Minimum average number of bytes of the chunks of a body, after the first chunks."""

_LENGTHS: Final = {b"content-length", b"transfer-encoding"}
"""Headers with the length of a body. If there are two, a proxy may believe the other one (RFC 9112,
6.3)."""

_MAX_IDLE: Final = 75.0
_BACKLOG: Final = 256
_POLL_SECONDS: Final = 0.02
_FIRST_SECONDS: Final = 0.5
"""How long a server that stops waits for the first requests of new connections."""

_FIRST_REQUEST: Final = "a request"


class Parser(h11.Connection):
    """Parses requests, and refuses those that take long to parse, which blocks the event loop."""

    def __init__(self) -> None:
        super().__init__(h11.SERVER, MAX_HEAD)
        self._chunks = self._bytes = 0

    def next_event(self) -> Any:
        """Return the next event.

        Raises:
            h11.RemoteProtocolError: the data are not a request, or have too many small parts.
        """
        if self.their_state is h11.IDLE:
            self._chunks = self._bytes = 0
            head = self.trailing_data[0].partition(b"\r\n\r\n")[0]
            if len(head) > MAX_HEAD or head.count(b"\n") > MAX_LINES:
                raise h11.RemoteProtocolError("too many headers", error_status_hint=431)
        event = super().next_event()
        if isinstance(event, h11.Request) and {name for name, _ in event.headers} >= _LENGTHS:
            raise h11.RemoteProtocolError("both Content-Length and Transfer-Encoding are given")
        if isinstance(event, h11.Data):
            self._chunks += 1
            self._bytes += len(event.data)
            if self._chunks > _FREE_CHUNKS and self._bytes < _SMALLEST * self._chunks:
                raise h11.RemoteProtocolError("chunks too small")
        return event


class Connection(H11Protocol):
    """A connection that knows the time of its last change of state."""

    def __init__(self, most: int, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.conn = Parser()
        self._most = most
        self._state, self._since = "", 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Refuse a connection above the maximum number."""
        super().connection_made(transport)
        if len(self.connections) > self._most:
            transport.abort()

    def send_400_response(self, msg: str) -> None:
        """Report data that are not HTTP, unless an answer has begun."""
        try:
            super().send_400_response(msg)
        except h11.LocalProtocolError:
            self.transport.abort()

    @property
    def is_new(self) -> bool:
        """Whether no request has come yet."""
        return self._waiting_for() == _FIRST_REQUEST

    def late(self, now: float, seconds: float) -> bool:
        """Return whether the server has waited for the caller for this time."""
        state = self._waiting_for()
        if state != self._state:
            self._state, self._since = state, now
        return bool(state) and now - self._since > seconds

    def _waiting_for(self) -> str:
        if self.transport.is_closing():
            return "the end"
        if self.flow.write_paused:
            return "reading the answer"
        if self.conn.their_state is h11.IDLE and self.timeout_keep_alive_task is None:
            return _FIRST_REQUEST
        if self.conn.our_state in {h11.DONE, h11.MUST_CLOSE, h11.ERROR}:
            return "the rest of a request"
        return ""


def through_gate(app: ASGIApp, gate: Gate) -> ASGIApp:
    """Wrap an application in a gate; responses tell callers that the connection ends."""

    async def passed(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_last(message: Message) -> None:
            if gate.is_leaving and message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], (b"connection", b"close")]}
            await send(message)

        await gate.passed()
        await app(scope, receive, send_last)

    return passed


def listening_socket(address: str, *, is_shared: bool) -> socket.socket:
    """Return a socket that listens on host:port; other processes may share the port or not.

    Raises:
        OSError: the address cannot be listened on.
    """
    host, port = host_and_port(address)
    family, kind, protocol, _, place = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    made = socket.socket(family, kind, protocol)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, int(is_shared))
        made.bind(place)
        made.listen(_BACKLOG)
    except OSError:
        made.close()
        raise
    return made


def _accepted_at_the_end(server: asyncio.Server, listening: socket.socket) -> list[socket.socket]:
    """Close a port. Return connections not accepted before, which the kernel would break off."""
    accepted = []
    listening.setblocking(False)
    with suppress(OSError):
        while True:
            accepted.append(listening.accept()[0])
    server.close()
    listening.close()
    return accepted


class Listener:
    """Serves an application over HTTP.

    Attributes:
        port: the port, after the start.
    """

    def __init__(
        self, app: ASGIApp, settings: ServerSettings, tls: ssl.SSLContext | None, gate: Gate
    ) -> None:
        self.port = 0
        self._settings, self._tls = settings, tls
        self._config = uvicorn.Config(
            through_gate(app, gate),
            http=H11Protocol,
            ws="none",
            lifespan="off",
            interface="asgi3",
            log_config=None,
            log_level="error",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            timeout_keep_alive=round(min(settings.idle_seconds, _MAX_IDLE)),
            h11_max_incomplete_event_size=MAX_HEAD,
        )
        self._config.load()
        self._state = ServerState()
        self._socket: socket.socket | None = None
        self._server: asyncio.Server | None = None
        self._sweeping: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Listen.

        Raises:
            OSError: the address cannot be listened on.
        """
        address = self._settings.web or ""
        try:
            self._socket = listening_socket(address, is_shared=self._settings.workers > 1)
        except OSError as error:
            raise OSError(f"cannot listen on {address}: {error}") from error
        self.port = self._socket.getsockname()[1]
        self._server = await self._serve(self._socket)
        self._sweeping = asyncio.create_task(self._sweep(self._settings.arrival_seconds))

    async def use(self, tls: ssl.SSLContext) -> None:
        """Use other certificates for new connections; the port stays open."""
        self._tls, before = tls, self._server
        if self._socket is not None and before is not None:
            self._server = await self._serve(self._socket)
            before.close()

    async def _serve(self, listening: socket.socket) -> asyncio.Server:
        return await asyncio.get_running_loop().create_server(
            self._connection,
            sock=listening.dup(),
            ssl=self._tls,
            ssl_handshake_timeout=self._settings.arrival_seconds if self._tls else None,
            backlog=_BACKLOG,
        )

    async def stop(self, seconds: float) -> None:
        """Accept no more requests, let those in progress end, and end them after a time."""
        if self._server is None or self._sweeping is None or self._socket is None:
            return
        for made in _accepted_at_the_end(self._server, self._socket):
            await self._take(made)
        # The end of a connection on which a request is under way would break it off.
        with suppress(TimeoutError):
            async with asyncio.timeout(_FIRST_SECONDS):
                await asyncio.sleep(_POLL_SECONDS)
                while any(isinstance(c, Connection) and c.is_new for c in self._state.connections):
                    await asyncio.sleep(_POLL_SECONDS)
        for connection in list(self._state.connections):
            try:
                connection.shutdown()
            except h11.LocalProtocolError:  # no answer can be sent on it any more
                connection.transport.abort()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._state.connections:
                    await asyncio.sleep(_POLL_SECONDS)
        for connection in list(self._state.connections):
            connection.transport.abort()
        self._sweeping.cancel()
        await asyncio.sleep(_POLL_SECONDS)  # calls notice that their callers have gone
        for task in list(self._state.tasks):
            task.cancel()
        await self._server.wait_closed()

    async def _take(self, made: socket.socket) -> None:
        """Serve a connection; one that ends at once is no fault."""
        timeout = self._settings.arrival_seconds if self._tls else None
        with suppress(OSError):
            await asyncio.get_running_loop().connect_accepted_socket(
                self._connection, made, ssl=self._tls, ssl_handshake_timeout=timeout
            )

    def _connection(self) -> asyncio.Protocol:
        return Connection(
            self._settings.max_connections,
            config=self._config,
            server_state=self._state,
            app_state={},
        )

    async def _sweep(self, seconds: float) -> None:
        """End connections on which the server waits for the caller too long."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(seconds / 4)
            for connection in list(self._state.connections):
                if isinstance(connection, Connection) and connection.late(loop.time(), seconds):
                    connection.transport.abort()
