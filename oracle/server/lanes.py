"""Threads that answer, and the turns in which callers get them.

A lane is a few threads for questions of one kind. Who comes while all are taken waits in a queue of
his own: hosts (or names of tokens) take turns, and within a host its connections, so that nobody
waits for more than one question of each other caller. Queues are bounded; where all together are
full, the longest one is cut. All of a lane but the work itself happens on the event loop.
"""

import asyncio
import os
import threading
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, TypeVar

from position_oracle.oracle.server.faults import BusyError

T = TypeVar("T")

_NICE: Final = 5
"""Threads that compute leave the processor to the event loop, which answers everybody."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks.

    Attributes:
        host: the name of his token, or his machine.
        connection: his address with its port.
    """

    host: str
    connection: str


class Lane:
    """Threads for one kind of questions.

    Attributes:
        name: of the lane.
        running: questions being answered now, those that nobody waits for any more included.
        waiting: questions that wait for a thread.
    """

    def __init__(
        self, name: str, threads: int, *, share: int, max_waiting: int, wait_seconds: float
    ) -> None:
        """Make a lane.

        Args:
            name: of the lane, for logs and metrics.
            threads: questions answered at a time.
            share: threads that one connection may take; a host may take all but `share`, or one.
            max_waiting: questions waiting, of all callers together.
            wait_seconds: how long a question may wait before its caller is told to come back.
        """
        self.name, self.running = name, 0
        self._threads = ThreadPoolExecutor(threads, f"oracle-{name}", _be_nice)
        self._size, self._share = threads, share
        self._host_share = threads if share >= threads else max(1, threads - share)
        self._max_waiting, self._wait_seconds = max_waiting, wait_seconds
        self._taken: Counter[str] = Counter()
        self._waiting: dict[str, dict[str, deque[asyncio.Future[None]]]] = {}
        self.waiting = 0

    async def run(self, caller: Caller, work: Callable[[], T]) -> T:
        """Do work in a thread when it is the caller's turn.

        Cancelling this leaves the thread to end by itself; it is taken until then.

        Raises:
            BusyError: too many wait, or the turn did not come in time.
        """
        if self.waiting or not self._has_thread_for(caller):
            await self._turn(caller)
        else:
            self._take(caller)
        return await asyncio.wrap_future(self._start(caller, work))

    def close(self) -> None:
        """Start nothing more."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _start(self, caller: Caller, work: Callable[[], T]) -> Future[T]:
        loop = asyncio.get_running_loop()

        def ended(_: Future[T]) -> None:
            with suppress(RuntimeError):  # the loop has been closed over work that did not end
                loop.call_soon_threadsafe(self._leave, caller)

        try:
            future = self._threads.submit(work)
        except RuntimeError as error:
            self._leave(caller)
            raise BusyError("the server is stopping", self._wait_seconds) from error
        future.add_done_callback(ended)
        return future

    async def _turn(self, caller: Caller) -> None:
        """Wait for a thread, which is then taken."""
        if self.waiting >= self._max_waiting:
            self._shed(caller)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue = self._waiting.setdefault(caller.host, {}).setdefault(caller.connection, deque())
        queue.append(turn)
        self.waiting += 1
        self._call_next()
        try:
            async with asyncio.timeout(self._wait_seconds):
                await turn
        except BaseException as error:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._leave(caller)  # the turn came together with the end of waiting
            else:
                self._forget(caller, turn)
            if isinstance(error, TimeoutError):
                raise self._busy() from error
            raise

    def _shed(self, caller: Caller) -> None:
        """Make room by refusing the last of the longest queue, which may be the caller's own."""
        host, queues = max(
            self._waiting.items(), key=lambda entry: sum(map(len, entry[1].values()))
        )
        connection, queue = max(queues.items(), key=lambda entry: len(entry[1]))
        if connection == caller.connection:
            raise self._busy()
        turn = queue[-1]
        self._forget(Caller(host, connection), turn)
        turn.set_exception(self._busy())

    def _forget(self, caller: Caller, turn: asyncio.Future[None]) -> None:
        """Take a turn out of its queue, if it is there, and queues that are empty then."""
        queues = self._waiting.get(caller.host, {})
        queue = queues.get(caller.connection, deque())
        if turn not in queue:
            return
        queue.remove(turn)
        self.waiting -= 1
        if not queue:
            del queues[caller.connection]
        if not queues:
            del self._waiting[caller.host]

    def _has_thread_for(self, caller: Caller) -> bool:
        return (
            self.running < self._size
            and self._taken[caller.connection] < self._share
            and self._taken[f"host {caller.host}"] < self._host_share
        )

    def _take(self, caller: Caller) -> None:
        self.running += 1
        self._taken[caller.connection] += 1
        self._taken[f"host {caller.host}"] += 1

    def _leave(self, caller: Caller) -> None:
        self.running -= 1
        for key in (caller.connection, f"host {caller.host}"):
            self._taken[key] -= 1
            if not self._taken[key]:
                del self._taken[key]
        self._call_next()

    def _call_next(self) -> None:
        """Give free threads to those who wait, in turns."""
        while self.running < self._size and (found := self._next()) is not None:
            caller, turn = found
            self._take(caller)
            turn.set_result(None)

    def _next(self) -> tuple[Caller, asyncio.Future[None]] | None:
        for host, queues in self._waiting.items():
            for connection, queue in queues.items():
                caller = Caller(host, connection)
                # Whoever has gone takes himself out; he is only passed over.
                turn = next((turn for turn in queue if not turn.done()), None)
                if turn is not None and self._has_thread_for(caller):
                    # To the end of the line, host and connection.
                    self._waiting[host] = self._waiting.pop(host)
                    queues[connection] = queues.pop(connection)
                    self._forget(caller, turn)
                    return caller, turn
        return None

    def _busy(self) -> BusyError:
        return BusyError(
            f"{self.waiting} questions wait for {self._size} threads; try again later",
            self._wait_seconds / 2,
        )


def _be_nice() -> None:
    with suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
