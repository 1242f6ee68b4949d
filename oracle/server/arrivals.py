"""Messages on their way, and an end to those that never come."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc

from position_oracle.oracle.server.faults import DeadlineError, RequestError


class Arrivals:
    """Calls that have begun and whose message has not come."""

    def __init__(self, seconds: float) -> None:
        """Wait at most so many seconds for each."""
        self._seconds = seconds
        self._waiting: dict[asyncio.Task[Any], float] = {}
        self._late: set[asyncio.Task[Any]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def message(self, context: grpc.aio.ServicerContext[Any, Any]) -> bytes:
        """The message of a call.

        Raises:
            DeadlineError: it does not come.
            RequestError: the caller ends the call without one.
        """
        loop = self._loop = self._loop or asyncio.get_running_loop()
        task = asyncio.current_task(loop)
        assert task is not None  # noqa: S101 - handlers are tasks
        self._waiting[task] = loop.time()
        if self._timer is None:
            self._timer = loop.call_later(self._seconds / 4, self._look)
        try:
            message = await context.read()
        except asyncio.CancelledError:
            if task in self._late:
                self._late.discard(task)
                task.uncancel()
                raise DeadlineError(f"no message came within {self._seconds:g} s") from None
            raise
        finally:
            del self._waiting[task]
        if not isinstance(message, bytes):
            raise RequestError("the call has no message")
        return message

    def _look(self) -> None:
        """End what waits too long; look again as long as anything waits."""
        loop = asyncio.get_running_loop()
        self._timer = None
        for task, begun in list(self._waiting.items()):  # in the order of their beginnings
            if loop.time() - begun < self._seconds:
                break
            if task not in self._late:
                self._late.add(task)
                task.cancel()
        if self._waiting:
            self._timer = loop.call_later(self._seconds / 4, self._look)
