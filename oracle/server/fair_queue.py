"""Worker threads for one kind of question, and the fair queue in which callers wait.

Each caller has a queue of its own. Threads go to the groups of callers in rotation, and within a
group to its callers, so that a caller waits for at most one question of each other caller. If the
queues together are full, the longest loses its last entry. Only the work itself runs outside the
event loop.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import NamedTuple, TypeVar

from position_oracle.oracle.server.errors import BusyError

T = TypeVar("T")


class Share(NamedTuple):
    """The caller whose share of the threads a question uses.

    Attributes:
        group: callers with a common bound, e.g. those of one address.
        caller: the caller in the group, e.g. one connection.
    """

    group: str
    caller: str


class FairQueue:
    """Worker threads for one kind of question, and a fair queue of callers.

    Attributes:
        name: the name in logs and metrics.
        running: number of questions being answered now, including abandoned ones.
        waiting: number of questions that wait for a thread.
    """

    def __init__(
        self, name: str, threads: int, *, share: int, max_waiting: int, wait_seconds: float
    ) -> None:
        """Make a queue without entries.

        Args:
            name: the name in logs and metrics.
            threads: the number of threads.
            share: the number of threads that one caller may hold; a group may hold all except
                `share`, but at least one.
            max_waiting: the maximum number of waiting questions of all callers together.
            wait_seconds: the maximum time that a question may wait.
        """
        self.name, self.running, self.waiting = name, 0, 0
        self._threads = ThreadPoolExecutor(threads, f"oracle-{name}")
        self._size, self._share = threads, share
        self._group_share = threads if share >= threads else max(1, threads - share)
        self._max_waiting, self._wait_seconds = max_waiting, wait_seconds
        self._held: Counter[Share | str] = Counter()
        self._waiting: dict[str, dict[str, deque[asyncio.Future[None]]]] = {}

    async def run(self, share: Share, work: Callable[[], T]) -> T:
        """Run work in a thread, after waiting for one in the fair queue.

        If this coroutine is cancelled, the thread is held until its work ends by itself.

        Raises:
            BusyError: too many questions wait, or this one has waited too long.
        """
        if self.waiting or not self._has_thread_for(share):
            await self._wait(share)
        else:
            self._hold(share)
        return await asyncio.wrap_future(self._start(share, work))

    def close(self) -> None:
        """Start no more work."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _start(self, share: Share, work: Callable[[], T]) -> Future[T]:
        loop = asyncio.get_running_loop()

        def ended(_: Future[T]) -> None:
            with suppress(RuntimeError):  # the loop was closed before the work ended
                loop.call_soon_threadsafe(self._release, share)

        try:
            future = self._threads.submit(work)
        except RuntimeError as error:
            self._release(share)
            raise BusyError("the server is stopping", self._wait_seconds) from error
        future.add_done_callback(ended)
        return future

    async def _wait(self, share: Share) -> None:
        """Wait for a thread, which is then held."""
        if self.waiting >= self._max_waiting:
            self._make_room(share)
        entry: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(share.group, {}).setdefault(share.caller, deque()).append(entry)
        self.waiting += 1
        self._hand_out()
        try:
            async with asyncio.timeout(self._wait_seconds):
                await entry
        except BaseException as error:
            if entry.done() and not entry.cancelled() and entry.exception() is None:
                self._release(share)  # a thread became free just as the waiting ended
            else:
                self._forget(share, entry)
            if isinstance(error, TimeoutError):
                raise self._busy(share) from error
            raise

    def _make_room(self, share: Share) -> None:
        """Refuse the last entry of the longest queue, which may be the caller's own."""
        group, queues = max(self._waiting.items(), key=lambda item: sum(map(len, item[1].values())))
        caller, queue = max(queues.items(), key=lambda item: len(item[1]))
        error = BusyError(
            f"{self.waiting} questions already wait for a worker thread", self._wait_seconds / 2
        )
        if Share(group, caller) == share:
            raise error
        entry = queue[-1]
        self._forget(Share(group, caller), entry)
        entry.set_exception(error)

    def _forget(self, share: Share, entry: asyncio.Future[None]) -> None:
        """Remove an entry from its queue if it is there, and then empty queues."""
        queues = self._waiting.get(share.group, {})
        queue = queues.get(share.caller, deque())
        if entry not in queue:
            return
        queue.remove(entry)
        self.waiting -= 1
        if not queue:
            del queues[share.caller]
        if not queues:
            del self._waiting[share.group]

    def _has_thread_for(self, share: Share) -> bool:
        return (
            self.running < self._size
            and self._held[share] < self._share
            and self._held[share.group] < self._group_share
        )

    def _hold(self, share: Share) -> None:
        self.running += 1
        self._held[share] += 1
        self._held[share.group] += 1

    def _release(self, share: Share) -> None:
        self.running -= 1
        for key in (share, share.group):
            self._held[key] -= 1
            if not self._held[key]:
                del self._held[key]
        self._hand_out()

    def _hand_out(self) -> None:
        """Give free threads to waiting questions, in rotation."""
        while self.running < self._size and (found := self._next()) is not None:
            share, entry = found
            self._hold(share)
            entry.set_result(None)

    def _next(self) -> tuple[Share, asyncio.Future[None]] | None:
        for group, queues in self._waiting.items():
            for caller, queue in queues.items():
                share = Share(group, caller)
                # A caller that has gone removes its own entry.
                entry = next((entry for entry in queue if not entry.done()), None)
                if entry is not None and self._has_thread_for(share):
                    # The group and the caller are the last of the rotation now.
                    self._waiting[group] = self._waiting.pop(group)
                    queues[caller] = queues.pop(caller)
                    self._forget(share, entry)
                    return share, entry
        return None

    def _busy(self, share: Share) -> BusyError:
        """Return the reason why a question got no thread in time."""
        if self.running >= self._size:
            reason = "all worker threads are busy"
        else:
            is_own = self._held[share] >= self._share
            who, most = ("caller", self._share) if is_own else ("address", self._group_share)
            reason = (
                f"questions of this {who} already hold its share, {most} of {self._size} worker"
                " threads"
            )
        return BusyError(reason, self._wait_seconds / 2)
