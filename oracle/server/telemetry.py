"""Records of calls, and their observers: the log, metrics, traces; pages for probes."""

from __future__ import annotations

import asyncio
import itertools
import re
import secrets
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from time import monotonic
from typing import TYPE_CHECKING, Final, Protocol

import grpc

from position_oracle.engine.budget import Cost
from position_oracle.oracle.server.errors import REQUEST_ID, ErrorStatus
from position_oracle.oracle.server.probes import Page, Probes, health_page
from position_oracle.oracle.server.settings import ServerSettings

if TYPE_CHECKING:
    from position_oracle.oracle.server.admission import Admission
    from position_oracle.oracle.server.auth import Account
    from position_oracle.oracle.server.metrics import Metrics

_ID: Final = re.compile(r"[!-~]{1,128}")
_PREFIX: Final = secrets.token_hex(6)
_NUMBERS: Final = itertools.count(1)
_SAMPLE_SECONDS: Final = 1.0
_ORACLE_SAMPLES: Final = 10
"""One sample in this many also reads memory and tables."""

_FLUSH_STEPS: Final = 25
_FLUSH_SECONDS: Final = 0.25

Headers = Iterable[tuple[str, str | bytes]]


@dataclass(slots=True)
class ThreadWork:
    """One piece of work that a question has a worker thread do.

    Attributes:
        queue: name of the fair queue.
        kind: what the thread does: `read` the request, or answer it (`search`).
        queued: when it was queued, in seconds of `time.monotonic`, as are the next two.
        begun: when a thread began; None while it waits.
        ended: when the thread ended; None before.
        cpu_seconds: processor time that the thread used, once it has ended.
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


@dataclass(slots=True)
class Usage:
    """Who asked, the expected cost of the question, and what it used.

    Attributes:
        account: the account of the token that the call carries; None where none is needed.
        cost: the expected cost; None where the request was not read, or was answered at once.
        work: of worker threads; empty for a question that was answered at once.
    """

    account: Account | None = None
    cost: Cost | None = None
    work: list[ThreadWork] = field(default_factory=list)

    @property
    def cpu_seconds(self) -> float:
        """Processor time of the worker threads."""
        return sum(work.cpu_seconds for work in self.work)


@dataclass(frozen=True, slots=True)
class EndedCall:
    """A call that has ended.

    Attributes:
        method: name of the call, e.g. `GetOutcome`.
        request_id: the caller's, or one made here.
        peer: the caller's address as gRPC writes it.
        headers: of the call, as gRPC has them.
        code: the status code; CANCELLED where the caller has gone.
        seconds: how long it took.
        usage: who asked, and what the call used.
        error: None where there was none.
    """

    method: str
    request_id: str
    peer: str
    headers: Headers
    code: grpc.StatusCode
    seconds: float
    usage: Usage
    error: ErrorStatus | None = None


class Observer(Protocol):
    """Receives calls that have ended, on the event loop: it takes microseconds."""

    @property
    def wants_all(self) -> bool:
        """Whether it receives all calls, not errors alone."""

    def ended(self, call: EndedCall) -> None:
        """Record a call."""


class Observers:
    """The observers of a server.

    Attributes:
        of_all: those that receive every call.
        of_errors: those that receive the calls that ended in an error, which are all observers.
    """

    def __init__(self, observers: Iterable[Observer]) -> None:
        self.of_errors = tuple(observers)
        self.of_all = tuple(observer for observer in self.of_errors if observer.wants_all)


def request_id(headers: Headers) -> str:
    """The id in the headers of a request, or a new one.

    Texts of 1 to 128 printable ASCII characters are taken as they are.
    """
    for key, value in headers:
        if key == REQUEST_ID and isinstance(value, str) and _ID.fullmatch(value):
            return value
    return f"{_PREFIX}-{next(_NUMBERS)}"


class Telemetry:
    """Metrics, traces and probe pages of one server; each costs nothing where it is off.

    Attributes:
        observers: receive calls that have ended.
        port: of the probe pages while they are served; otherwise 0.
    """

    def __init__(self, settings: ServerSettings) -> None:
        """Prepare what the settings ask for.

        Raises:
            MissingExtraError: a package for it is not installed.
        """
        self._settings = settings
        self.port = 0
        self.observers: tuple[Observer, ...] = ()
        self._metrics: Metrics | None = None
        self._sampling: asyncio.Task[None] | None = None
        self._probes: Probes | None = None
        self._sample: Callable[[], None] = lambda: None
        self._close_traces: Callable[[], None] = lambda: None
        if settings.metrics is not None:
            from position_oracle.oracle.server.metrics import Metrics

            self._metrics = Metrics()
            self.observers += (self._metrics,)
        if settings.traces is not None:
            from position_oracle.oracle.server.traces import Traces

            traces = Traces.sent_to(settings.traces)
            self._close_traces = traces.close
            self.observers += (traces,)

    async def start(self, admission: Admission) -> None:
        """Sample a server every second, or serve the pages where it is the only worker.

        Raises:
            OSError: the address of the pages cannot be listened on.
        """
        address, metrics = self._settings.metrics, self._metrics
        if address is None or metrics is None:
            return

        def sample(*, with_oracle: bool = True) -> None:
            metrics.sample(admission)
            if with_oracle:
                metrics.sample_oracle(admission.oracle)

        async def numbers() -> Page:
            from position_oracle.oracle.server.metrics import CONTENT_TYPE

            sample()
            return Page(HTTPStatus.OK, CONTENT_TYPE, await asyncio.to_thread(metrics.written))

        async def alive() -> Page:
            return health_page(is_well=True, text="alive")

        async def ready() -> Page:
            return ready_page(is_ready=admission.is_ready)

        self._sample = sample
        if self._settings.workers > 1:
            self._sampling = asyncio.create_task(_sample_each_second(sample))
            return
        self._probes = Probes({"/metrics": numbers, "/healthz": alive, "/readyz": ready})
        self.port = await self._probes.start(address)

    def reloaded(self, result: str) -> None:
        """Count an attempt to load tables: `loaded`, `repaired` or `failed`."""
        if self._metrics is not None:
            self._metrics.reloaded(result)
            self._sample()

    def rotated(self, *, is_valid: bool) -> None:
        """Count an attempt to take up certificates, tokens and settings that have changed."""
        if self._metrics is not None:
            self._metrics.rotated(is_valid=is_valid)

    def certified(self, expiry: Mapping[str, float]) -> None:
        """Record when the certificates of files end, in seconds since 1970."""
        if self._metrics is not None:
            self._metrics.certified(expiry)

    async def close(self) -> None:
        """Serve no more pages, and send the remaining traces for at most a quarter of a second."""
        self._sample()
        if self._sampling is not None:
            self._sampling.cancel()
        if self._probes is not None:
            self._probes.close()
        sending = threading.Thread(target=self._close_traces, daemon=True)
        sending.start()
        for _ in range(_FLUSH_STEPS):
            if sending.is_alive():
                await asyncio.sleep(_FLUSH_SECONDS / _FLUSH_STEPS)


def ready_page(*, is_ready: bool) -> Page:
    """Whether questions are answered: 200 or 503."""
    return health_page(is_well=is_ready, text="ready" if is_ready else "not ready")


async def _sample_each_second(sample: Callable[..., None]) -> None:
    for number in itertools.count():
        sample(with_oracle=number % _ORACLE_SAMPLES == 0)
        await asyncio.sleep(_SAMPLE_SECONDS)
