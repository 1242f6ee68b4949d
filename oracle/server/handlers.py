"""The edge of the server: where bytes become requests, and every error becomes a status."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Any, Final

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from oracle.server.access import log_call
from oracle.server.faults import RequestError, fault_of
from oracle.server.service import OracleService
from schema.proto.position_oracle.v1 import service_pb2

DESCRIPTOR: Final = service_pb2.DESCRIPTOR.services_by_name["PositionOracle"]

_log = logging.getLogger(__name__)

Method = Callable[[Any, Any], Awaitable[Message]]


class Edge:
    """Handlers for every call of the contract, which let no error through to the server.

    Attributes:
        active_calls: calls being answered now.
    """

    def __init__(self, service: OracleService, *, access_log: bool) -> None:
        self.active_calls = 0
        self._access_log = access_log
        self._handlers = {
            method.name: self._handler(method, getattr(service, method.name))
            for method in DESCRIPTOR.methods
        }

    def add_to(self, server: grpc.aio.Server) -> None:
        """Let a server answer the calls."""
        handler = grpc.method_handlers_generic_handler(DESCRIPTOR.full_name, self._handlers)
        server.add_generic_rpc_handlers((handler,))

    def _handler(
        self, descriptor: MethodDescriptor, method: Method
    ) -> grpc.RpcMethodHandler[Any, Any]:
        name = descriptor.name
        request_class = GetMessageClass(descriptor.input_type)

        async def call(request: Message | None, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
            start, code = perf_counter(), grpc.StatusCode.CANCELLED
            self.active_calls += 1
            try:
                response = await method(_readable(request, request_class), context)
            except Exception as error:
                fault = fault_of(error)
                code = fault.code
                if fault.is_ours:
                    _log.exception("%s failed", name)
                await context.abort(fault.code, fault.message, fault.trailing_metadata())
            else:
                code = grpc.StatusCode.OK
                return response
            finally:
                self.active_calls -= 1
                if self._access_log:
                    log_call(name, context.peer(), code, perf_counter() - start)

        def read(serialized: bytes) -> Message | None:
            try:
                return request_class.FromString(serialized)
            except DecodeError:
                return None  # refused by the call, which can say why

        return grpc.unary_unary_rpc_method_handler(
            call,
            request_deserializer=read,
            response_serializer=GetMessageClass(descriptor.output_type).SerializeToString,
        )


def _readable(request: Message | None, kind: type[Message]) -> Message:
    if request is None:
        raise RequestError(f"the message is no {kind.DESCRIPTOR.name}")
    return request
