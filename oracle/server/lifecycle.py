"""A server's life: built, started, told of new tables, drained and stopped."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from oracle.server.backend import Backend
from oracle.server.handlers import DESCRIPTOR, Edge
from oracle.server.service import OracleService
from oracle.server.settings import ServerSettings

SERVICE: Final = DESCRIPTOR.full_name
_FLUSH_SECONDS: Final = 0.5
_POLL_SECONDS: Final = 0.02

_log = logging.getLogger(__name__)


class Server:
    """One gRPC server with health checks and reflection, on the running event loop."""

    def __init__(self, oracle: Callable[[], Backend], settings: ServerSettings) -> None:
        """Build a server; it listens once started.

        Args:
            oracle: gives the oracle to ask, called once for each call.
            settings: address, limits and times.
        """
        self.settings = settings
        self.port = 0
        self._threads = ThreadPoolExecutor(settings.batch_threads, "oracle-batch")
        service = OracleService(oracle, settings, self._threads)
        self._edge = Edge(service, access_log=settings.access_log)
        self._health = health.aio.HealthServicer()
        self._server = grpc.aio.server(
            options=server_options(settings), maximum_concurrent_rpcs=settings.max_concurrent_calls
        )
        self._edge.add_to(self._server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        names = (SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, self._server)

    async def start(self) -> None:
        """Listen and answer; `port` is then the port listened on.

        Raises:
            OSError: the address cannot be listened on.
        """
        address = self.settings.address
        try:
            self.port = self._server.add_insecure_port(address)
        except RuntimeError as error:
            raise OSError(f"cannot listen on {address}: {error}") from error
        for name in ("", SERVICE):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        await self._server.start()

    async def stop(self) -> None:
        """Say NOT_SERVING, refuse new calls, finish those in progress, and stop.

        Only calls to the oracle are waited for: a health watch never ends by itself.
        """
        await self._health.enter_graceful_shutdown()
        await asyncio.sleep(self.settings.notice_seconds)
        draining = asyncio.create_task(self._server.stop(self.settings.drain_seconds))
        while self._edge.active_calls and not draining.done():
            await asyncio.sleep(_POLL_SECONDS)
        await self._server.stop(_FLUSH_SECONDS)
        await draining
        self._threads.shutdown(wait=False, cancel_futures=True)


def server_options(settings: ServerSettings) -> list[tuple[str, int]]:
    """Options of the gRPC server that follow from the settings, and those that never change."""
    return [
        ("grpc.so_reuseport", 0),  # two servers must not share a port silently
        ("grpc.max_receive_message_length", settings.max_message_bytes),
        ("grpc.max_send_message_length", -1),
        ("grpc.max_metadata_size", 16 * 1024),
        ("grpc.keepalive_time_ms", 60_000),  # find dead clients, and keep idle paths open
        ("grpc.keepalive_timeout_ms", 20_000),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    ]
