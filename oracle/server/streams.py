"""Health and reflection: streams that stay open, bounded for each connection."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import grpc
from grpc_health.v1 import health
from grpc_reflection.v1alpha._async import ReflectionServicer

from oracle.server.calls import request_id
from oracle.server.faults import BusyError, fault_of

_RETRY_SECONDS: Final = 0.5
_QUIET_SECONDS: Final = 30.0
"""Reflection streams end after so long without a question."""

if TYPE_CHECKING:  # generic in the stubs only
    Context = grpc.aio.ServicerContext[Any, Any]


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


class BoundedHealth(health.aio.HealthServicer):
    """Health, with so many watches a connection. A single check is always answered."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._streams = Streams(most)

    async def Watch(self, request: Any, context: Context) -> None:  # noqa: N802 - as in the contract
        """Tell of the health until the caller goes."""
        try:
            with self._streams.one(context.peer()):
                await super().Watch(request, context)
        except BusyError as error:
            await abort(context, error)


class BoundedReflection:
    """Reflection, with so many streams a connection, which do not stay open without questions."""

    def __init__(self, names: tuple[str, ...], most: int) -> None:
        self._servicer: Any = ReflectionServicer(names)  # its stubs take it for a coroutine
        self._streams = Streams(most)

    async def ServerReflectionInfo(  # noqa: N802 - as in the contract
        self, request_iterator: AsyncIterator[Any], context: Context
    ) -> AsyncIterator[Any]:
        """Answer what is asked about the contract."""
        try:
            with self._streams.one(context.peer()):
                async for response in self._servicer.ServerReflectionInfo(
                    _as_long_as_asked(request_iterator), context
                ):
                    yield response
        except BusyError as error:
            await abort(context, error)


async def _as_long_as_asked(requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
    while True:
        try:
            async with asyncio.timeout(_QUIET_SECONDS):
                request = await anext(requests)
        except (TimeoutError, StopAsyncIteration):
            return
        yield request


async def abort(context: Context, error: Exception) -> None:
    """End a call with the status of an error.

    Raises:
        grpc.aio.AbortError: always.
    """
    fault = fault_of(error, request_id(context.invocation_metadata() or ()))
    await context.abort(fault.code, fault.message, fault.trailing_metadata())
