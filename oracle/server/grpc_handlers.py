"""The gRPC handlers: the calls of the contract, health checks and reflection.

The call of a caller that sends no message, or does not read the answer, is ended after a time. The
number of long-lived streams of each connection is bounded.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

import grpc
from google.protobuf.message import Message
from grpc_health.v1 import health
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_reflection.v1alpha import reflection
from grpc_reflection.v1alpha.reflection_pb2 import ServerReflectionRequest, ServerReflectionResponse

from position_oracle.engine.amounts import size_text
from position_oracle.oracle.server.admission import Admission
from position_oracle.oracle.server.codec import GZIP, PROTO, Size, check_size, gunzipped
from position_oracle.oracle.server.connections import Gate, close_connection
from position_oracle.oracle.server.contract import CALLS, DESCRIPTOR, Call, Request
from position_oracle.oracle.server.errors import (
    REQUEST_ID,
    BusyError,
    NoSuchCallError,
    RequestError,
    StoppingError,
    error_status,
)
from position_oracle.oracle.server.settings import ServerSettings
from position_oracle.oracle.server.telemetry import request_id
from position_oracle.schema.errors import PositionOracleError

HEALTH: Final = health.SERVICE_NAME
REFLECTION: Final = reflection.SERVICE_NAME
_PREFIX: Final = f"/{DESCRIPTOR.full_name}/"

READ_DEADLINES: Final = 3
"""An answer may be read for this many times the longest deadline. A proxy with many callers on one
connection ends the call of a caller that does not read earlier (`deploy/envoy.yaml`)."""

_SHORT: Final = 4096
"""Answers of at most this many bytes are not counted; the number of streams of a connection bounds
them."""

_QUIET_SECONDS: Final = 30.0
"""Reflection streams end after this time without a question."""

_MAX_BYTES: Final = 4096
"""Maximum number of bytes of a request for health or reflection, which has a name or two."""

M = TypeVar("M", bound=Message)

if TYPE_CHECKING:  # generic in the stubs only
    Context = grpc.aio.ServicerContext[Any, Any]
    Handler = grpc.RpcMethodHandler[Any, Any]


class GrpcHandlers(grpc.GenericRpcHandler):
    """Handlers for every call of the contract; they pass no exception on to gRPC."""

    def __init__(self, admission: Admission, settings: ServerSettings) -> None:
        self._admission, self._settings = admission, settings
        self._unread = UnreadResponses(
            READ_DEADLINES * settings.deadline_seconds, settings.max_held_bytes
        )
        self._handlers = {_PREFIX + name: self._handler(call) for name, call in CALLS.items()}
        self._no_call: Handler = grpc.unary_unary_rpc_method_handler(_refuse_unknown)

    @property
    def unread_bytes(self) -> int:
        """Bytes of long answers that callers have not read."""
        return self._unread.total

    def service(self, details: grpc.HandlerCallDetails) -> Handler | None:
        """Return the handler of a call; None for calls of other services."""
        handler = self._handlers.get(details.method)
        if handler is None and details.method.startswith(_PREFIX):
            return self._no_call
        return handler

    def _handler(self, call: Call) -> Handler:
        """Make a handler that reads the message itself.

        gRPC treats the call as a stream of requests, so the handler can end it if the message never
        comes. The wire format is the same.
        """

        async def answer(_requests: AsyncIterator[bytes], context: Context) -> bytes:
            with admission.recorded(call.name, context) as record:
                try:
                    serialized = await self._read(context)
                    await admission.gate.passed(is_long=call.size is not Size.QUESTION)
                    admission.admit(record)
                    if serialized.startswith(GZIP):
                        check_size(serialized, most)
                        # In a thread: zlib releases the interpreter, and may take milliseconds.
                        serialized = await asyncio.to_thread(gunzipped, serialized, most)
                    response = await admission.answer(Request(call, serialized), record)
                    unread.add(context, len(response))
                except Exception as error:
                    status = record.fail(error)
                    await context.abort(status.code, status.message, status.trailing_metadata())
                record.code = grpc.StatusCode.OK
                context.set_trailing_metadata(((REQUEST_ID, record.request_id),))
                return response

        admission, unread = self._admission, self._unread
        most = PROTO.longest(self._settings, call.size)
        return grpc.stream_unary_rpc_method_handler(answer)

    async def _read(self, context: Context) -> bytes:
        """Return the message of a call.

        Raises:
            DeadlineError: the message does not arrive in time.
            StoppingError: the server stops before the message arrives.
            RequestError: the caller ends the call without a message.
        """
        try:
            with self._admission.arrival():
                message = await context.read()
        except grpc.aio.BaseError as error:  # the call arrived after gRPC had stopped
            raise StoppingError from error
        if not isinstance(message, bytes):
            raise RequestError("the call has no message")
        return message


async def _refuse_unknown(_request: bytes, context: Context) -> None:
    await abort(context, NoSuchCallError("the contract has no such call"))


class UnreadResponses:
    """Responses that gRPC has accepted but callers have not read.

    gRPC keeps a response as long as the connection lasts, and cannot drop it. So the server closes
    a connection if a response is not read in time.
    """

    def __init__(self, seconds: float, most_bytes: int) -> None:
        """Set the time for each response, and the maximum bytes of all together."""
        self._seconds, self._most = seconds, most_bytes
        self._unread: Counter[str] = Counter()

    @property
    def total(self) -> int:
        """Total number of bytes."""
        return self._unread.total()

    def add(self, context: Context, size: int) -> None:
        """Count a response until the call has ended.

        If there are too many bytes, the connection with the most bytes is closed.

        Raises:
            BusyError: this connection has the most bytes.
        """
        if size <= _SHORT:
            return
        peer, unread = context.peer(), self._unread
        while unread.total() + size > self._most:
            largest = max(unread, key=lambda other: unread[other], default=peer)
            if unread[largest] <= unread[peer] + size:
                raise BusyError(f"answers of {size_text(unread.total())} are not read yet")
            del unread[largest]
            close_connection(largest)
        unread[peer] += size
        late = asyncio.get_running_loop().call_later(self._seconds, close_connection, peer)

        def ended(_: object) -> None:
            late.cancel()
            unread[peer] -= size
            if unread[peer] <= 0:  # less if the connection was closed
                del unread[peer]

        context.add_done_callback(ended)  # type: ignore[arg-type] # a class in the stubs


class Streams:
    """Counts the long-lived streams of each connection."""

    def __init__(self, most: int) -> None:
        """Set the maximum number of streams of a connection."""
        self._most = most
        self._open: Counter[str] = Counter()

    @contextmanager
    def one(self, peer: str) -> Iterator[None]:
        """Count a stream during the block.

        Raises:
            BusyError: the connection has too many streams.
        """
        if self._open[peer] >= self._most:
            raise BusyError(f"this connection has {self._most} such streams")
        self._open[peer] += 1
        try:
            yield
        finally:
            self._open[peer] -= 1
            if not self._open[peer]:
                del self._open[peer]


class Health:
    """`grpc.health.v1.Health`, with a bound on the watches of a connection.

    A check is always answered. No code waits for a watch, so a caller that does not read delays
    nobody else.
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

    def handlers(self) -> grpc.GenericRpcHandler:
        """Return the handlers for gRPC."""
        write = HealthCheckResponse.SerializeToString
        return grpc.method_handlers_generic_handler(
            HEALTH,
            {
                "Check": grpc.unary_unary_rpc_method_handler(self._check, None, write),
                "Watch": grpc.unary_stream_rpc_method_handler(self._watch, None, write),
            },
        )

    async def _check(self, request: bytes, context: Context) -> HealthCheckResponse:
        await self._gate.passed()
        try:
            name = _read(HealthCheckRequest, request).service
        except PositionOracleError as error:
            await abort(context, error)
        if (status := self._status.get(name)) is None:
            await context.abort(grpc.StatusCode.NOT_FOUND, "there is no such service")
        return HealthCheckResponse(status=status)

    async def _watch(self, request: bytes, context: Context) -> None:
        """Send every change of health until the caller disconnects."""
        try:
            name = _read(HealthCheckRequest, request).service
            with self._streams.one(context.peer()):
                sent = None
                while True:
                    changed = self._changed  # first, so that no change is missed
                    status = self._status.get(name, HealthCheckResponse.SERVICE_UNKNOWN)
                    if status != sent:
                        await context.write(HealthCheckResponse(status=status))
                        sent = status
                    await changed.wait()
        except PositionOracleError as error:
            await abort(context, error)


