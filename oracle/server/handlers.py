"""The edge of the server: where bytes become questions, and every error becomes a status."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import grpc

from oracle.server.arrivals import Arrivals
from oracle.server.calls import Bill, Ended, Observer, request_id
from oracle.server.faults import REQUEST_ID, BusyError, NoSuchCallError, fault_of
from oracle.server.lanes import Caller
from oracle.server.methods import CALLS, DESCRIPTOR, Call
from oracle.server.service import OracleService, Priced
from oracle.server.settings import ServerSettings
from oracle.server.streams import abort
from oracle.server.trust import Client, Clients

_PREFIX: Final = f"/{DESCRIPTOR.full_name}/"
_READY_SECONDS: Final = 1.0
_RETRY_SECONDS: Final = 0.5

_log = logging.getLogger(__name__)

if TYPE_CHECKING:  # generic in the stubs only
    Context = grpc.aio.ServicerContext[Any, Any]
    Handler = grpc.RpcMethodHandler[Any, Any]


class Edge(grpc.GenericRpcHandler):
    """Handlers for every call of the contract, which let no error through to the server.

    Attributes:
        is_ready: whether calls are answered; until then callers are told to come back.
        active_calls: calls in progress, without those that are answered at once.
    """

    def __init__(
        self,
        service: OracleService,
        settings: ServerSettings,
        clients: Clients | None = None,
        observers: tuple[Observer, ...] = (),
    ) -> None:
        """Make the handlers.

        Args:
            service: answers requests.
            settings: limits and times.
            clients: who may call; None for everybody.
            observers: told of calls that have ended.
        """
        self.is_ready = True
        self.active_calls = 0
        self._held_bytes = 0
        self._service = service
        self._settings = settings
        self._clients = clients
        self._observers = observers
        self._arrivals = Arrivals(settings.arrival_seconds)
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
            begun, code, fault, bill = perf_counter(), grpc.StatusCode.CANCELLED, None, Bill()
            name = request_id(context.invocation_metadata())
            try:
                serialized = await self._arrivals.message(context)
                bill.client = self._let_in(context)
                quick = answer_quickly(call, serialized)
                if not isinstance(quick, bytes):
                    quick = await self._answer(call, serialized, quick, context, bill)
            except Exception as error:
                fault = fault_of(error)
                code = fault.code
                if fault.is_ours:
                    _log.exception("%s failed", call.name, extra={"facts": {"request_id": name}})
                await context.abort(code, fault.message, fault.trailing_metadata(name))
            else:
                code = grpc.StatusCode.OK
                context.set_trailing_metadata(((REQUEST_ID, name),))
                return quick
            finally:
                if told := of_all if fault is None else of_errors:
                    seconds = perf_counter() - begun
                    ended = Ended(call.name, name, context.peer(), code, seconds, bill, fault)
                    for observer in told:
                        observer.ended(ended)

        answer_quickly, of_errors = self._service.answer_quickly, self._observers
        of_all = tuple(observer for observer in of_errors if observer.wants_all)
        return grpc.stream_unary_rpc_method_handler(answer)

    def _let_in(self, context: Context) -> Client | None:
        """The caller by his token; None where none is needed.

        Raises:
            AccessError, QuotaError: he is not known, or has asked too much.
            BusyError: the server is not ready.
        """
        if not self.is_ready:
            raise BusyError("the server is starting; try again", _READY_SECONDS)
        if self._clients is None:
            return None
        client = self._clients.find(context.invocation_metadata())
        client.admit_call()
        return client

    async def _answer(
        self,
        call: Call,
        serialized: bytes,
        priced: Priced | None,
        context: Context,
        bill: Bill,
    ) -> bytes:
        """The response to a request that takes longer."""
        peer = context.peer()
        host = bill.client.name if bill.client else peer.rpartition(":")[0]
        with self._held(len(serialized)):
            return await self._service.answer(
                call,
                serialized if priced is None else priced,
                Caller(host, peer),
                context.time_remaining(),
                bill,
            )

    @contextmanager
    def _held(self, size: int) -> Iterator[None]:
        """Count a call and its message.

        Raises:
            BusyError: there are too many of them.
        """
        if (
            self.active_calls >= self._settings.max_concurrent_calls
            or self._held_bytes + size > self._settings.max_held_bytes
        ):
            raise BusyError(
                f"{self.active_calls} calls are in progress; try again later", _RETRY_SECONDS
            )
        self.active_calls += 1
        self._held_bytes += size
        try:
            yield
        finally:
            self.active_calls -= 1
            self._held_bytes -= size


async def _refuse_unknown(_request: bytes, context: Context) -> None:
    await abort(context, NoSuchCallError("the contract has no such call"))
