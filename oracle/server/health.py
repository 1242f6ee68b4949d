"""Health and reflection: streams that stay open, bounded for each connection."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

import grpc
from google.protobuf.message import Message
from grpc_health.v1 import health
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_reflection.v1alpha import reflection
from grpc_reflection.v1alpha.reflection_pb2 import (
    ServerReflectionRequest,
    ServerReflectionResponse,
)

from position_oracle.oracle.server.codec import PROTO, check_size, unpacked
from position_oracle.oracle.server.errors import BusyError, error_status
from position_oracle.oracle.server.gate import Gate
from position_oracle.oracle.server.telemetry import request_id
from position_oracle.schema.errors import PositionOracleError

HEALTH: Final = health.SERVICE_NAME
REFLECTION: Final = reflection.SERVICE_NAME

_RETRY_SECONDS: Final = 0.5
_QUIET_SECONDS: Final = 30.0
"""Reflection streams end after this time without a question."""

_MAX_BYTES: Final = 4096
"""Size of a request, which has a name or two."""

M = TypeVar("M", bound=Message)

if TYPE_CHECKING:  # generic in the stubs only
    Context = grpc.aio.ServicerContext[Any, Any]
    Handlers = grpc.GenericRpcHandler


class Streams:
    """Counts the long-lived streams of each connection."""

    def __init__(self, most: int) -> None:
        """Allow `most` for a connection."""
        self._most = most
        self._open: Counter[str] = Counter()

    @contextmanager
    def one(self, peer: str) -> Iterator[None]:
        """Count a stream while it lasts.

        Raises:
            BusyError: the connection has too many.
        """
        if self._open[peer] >= self._most:
            raise BusyError(f"this connection has {self._most} such streams", _RETRY_SECONDS)
        self._open[peer] += 1
        try:
            yield
        finally:
            self._open[peer] -= 1
            if not self._open[peer]:
                del self._open[peer]


class Health:
    """`grpc.health.v1.Health`, with a bound on the watches of a connection.

    A check is always answered. Nothing waits for a watch, so that one whose caller does not
    read delays no other.
    """

    def __init__(self, most: int, gate: Gate) -> None:
        self._streams = Streams(most)
        self._gate = gate
        self._status: dict[str, int] = {}
        self._changed = asyncio.Event()

    def set(self, name: str, *, is_serving: bool) -> None:
        """Set the health of a service."""
        response = HealthCheckResponse
        self._status[name] = response.SERVING if is_serving else response.NOT_SERVING
        self._changed.set()
        self._changed = asyncio.Event()

    def handlers(self) -> Handlers:
        """The handlers for gRPC."""
        read, write = _reader(HealthCheckRequest), HealthCheckResponse.SerializeToString
        return grpc.method_handlers_generic_handler(
            HEALTH,
            {
                "Check": grpc.unary_unary_rpc_method_handler(self._check, read, write),
                "Watch": grpc.unary_stream_rpc_method_handler(self._watch, read, write),
            },
        )

    async def _check(
        self, request: HealthCheckRequest | PositionOracleError, context: Context
    ) -> HealthCheckResponse:
        await self._gate.passed()
        if isinstance(request, PositionOracleError):
            await abort(context, request)
        elif (status := self._status.get(request.service)) is not None:
            return HealthCheckResponse(status=status)
        return await context.abort(grpc.StatusCode.NOT_FOUND, "there is no such service")

    async def _watch(
        self, request: HealthCheckRequest | PositionOracleError, context: Context
    ) -> None:
        """Send every change of health until the caller goes."""
        try:
            if isinstance(request, PositionOracleError):
                raise request
            with self._streams.one(context.peer()):
                sent = None
                while True:
                    changed = self._changed  # first, so that no change is missed
                    unknown = HealthCheckResponse.SERVICE_UNKNOWN
                    status = self._status.get(request.service, unknown)
                    if status != sent:
                        response = HealthCheckResponse(status=status)
                        await context.write(response)
                        sent = status
                    await changed.wait()
        except PositionOracleError as error:
            await abort(context, error)


class Reflection:
    """Reflection, with a bound on the streams of a connection, which end without questions."""

    def __init__(self, names: tuple[str, ...], most: int) -> None:
        # Its stubs take it for a coroutine.
        self._servicer: Any = reflection.aio.ReflectionServicer(names)
        self._streams = Streams(most)

    def handlers(self) -> Handlers:
        """The handlers for gRPC."""
        read, write = _reader(ServerReflectionRequest), ServerReflectionResponse.SerializeToString
        handler = grpc.stream_stream_rpc_method_handler(self._answer, read, write)
        return grpc.method_handlers_generic_handler(REFLECTION, {"ServerReflectionInfo": handler})

    async def _answer(
        self,
        requests: AsyncIterator[ServerReflectionRequest | PositionOracleError],
        context: Context,
    ) -> AsyncIterator[ServerReflectionResponse]:
        """Answer questions about the contract."""
        try:
            with self._streams.one(context.peer()):
                async for response in self._servicer.ServerReflectionInfo(
                    _until_quiet(requests), context
                ):
                    yield response
        except PositionOracleError as error:
            await abort(context, error)


async def _until_quiet(
    requests: AsyncIterator[M | PositionOracleError],
) -> AsyncIterator[M]:
    while True:
        try:
            async with asyncio.timeout(_QUIET_SECONDS):
                request = await anext(requests)
        except (TimeoutError, StopAsyncIteration):
            return
        if isinstance(request, PositionOracleError):
            raise request
        yield request


def _reader(kind: type[M]) -> Callable[[bytes], M | PositionOracleError]:
    """Parses requests; a bad one becomes its error, for the handler to raise.

    Where the parser itself raises, gRPC answers UNKNOWN, and logs a traceback.
    """

    def read(serialized: bytes) -> M | PositionOracleError:
        try:
            check_size(serialized, _MAX_BYTES)
            return PROTO.read(kind, unpacked(serialized, _MAX_BYTES))
        except PositionOracleError as error:
            return error

    return read


async def abort(context: Context, error: Exception) -> None:
    """End a call with the status of an error.

    Raises:
        grpc.aio.AbortError: always.
    """
    status = error_status(error, request_id(context.invocation_metadata() or ()))
    await context.abort(status.code, status.message, status.trailing_metadata())
