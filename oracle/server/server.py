"""One server: gRPC, health checks and HTTP, from start to drain."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Final

import grpc

from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server import connections
from position_oracle.oracle.server.admission import Admission
from position_oracle.oracle.server.auth import Access, Certificates, grpc_credentials
from position_oracle.oracle.server.compute_pool import ComputePool
from position_oracle.oracle.server.contract import DESCRIPTOR
from position_oracle.oracle.server.grpc_handlers import (
    HEALTH,
    REFLECTION,
    GrpcHandlers,
    Health,
    Reflection,
)
from position_oracle.oracle.server.logs import CallLog
from position_oracle.oracle.server.settings import ReadSettings, ServerSettings
from position_oracle.oracle.server.telemetry import Telemetry

if TYPE_CHECKING:
    from position_oracle.oracle.web.listening import Listener

SERVICE: Final = DESCRIPTOR.full_name
LIVENESS: Final = "liveness"
"""The service name whose health checks report that the process runs, ready or not."""

READINESS: Final = ("readiness", "", SERVICE)
"""The service names whose health checks report whether questions are answered."""

_FLUSH_SECONDS: Final = 0.3
"""Time to write responses and errors after the drain."""

_POLL_SECONDS: Final = 0.02
_PLAIN, _GZIP = 1, 4
_TOO_LARGE: Final = 4
"""gRPC itself refuses messages of this many times the limit, without details."""

_log = logging.getLogger(__name__)


class Server:
    """One gRPC server with health checks and reflection, on the running event loop.

    If the settings ask for it, the server also serves HTTP, with the same admission control.

    Attributes:
        settings: address, limits and times.
        port: the port of gRPC, after the start.
        admission: answers calls, and counts those in progress.
        telemetry: metrics, traces and probe pages.
    """

    def __init__(
        self,
        oracle: Callable[[], Oracle],
        settings: ServerSettings,
        pool: ComputePool | None = None,
    ) -> None:
        """Make a server, which listens after `start`; for the arguments see `Admission`.

        Raises:
            SettingsError: a file of certificates or tokens cannot be used.
            MissingExtraError: a library that the settings need is not installed.
        """
        self.settings = settings
        self.port = 0
        self._access = Access(settings)
        self.admission = Admission(oracle, settings, pool=pool)
        self.telemetry = Telemetry(settings, self.admission)
        self._health = Health(settings.max_watches, self.admission.gate)
        self._server = grpc.aio.server(options=server_options(settings))
        names = (SERVICE, HEALTH, REFLECTION)
        reflection = Reflection(names, settings.max_watches)
        self._calls = GrpcHandlers(self.admission, settings)
        self._server.add_generic_rpc_handlers(
            (self._calls, self._health.handlers(), reflection.handlers())
        )
        self._web = _web(self.admission, settings, self._access.certificates)
        self._use_access()

    @property
    def web_port(self) -> int | None:
        """The port of HTTP; None if there is none."""
        return None if self._web is None else self._web.port

    async def read_again(self, read: ReadSettings, *, force: bool = False) -> None:
        """Put changed certificates, accounts and log settings in force; open connections stay.

        For the arguments see `Access.read_again`.
        """
        is_valid = await self._access.read_again(read, force=force)
        if is_valid:
            self._use_access()
            certificates = self._access.certificates
            if self._web is not None and certificates is not None:
                await self._web.use(certificates.http)
            _log.info("certificates, tokens and log settings applied")
        if is_valid is not None:
            self.telemetry.count("rotations", "valid" if is_valid else "invalid")

    def _use_access(self) -> None:
        access = self._access
        self.admission.accounts = access.accounts
        calls = CallLog(wants_all=access.settings.access_log)
        self.admission.observers = (calls, *self.telemetry.observers)
        logging.getLogger("position_oracle").setLevel(access.settings.log_level.upper())
        if access.certificates is not None:
            self.telemetry.certified(access.certificates.texts)

    async def start(self) -> None:
        """Listen; health reports NOT_SERVING, and `port` is set.

        Raises:
            OSError: the address cannot be listened on.
        """
        address = self.settings.address
        try:
            credentials = grpc_credentials(
                lambda: self._access.certificates,
                callers_have_certificates=self.settings.tls_client_ca is not None,
            )
            if credentials is None:
                self.port = self._server.add_insecure_port(address)
            else:
                self.port = self._server.add_secure_port(address, credentials)
        except RuntimeError as error:
            raise OSError(f"cannot listen on {address}: {error}") from error
        self.admission.is_open = False
        self._report_readiness()
        self._health.set(LIVENESS, is_serving=True)
        async with AsyncExitStack() as begun:
            if self._web is not None:
                await self._web.start()
                begun.push_async_callback(self._web.stop, 0)
            await self.telemetry.start()
            begun.pop_all()
        await self._server.start()

    def be_ready(self) -> None:
        """Answer calls, and report SERVING: tables are loaded, kernels compiled."""
        self.admission.is_open = True
        self._report_readiness()

    async def stop(self) -> None:
        """Report NOT_SERVING, close the connections, answer the calls in progress, and stop.

        Calls that are not answered within the drain end with an error after which callers may
        retry. The server waits only for calls to the oracle, because a health watch never ends by
        itself.
        """
        self.admission.gate.is_leaving = True
        self._report_readiness()
        await asyncio.sleep(self.settings.notice_seconds)
        seconds = self.settings.drain_seconds
        end = asyncio.get_running_loop().time() + seconds
        stopping, gate = [], self.admission.gate
        async with gate.closed(min(connections.QUIET_SECONDS, seconds / 8)) as is_quiet:
            if self._web is not None:
                stopping.append(asyncio.create_task(self._web.stop(seconds + _FLUSH_SECONDS)))
            if is_quiet:
                # Some calls may only be late. Long answers need the callers' flow control.
                if self._is_idle and not gate.has_long:
                    connections.stop_reading(self.port)
                told = self._server.stop(seconds + 2 * _FLUSH_SECONDS)
                stopping.append(asyncio.create_task(told))
                await asyncio.sleep(_POLL_SECONDS)
        await self._idle_before(end)
        if not is_quiet:
            for _ in range(2):  # the second call reaches connections that were being made
                connections.stop_reading(self.port)
                await asyncio.sleep(_POLL_SECONDS)
        self.admission.answering.cut()
        self.admission.reading.cut()
        await self._idle_before(asyncio.get_running_loop().time() + _FLUSH_SECONDS)
        # gRPC ends calls with CANCELLED; on closed connections they end with UNAVAILABLE.
        connections.close_connections(self.port)
        await self._server.stop(None)
        await asyncio.gather(*stopping)
        self.admission.close()
        await self.telemetry.close()

    async def _idle_before(self, end: float) -> None:
        """Wait until no call is in progress and all data are sent, or until a time."""
        while asyncio.get_running_loop().time() < end:
            await asyncio.sleep(_POLL_SECONDS)
            if self._is_idle:
                return

    @property
    def _is_idle(self) -> bool:
        """Whether no call is in progress, no request arriving, and no long answer unread."""
        admission = self.admission
        return not (admission.active_calls or admission.reading or self._calls.unread_bytes)

    def _report_readiness(self) -> None:
        """Set the answers of health checks; liveness stays."""
        for name in READINESS:
            self._health.set(name, is_serving=self.admission.is_ready)


def _web(
    admission: Admission, settings: ServerSettings, certificates: Certificates | None
) -> "Listener | None":
    if settings.web is None:
        return None
    from position_oracle.oracle.web.app import make_app
    from position_oracle.oracle.web.listening import Listener

    tls = None if certificates is None else certificates.http
    return Listener(make_app(admission, settings), settings, tls, admission.gate)


def server_options(settings: ServerSettings) -> list[tuple[str, int]]:
    """Return the options of the gRPC server, those from the settings and constant ones."""
    calls = settings.max_streams * settings.max_connections
    return [
        # Workers share a port; two servers must not do so silently.
        ("grpc.so_reuseport", int(settings.workers > 1)),
        ("grpc.max_receive_message_length", _TOO_LARGE * settings.max_message_bytes),
        ("grpc.max_send_message_length", -1),
        # Messages are decompressed where their sizes are checked: gRPC would decompress those of
        # all streams at once, each to a thousand times its size. Gzip data can be recognised,
        # deflate data cannot.
        ("grpc.per_message_decompression", 0),
        ("grpc.compression_enabled_algorithms_bitset", _PLAIN | _GZIP),
        ("grpc.max_metadata_size", 16 * 1024),
        ("grpc.max_allowed_incoming_connections", settings.max_connections),
        ("grpc.max_concurrent_streams", settings.max_streams),
        # Streams that have ended count against the limit until they are gone; clients do not know,
        # and would be refused.
        ("grpc.http2.max_deallocating_streams", 16 * settings.max_streams),
        # gRPC cancels calls beyond its own queue; the service answers UNAVAILABLE, with details.
        ("grpc.server.max_pending_requests", calls),
        ("grpc.server.max_pending_requests_hard_limit", calls),
        ("grpc.server_handshake_timeout_ms", round(1000 * settings.arrival_seconds)),
        ("grpc.max_connection_idle_ms", round(1000 * settings.idle_seconds)),
        ("grpc.max_connection_age_ms", round(1000 * settings.age_seconds)),
        ("grpc.max_connection_age_grace_ms", round(2000 * settings.deadline_seconds)),
        ("grpc.keepalive_time_ms", 60_000),  # find dead clients, and keep idle paths open
        ("grpc.keepalive_timeout_ms", 20_000),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    ]
