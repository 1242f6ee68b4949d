"""gRPC at the door: handlers that read the message themselves, and every error as a status."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Final

import grpc

from position_oracle.oracle.server.arrivals import Arrivals
from position_oracle.oracle.server.departures import Departures
from position_oracle.oracle.server.door import Door
from position_oracle.oracle.server.envelope import GZIP, check_size, unpacked
from position_oracle.oracle.server.faults import REQUEST_ID, NoSuchCallError
from position_oracle.oracle.server.forms import PROTO
from position_oracle.oracle.server.methods import CALLS, DESCRIPTOR, Call
from position_oracle.oracle.server.service import Request
from position_oracle.oracle.server.settings import ServerSettings
from position_oracle.oracle.server.streams import abort

_PREFIX: Final = f"/{DESCRIPTOR.full_name}/"

READ_DEADLINES: Final = 3
"""An answer may be read for so many times the longest deadline: a proxy, which has many callers on
one connection, ends the call of one who does not read before (`deploy/envoy.yaml`)."""

if TYPE_CHECKING:  # generic in the stubs only
    Context = grpc.aio.ServicerContext[Any, Any]
    Handler = grpc.RpcMethodHandler[Any, Any]


class Edge(grpc.GenericRpcHandler):
    """Handlers for every call of the contract, which let no error through to the server."""

    def __init__(self, door: Door, settings: ServerSettings) -> None:
        self._door, self._settings = door, settings
        self._arrivals = Arrivals(settings.arrival_seconds)
        self._departures = Departures(
            READ_DEADLINES * settings.deadline_seconds, settings.max_held_bytes
        )
        self._handlers = {_PREFIX + call.name: self._handler(call) for call in CALLS}
        self._no_call: Handler = grpc.unary_unary_rpc_method_handler(_refuse_unknown)

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
            with door.visit(call.name, context) as visit:
                try:
                    serialized = await self._arrivals.message(context)
                    visit.bill.client = door.let_in(context)
                    if serialized.startswith(GZIP):
                        check_size(serialized, most)
                        # In a thread, since zlib gives way and long ones take milliseconds.
                        serialized = await asyncio.to_thread(unpacked, serialized, most)
                    response = await door.answer(Request(call, serialized), context, visit.bill)
                    departures.leave(context, len(response))
                except Exception as error:
                    fault = visit.failed(error)
                    await context.abort(fault.code, fault.message, fault.trailing_metadata())
                visit.succeeded()
                context.set_trailing_metadata(((REQUEST_ID, visit.request_id),))
                return response

        door, departures = self._door, self._departures
        most = PROTO.longest(self._settings, is_batch=call.is_batch)
        return grpc.stream_unary_rpc_method_handler(answer)


async def _refuse_unknown(_request: bytes, context: Context) -> None:
    await abort(context, NoSuchCallError("the contract has no such call"))
