"""Records of calls and their observers (log, metrics, traces), and pages for probes."""

from __future__ import annotations

import asyncio
import itertools
import logging
import re
import secrets
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

import grpc

from position_oracle.engine.budget import Cost
from position_oracle.oracle.server.errors import REQUEST_ID, BusyError, ErrorStatus, error_status
from position_oracle.oracle.server.settings import ServerSettings
from position_oracle.schema.addresses import host_and_port

if TYPE_CHECKING:
    from position_oracle.oracle.server.admission import Admission
    from position_oracle.oracle.server.auth import Account
    from position_oracle.oracle.server.metrics import Metrics
    from position_oracle.oracle.server.traces import Traces

_ID: Final = re.compile(r"[!-~]{1,128}")
_PREFIX: Final = secrets.token_hex(6)
_NUMBERS: Final = itertools.count(1)
_SAMPLE_SECONDS: Final = 1.0
_ORACLE_SAMPLES: Final = 10
"""One sample in this many also reads memory and tables."""

_FLUSH_STEPS: Final = 25
_FLUSH_SECONDS: Final = 0.25

_MAX_HEAD: Final = 8 * 1024
_MAX_CONNECTIONS: Final = 64
_SECONDS: Final = 5.0
TEXT: Final = "text/plain; charset=utf-8"

_log = logging.getLogger(__name__)

Headers = Iterable[tuple[str, str | bytes]]


@dataclass(slots=True)
class ThreadWork:
    """One piece of work of a question in a worker thread.

    Attributes:
        queue: name of the fair queue.
        kind: what the thread does: `read` the request, or answer it (`search`).
        queued: the time of queueing, in seconds of `time.monotonic` (as the next two).
        begun: the time at which a thread began; None while it waits.
        ended: the time at which the thread ended; None before.
        cpu_seconds: processor time of the thread, after its end.
    """

    queue: str
    kind: str
    queued: float
    begun: float | None = None
    ended: float | None = None
    cpu_seconds: float = 0.0

    @property
    def wait_seconds(self) -> float:
        """Seconds of waiting for a thread."""
        return (monotonic() if self.begun is None else self.begun) - self.queued


class Caller(Protocol):
    """A caller in the form that the transport has; the context of a gRPC call is a Caller."""

    def peer(self) -> str:
        """Return the address and port in gRPC's format."""

    def time_remaining(self) -> float | None:
        """Return the seconds until the deadline of the call; None if the caller set none."""

    def invocation_metadata(self) -> Headers | None:
        """Return the headers of the call, with names in lower case."""


@dataclass(slots=True, eq=False)
class CallRecord:
    """The record of one call; a context manager that informs observers at the end.

    Attributes:
        method: name of the call, e.g. `GetOutcome`.
        caller: the caller.
        observers: the objects to inform.
        headers: the headers of the call, in gRPC's form.
        request_id: the caller's, or one made here.
        account: the account of the call's token; None if no token is required.
        cost: the expected cost; None if the request was not parsed, or the event loop answered it.
        work: the work of threads; empty for a question that the event loop answered.
        code: the status code; CANCELLED if the caller has disconnected.
        error: None without an error.
        begun: the time of the beginning, in seconds of `time.perf_counter`.
        seconds: the duration, after the end.
    """

    method: str
    caller: Caller
    observers: tuple[Observer, ...] = ()
    headers: Headers = ()
    request_id: str = ""
    account: Account | None = None
    cost: Cost | None = None
    work: list[ThreadWork] = field(default_factory=list)
    code: grpc.StatusCode = grpc.StatusCode.CANCELLED
    error: ErrorStatus | None = None
    begun: float = field(default_factory=perf_counter)
    seconds: float = 0.0

    def __post_init__(self) -> None:
        """Read the headers."""
        self.headers = self.caller.invocation_metadata() or ()
        self.request_id = request_id(self.headers)

    def __enter__(self) -> CallRecord:
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = perf_counter() - self.begun
        for observer in self.observers:
            observer.ended(self)

    def fail(self, error: Exception) -> ErrorStatus:
        """Record that the call ends in an error, and return the status to send."""
        if isinstance(error, BusyError) and self.account is not None:
            self.account.calls.give_back(1.0)
        status = self.error = error_status(error, self.request_id)
        self.code = status.code
        if status.is_internal:
            facts = {"request_id": self.request_id}
            _log.exception("%s failed", self.method, extra={"facts": facts})
        return status


class Observer(Protocol):
    """Receives calls that have ended, on the event loop; must take only microseconds."""

    def ended(self, call: CallRecord) -> None:
        """Record a call."""


def request_id(headers: Headers) -> str:
    """Return the id in the headers of a request, or a new one.

    Texts of 1 to 128 printable ASCII characters are accepted unchanged.
    """
    for key, value in headers:
        if key == REQUEST_ID and isinstance(value, str) and _ID.fullmatch(value):
            return value
    return f"{_PREFIX}-{next(_NUMBERS)}"


