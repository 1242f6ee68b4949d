"""The calls of the contract over gRPC: read, admit and answer each, and send errors as a status.

A caller that sends no message, or does not read the answer, is ended after a time.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Final

import grpc

from position_oracle.engine.amounts import size_text
from position_oracle.oracle.server.admission import Admission
from position_oracle.oracle.server.codec import GZIP, PROTO, check_size, unpacked
from position_oracle.oracle.server.connections import close_connection
from position_oracle.oracle.server.contract import CALLS, DESCRIPTOR, Call, Request
from position_oracle.oracle.server.errors import (
    REQUEST_ID,
    BusyError,
    DeadlineError,
    NoSuchCallError,
    RequestError,
    StoppingError,
)
from position_oracle.oracle.server.gate import Gate
from position_oracle.oracle.server.health import abort
from position_oracle.oracle.server.settings import ServerSettings
from position_oracle.schema.errors import PositionOracleError

_PREFIX: Final = f"/{DESCRIPTOR.full_name}/"

READ_DEADLINES: Final = 3
"""An answer may be read for this many times the longest deadline. A proxy, which has many callers
on one connection, ends the call of one that does not read earlier (`deploy/envoy.yaml`)."""

_RETRY_SECONDS: Final = 0.5
_SHORT: Final = 4096
"""Answers of at most this many bytes are not counted; the streams of a connection bound them."""

if TYPE_CHECKING:  # generic in the stubs only
    Context = grpc.aio.ServicerContext[Any, Any]
    Handler = grpc.RpcMethodHandler[Any, Any]


class GrpcHandlers(grpc.GenericRpcHandler):
    """Handlers for every call of the contract, which let no error through to the server."""

    def __init__(self, admission: Admission, settings: ServerSettings, gate: Gate) -> None:
        self._admission, self._settings, self._gate = admission, settings, gate
        self._requests = RequestReader(settings.arrival_seconds)
        self._unread = UnreadResponses(
            READ_DEADLINES * settings.deadline_seconds, settings.max_held_bytes
        )
        self._handlers = {_PREFIX + call.name: self._handler(call) for call in CALLS}
        self._no_call: Handler = grpc.unary_unary_rpc_method_handler(_refuse_unknown)

    @property
    def is_idle(self) -> bool:
        """Whether no message is on its way: no request that begins, no long answer."""
        return not self._requests.is_waiting and not self._unread.total

    def cut(self) -> None:
        """End the calls whose message has not arrived, with an error after which to retry."""
        self._requests.cut()

    def service(self, details: grpc.HandlerCallDetails) -> Handler | None:
        """The handler of a call; None for calls of other services."""
        handler = self._handlers.get(details.method)
        if handler is None and details.method.startswith(_PREFIX):
            return self._no_call
        return handler

    def _handler(self, call: Call) -> Handler:
        """A handler that reads the message itself.

        To gRPC the call looks like a stream of requests, so that it ends where the message never
        comes. On the wire there is no difference.
        """

        async def answer(_requests: AsyncIterator[bytes], context: Context) -> bytes:
            with admission.begin(call.name, context) as active:
                try:
                    serialized = await self._requests.read(context)
                    await gate.passed()
                    active.usage.account = admission.admit_caller(context)
                    if serialized.startswith(GZIP):
                        check_size(serialized, most)
                        # In a thread: zlib releases the interpreter, and may take milliseconds.
                        serialized = await asyncio.to_thread(unpacked, serialized, most)
                    request = Request(call, serialized)
                    response = await admission.answer(request, context, active.usage)
                    unread.add(context, len(response))
                except Exception as error:
                    status = active.failed(error)
                    await context.abort(status.code, status.message, status.trailing_metadata())
                active.succeeded()
                context.set_trailing_metadata(((REQUEST_ID, active.request_id),))
                return response

        admission, unread, gate = self._admission, self._unread, self._gate
        most = PROTO.longest(self._settings, call.size)
        return grpc.stream_unary_rpc_method_handler(answer)


async def _refuse_unknown(_request: bytes, context: Context) -> None:
    await abort(context, NoSuchCallError("the contract has no such call"))


class RequestReader:
    """Reads the messages of calls, and ends calls whose message does not arrive in time."""

    def __init__(self, seconds: float) -> None:
        """Wait at most this many seconds for each message."""
        self._seconds = seconds
        self._waiting: dict[asyncio.Task[Any], float] = {}
        self._late: dict[asyncio.Task[Any], PositionOracleError] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def read(self, context: Context) -> bytes:
        """The message of a call.

        Raises:
            DeadlineError: it does not arrive.
            RequestError: the caller ends the call without one.
        """
        loop = self._loop = self._loop or asyncio.get_running_loop()
        task = asyncio.current_task(loop)
        assert task is not None  # noqa: S101 - handlers are tasks
        self._waiting[task] = loop.time()
        if self._timer is None:
            self._timer = loop.call_later(self._seconds / 4, self._end_late)
        try:
            message = await context.read()
        except asyncio.CancelledError:
            if error := self._late.pop(task, None):
                task.uncancel()
                raise error from None
            raise
        finally:
            del self._waiting[task]
        if not isinstance(message, bytes):
            raise RequestError("the call has no message")
        return message

    @property
    def is_waiting(self) -> bool:
        """Whether a message is on its way."""
        return bool(self._waiting)

    def cut(self) -> None:
        """End all calls that wait."""
        for task in list(self._waiting):
            self._end(task, StoppingError())

    def _end(self, task: asyncio.Task[Any], error: PositionOracleError) -> None:
        if task not in self._late:
            self._late[task] = error
            task.cancel()

    def _end_late(self) -> None:
        """End the calls that wait too long; repeat while any call waits."""
        loop = asyncio.get_running_loop()
        self._timer = None
        for task, begun in list(self._waiting.items()):  # oldest first
            if loop.time() - begun < self._seconds:
                break
            late = f"no message arrived within {self._seconds:g} s"
            self._end(task, DeadlineError(late))
        if self._waiting:
            self._timer = loop.call_later(self._seconds / 4, self._end_late)


class UnreadResponses:
    """Responses that gRPC has accepted and the callers have not read.

    gRPC keeps a response as long as the connection lasts, and cannot drop it. So a connection on
    which one is not read in time is closed.
    """

    def __init__(self, seconds: float, most_bytes: int) -> None:
        """Keep a response for `seconds`, and `most_bytes` of all together."""
        self._seconds, self._most = seconds, most_bytes
        self._unread: Counter[str] = Counter()

    @property
    def total(self) -> int:
        """Bytes of all together."""
        return self._unread.total()

    def add(self, context: Context, size: int) -> None:
        """Count a response until the call has ended.

        Where there are too many bytes, the connection with the most of them is closed.

        Raises:
            BusyError: this connection has the most.
        """
        if size <= _SHORT:
            return
        peer, unread = context.peer(), self._unread
        while unread.total() + size > self._most:
            largest = max(unread, key=lambda other: unread[other], default=peer)
            if unread[largest] <= unread[peer] + size:
                raise BusyError(
                    f"answers of {size_text(unread.total())} are not read yet",
                    _RETRY_SECONDS,
                )
            del unread[largest]
            close_connection(largest)
        unread[peer] += size
        late = asyncio.get_running_loop().call_later(self._seconds, close_connection, peer)

        def ended(_: object) -> None:
            late.cancel()
            unread[peer] -= size
            if unread[peer] <= 0:  # less where the connection was closed
                del unread[peer]

        context.add_done_callback(ended)  # type: ignore[arg-type] # a class in the stubs
