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

from position_oracle.oracle.server.calls import request_id
from position_oracle.oracle.server.envelope import check_size, unpacked
from position_oracle.oracle.server.faults import BusyError, fault_of
from position_oracle.oracle.server.forms import PROTO
from position_oracle.schema.errors import PositionOracleError

HEALTH: Final = health.SERVICE_NAME
REFLECTION: Final = reflection.SERVICE_NAME

_RETRY_SECONDS: Final = 0.5
_QUIET_SECONDS: Final = 30.0
"""Reflection streams end after so long without a question."""

_MAX_BYTES: Final = 4096
"""Size of a request; it has a name or two."""

M = TypeVar("M", bound=Message)

if TYPE_CHECKING:  # generic in the stubs only
    Context = grpc.aio.ServicerContext[Any, Any]
    Handlers = grpc.GenericRpcHandler


class Streams:
    """Counts the long-lived streams of each connection."""

    def __init__(self, most: int) -> None:
        """Allow so many for a connection."""
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
    """`grpc.health.v1.Health`, with so many watches a connection. A check is always answered.

    Nobody waits for a watch: one that does not read what it is told harms no other.
    """

    def __init__(self, most: int) -> None:
        self._streams = Streams(most)
        self._status: dict[str, int] = {}
        self._changed = asyncio.Event()

    def set(self, name: str, *, is_serving: bool) -> None:
        """Say how a service is from now on."""
        response = HealthCheckResponse
        self._status[name] = response.SERVING if is_serving else response.NOT_SERVING
        self._changed.set()
        self._changed = asyncio.Event()

    def stop(self) -> None:
        """Say of every service that it is no longer served."""
        for name in self._status:
            self.set(name, is_serving=False)

    def handlers(self) -> Handlers:
        """What gRPC calls."""
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
        if isinstance(request, PositionOracleError):
            await abort(context, request)
        elif (status := self._status.get(request.service)) is not None:
            return HealthCheckResponse(status=status)
        return await context.abort(grpc.StatusCode.NOT_FOUND, "there is no such service")

    async def _watch(
        self, request: HealthCheckRequest | PositionOracleError, context: Context
    ) -> None:
        """Tell of the health until the caller goes."""
        try:
            if isinstance(request, PositionOracleError):
                raise request
            with self._streams.one(context.peer()):
                told = None
                while True:
                    changed = self._changed  # before the look: no news is missed
                    unknown = HealthCheckResponse.SERVICE_UNKNOWN
                    status = self._status.get(request.service, unknown)
                    if status != told:
                        response = HealthCheckResponse(status=status)
                        await context.write(response)
                        told = status
                    await changed.wait()
        except PositionOracleError as error:
            await abort(context, error)


class Reflection:
    """Reflection, with so many streams a connection, which do not stay open without questions."""

    def __init__(self, names: tuple[str, ...], most: int) -> None:
        # Its stubs take it for a coroutine.
        self._servicer: Any = reflection.aio.ReflectionServicer(names)
        self._streams = Streams(most)

    def handlers(self) -> Handlers:
        """What gRPC calls."""
        read, write = _reader(ServerReflectionRequest), ServerReflectionResponse.SerializeToString
        handler = grpc.stream_stream_rpc_method_handler(self._answer, read, write)
        return grpc.method_handlers_generic_handler(REFLECTION, {"ServerReflectionInfo": handler})

    async def _answer(
        self,
        requests: AsyncIterator[ServerReflectionRequest | PositionOracleError],
        context: Context,
    ) -> AsyncIterator[ServerReflectionResponse]:
        """Answer what is asked about the contract."""
        try:
            with self._streams.one(context.peer()):
                async for response in self._servicer.ServerReflectionInfo(
                    _as_long_as_asked(requests), context
                ):
                    yield response
        except PositionOracleError as error:
            await abort(context, error)


async def _as_long_as_asked(
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
    """Reads requests; what is none becomes the error that says so, for the handler to raise.

    Where reading itself raises, gRPC says UNKNOWN, and logs a fault.
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
    fault = fault_of(error, request_id(context.invocation_metadata() or ()))
    await context.abort(fault.code, fault.message, fault.trailing_metadata())