class Telemetry:
    """Metrics, traces and probe pages of one server; a disabled one costs nothing.

    Attributes:
        observers: the objects that receive ended calls.
        port: the port of the probe pages while they are served; otherwise 0.
    """

    def __init__(self, settings: ServerSettings, admission: Admission) -> None:
        """Prepare what the settings enable.

        Raises:
            MissingExtraError: a needed package is not installed.
        """
        self._settings, self._admission = settings, admission
        self.port = 0
        self._metrics: Metrics | None = None
        self._traces: Traces | None = None
        self._sampling: asyncio.Task[None] | None = None
        self._probes: Probes | None = None
        if settings.metrics is not None:
            from position_oracle.oracle.server.metrics import Metrics

            self._metrics = Metrics()
        if settings.traces is not None:
            from position_oracle.oracle.server.traces import Traces

            self._traces = Traces.sent_to(settings.traces)
        self.observers: tuple[Observer, ...] = tuple(
            each for each in (self._metrics, self._traces) if each is not None
        )

    async def start(self) -> None:
        """Sample a server every second, or serve the pages if it is the only worker.

        Raises:
            OSError: the address of the pages cannot be listened on.
        """
        if self._settings.metrics is None:
            return
        if self._settings.workers > 1:
            self._sampling = asyncio.create_task(self._sample_each_second())
            return
        pages = {"/metrics": self._numbers, "/healthz": alive_page, "/readyz": self._ready}
        self._probes = Probes(pages)
        self.port = await self._probes.start(self._settings.metrics)

    def count(self, event: str, result: str) -> None:
        """Count an event of `Metrics.events`, e.g. of `reloads` one that `failed`."""
        if self._metrics is not None:
            self._metrics.events[event].labels(result).inc()
            self._sample()

    def certified(self, texts: Mapping[str, str]) -> None:
        """Record the first expiry date of each file's certificates (PEM)."""
        if self._metrics is not None:
            self._metrics.certified(texts)

    async def close(self) -> None:
        """Serve no more pages, and send the remaining traces for at most a quarter of a second."""
        self._sample()
        if self._sampling is not None:
            self._sampling.cancel()
        if self._probes is not None:
            self._probes.close()
        if self._traces is not None:
            sending = threading.Thread(target=self._traces.close, daemon=True)
            sending.start()
            for _ in range(_FLUSH_STEPS):
                if sending.is_alive():
                    await asyncio.sleep(_FLUSH_SECONDS / _FLUSH_STEPS)

    def _ready(self) -> ProbePage:
        return ready_page(is_ready=self._admission.is_ready)

    def _numbers(self) -> ProbePage:
        assert self._metrics is not None  # noqa: S101 - who has none shows none
        self._sample()
        return self._metrics.page()

    def _sample(self, *, with_oracle: bool = True) -> None:
        if self._metrics is not None:
            self._metrics.sample(self._admission)
            if with_oracle:
                self._metrics.sample_oracle(self._admission.oracle)

    async def _sample_each_second(self) -> None:
        for number in itertools.count():
            self._sample(with_oracle=number % _ORACLE_SAMPLES == 0)
            await asyncio.sleep(_SAMPLE_SECONDS)


def alive_page() -> ProbePage:
    """Return the page that reports that the process runs."""
    return health_page(is_well=True, text="alive")


def ready_page(*, is_ready: bool) -> ProbePage:
    """Return the page that reports whether questions are answered: 200 or 503."""
    return health_page(is_well=is_ready, text="ready" if is_ready else "not ready")


class ProbePage(NamedTuple):
    """A page: status, content type and content."""

    status: HTTPStatus
    content_type: str
    body: bytes


Pages = Mapping[str, Callable[[], ProbePage]]


class Probes:
    """A small HTTP server of pages by their paths."""

    def __init__(self, pages: Pages) -> None:
        """Set the pages by path; a thread makes a page for every request."""
        self._pages = pages
        self._open = 0
        self._server: asyncio.Server | None = None

    async def start(self, address: str) -> int:
        """Listen, and return the port.

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
        """Stop listening."""
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
            page = await asyncio.to_thread(make)
        except Exception:
            _log.exception("%s failed", words[1][:80])
            page = _plain(HTTPStatus.INTERNAL_SERVER_ERROR)
        return _written(page, with_body=words[0] == "GET")


def health_page(*, is_well: bool, text: str) -> ProbePage:
    """Make a page with one line: status 200 if all is well, otherwise 503."""
    status = HTTPStatus.OK if is_well else HTTPStatus.SERVICE_UNAVAILABLE
    return ProbePage(status, TEXT, text.encode() + b"\n")


def _plain(status: HTTPStatus) -> ProbePage:
    return ProbePage(status, TEXT, status.phrase.encode() + b"\n")


def _written(page: ProbePage, *, with_body: bool = True) -> bytes:
    head = (
        f"HTTP/1.1 {page.status.value} {page.status.phrase}\r\n"
        f"Content-Type: {page.content_type}\r\n"
        f"Content-Length: {len(page.body)}\r\n"
        "Cache-Control: no-store\r\n"
        "Connection: close\r\n\r\n"
    )
    return head.encode("ascii") + (page.body if with_body else b"")