class Reflection:
    """Reflection, with a bound on the streams of a connection; idle streams end."""

    def __init__(self, names: tuple[str, ...], most: int) -> None:
        # Its stubs take it for a coroutine.
        self._servicer: Any = reflection.aio.ReflectionServicer(names)
        self._streams = Streams(most)

    def handlers(self) -> grpc.GenericRpcHandler:
        """Return the handlers for gRPC."""
        write = ServerReflectionResponse.SerializeToString
        handler: Handler = grpc.stream_stream_rpc_method_handler(self._answer, None, write)
        return grpc.method_handlers_generic_handler(REFLECTION, {"ServerReflectionInfo": handler})

    async def _answer(
        self, requests: AsyncIterator[bytes], context: Context
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


async def _until_quiet(requests: AsyncIterator[bytes]) -> AsyncIterator[ServerReflectionRequest]:
    while True:
        try:
            async with asyncio.timeout(_QUIET_SECONDS):
                request = await anext(requests)
        except (TimeoutError, StopAsyncIteration):
            return
        yield _read(ServerReflectionRequest, request)


def _read(kind: type[M], serialized: bytes) -> M:
    """Parse a request for health or reflection."""
    check_size(serialized, _MAX_BYTES)
    if serialized.startswith(GZIP):
        serialized = gunzipped(serialized, _MAX_BYTES)
    return PROTO.read(kind, serialized)


async def abort(context: Context, error: Exception) -> NoReturn:
    """End a call with the status of an error.

    Raises:
        grpc.aio.AbortError: always.
    """
    status = error_status(error, request_id(context.invocation_metadata() or ()))
    await context.abort(status.code, status.message, status.trailing_metadata())
