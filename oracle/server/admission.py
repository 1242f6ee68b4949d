"""Admission control shared by gRPC and HTTP: access, limits, and the threads for answers.

The event loop answers questions that take microseconds. All other questions wait in fair queues
for worker threads. There are separate queues for expensive questions and for batches.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Final, TypeVar

from position_oracle.engine.amounts import duration_text, size_text
from position_oracle.engine.budget import Budget
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server.auth import Accounts, forwarded_address
from position_oracle.oracle.server.codec import PROTO, Size
from position_oracle.oracle.server.compute_pool import ComputePool
from position_oracle.oracle.server.connections import Deadline, Deadlines, Gate
from position_oracle.oracle.server.contract import Planned, Request, plan_request, respond
from position_oracle.oracle.server.errors import BusyError, TooExpensiveError
from position_oracle.oracle.server.fair_queue import FairQueue, Share
from position_oracle.oracle.server.settings import ServerSettings
from position_oracle.oracle.server.telemetry import Caller, CallRecord, Observer, ThreadWork

QUICK: Final = 0.0005
"""The event loop answers questions with a cost of at most this many seconds."""

SHORT_BYTES: Final = 256
"""The event loop parses requests of at most this many bytes."""

LONG_SECONDS: Final = 0.1
"""Questions with a higher expected cost, in seconds, wait in the queue of expensive questions."""

_ENTRY_BYTES: Final = 400
"""Bytes of memory for a cached response in addition to the bytes of request and response."""

_READY_SECONDS: Final = 1.0

T = TypeVar("T")


class ResponseCache:
    """Cache of the responses of one oracle, for repeated requests.

    Keys are the name of a call and its message in the wire format. The cache is emptied when it is
    full.
    """

    def __init__(self, max_bytes: int = 8 << 20) -> None:
        self._max_bytes = max_bytes
        self._oracle: Oracle | None = None
        self._responses: dict[tuple[str, bytes], bytes] = {}
        self._bytes = 0

    def get(self, oracle: Oracle, key: tuple[str, bytes]) -> bytes | None:
        """Return the cached response of an oracle to a request; None if there is none."""
        return self._responses.get(key) if oracle is self._oracle else None

    def clear(self) -> None:
        """Drop all responses, and the oracle."""
        self._oracle, self._responses, self._bytes = None, {}, 0

    def put(self, oracle: Oracle, key: tuple[str, bytes], response: bytes) -> None:
        """Cache a response. Responses of an earlier oracle are dropped."""
        size = len(key[1]) + len(response) + _ENTRY_BYTES
        if oracle is not self._oracle or self._bytes + size > self._max_bytes:
            self.clear()
            self._oracle = oracle
        self._responses[key] = response
        self._bytes += size


class Admission:
    """Admits calls within the limits of the settings, and passes their questions to threads.

    Each call uses one oracle from beginning to end, so one version of the tables answers all of a
    batch.

    Attributes:
        is_open: whether calls are answered. Before a server is ready, they are refused with an
            error after which callers may retry.
        is_warm: whether all modules for answers are imported. Before that, threads answer even the
            questions that take microseconds.
        active_calls: number of calls in progress, except those that the event loop answers.
        held_bytes: memory of the requests in progress.
        queues: the fair queues of the worker threads.
        gate: the gate at which calls wait while the server stops.
        reading, answering: the deadlines of calls whose message is arriving, and of calls that
            threads answer.
        accounts: the callers that may call; None for everybody.
        observers: objects that receive the record of each call when it ends.
    """

    def __init__(
        self,
        oracle: Callable[[], Oracle],
        settings: ServerSettings,
        pool: ComputePool | None = None,
    ) -> None:
        """Make the admission control of a server.

        Args:
            oracle: returns the oracle to use, called once for each call.
            settings: limits on requests, times, numbers of threads.
            pool: the processes for long questions; None for threads of this process.
        """
        self.is_open = self.is_warm = True
        self.active_calls = self.held_bytes = 0
        self.gate = Gate()
        self.reading, self.answering = Deadlines(), Deadlines()
        self.accounts: Accounts | None = None
        self.observers: tuple[Observer, ...] = ()
        self._oracle, self._settings = oracle, settings
        self._limit = settings.limit
        self._late = f"no message arrived within {settings.arrival_seconds:g} s"
        self._proxies = settings.proxies
        self._responses = ResponseCache()
        self._pool = pool

        def queue(name: str, threads: int, share: int) -> FairQueue:
            most, seconds = settings.max_waiting, settings.wait_seconds
            return FairQueue(name, threads, share=share, max_waiting=most, wait_seconds=seconds)

        self._search = queue("search", settings.search_threads, settings.search_threads)
        self._batch = queue("batch", settings.batch_threads, settings.batch_threads)
        self._long = queue("long", settings.long_threads, max(1, settings.long_threads // 4))
        self.queues = self._search, self._batch, self._long

    @property
    def oracle(self) -> Oracle:
        """The oracle in use."""
        return self._oracle()

    @property
    def is_ready(self) -> bool:
        """Whether load balancers should send calls here."""
        return self.is_open and not self.gate.is_leaving

    @property
    def running(self) -> int:
        """Number of questions that threads work on now, including abandoned ones."""
        return sum(queue.running for queue in self.queues)

    def forget_responses(self) -> None:
        """Drop the cached responses, because the tables have been replaced."""
        self._responses.clear()

    def close(self) -> None:
        """Start no more work."""
        for queue in self.queues:
            queue.close()
        if self._pool is not None:
            self._pool.close()

    def recorded(self, method: str, caller: Caller) -> CallRecord:
        """Return a record of a call, which observers receive at the end of its block."""
        return CallRecord(method, caller, self.observers)

    def admit(self, call: CallRecord) -> None:
        """Admit a caller by the token of the call, if tokens are required.

        Raises:
            AccessError: the token is missing or not known.
            QuotaError: the account has used up its calls.
            BusyError: the server is not ready.
        """
        if not self.is_open:
            raise BusyError("the server is starting", _READY_SECONDS)
        if self.accounts is not None:
            account = self.accounts.find(call.headers)
            account.admit_call()
            call.account = account

    @contextmanager
    def reserve(self, size: int, calls: int = 1) -> Iterator[None]:
        """Count a call and its message, or only an arriving message.

        Raises:
            BusyError: there are too many calls, or their messages take too much memory.
        """
        if (
            self.active_calls + calls > self._settings.max_calls
            or self.held_bytes + size > self._settings.max_held_bytes
        ):
            reason = f"{self.active_calls} calls with {size_text(self.held_bytes)} are in progress"
            raise BusyError(reason)
        self.active_calls += calls
        self.held_bytes += size
        try:
            yield
        finally:
            self.active_calls -= calls
            self.held_bytes -= size

    def arrival(self) -> Deadline:
        """Return the block in which the message of a call arrives; raises as `Deadlines.within`."""
        return self.reading.within(self._settings.arrival_seconds, self._late)

    async def answer(self, request: Request, call: CallRecord) -> bytes:
        """Return the response to a request of an admitted call.

        The record of the call gets the cost and the time, and its account is charged.

        Raises:
            PositionOracleError: the request breaks a rule, is too expensive, or has no answer; the
                server is overloaded; or the deadline has passed.
        """
        asked = self.answer_at_once(request)
        if isinstance(asked, bytes):
            return asked
        with self.reserve(len(request.serialized)):
            return await self._answer_in_threads(asked, call)

    def answer_at_once(self, request: Request) -> bytes | Planned | Request:
        """Return the response on the event loop, if the request takes microseconds.

        Returns:
            The response. If answering takes longer, the question; if parsing takes longer, the
            request.

        Raises:
            PositionOracleError: the request breaks a rule, or has no answer.
        """
        is_long = len(request.serialized) > SHORT_BYTES or request.call.size is Size.LIST
        if is_long or not self.is_warm:
            return request
        oracle, key = self._oracle(), (request.call.name, request.serialized)
        is_cached = request.codec is PROTO
        if is_cached and (cached := self._responses.get(oracle, key)) is not None:
            return cached
        planned = plan_request(request, oracle, self._settings)
        cost = planned.plan.cost
        if cost.seconds_now > QUICK or not cost.fits(self._limit):
            return planned
        response = respond(planned, self._settings)
        if len(response) > request.codec.quick_bytes:
            return planned
        if is_cached:
            self._responses.put(oracle, key, response)
        return request.response(response)

    async def _answer_in_threads(self, asked: Request | Planned, call: CallRecord) -> bytes:
        share, seconds = self._share(call), call.caller.time_remaining()
        longest = self._settings.deadline_seconds
        seconds = longest if seconds is None else min(seconds, longest)
        budget = Budget(self._limit, time.monotonic() + seconds, seconds)
        request = asked.request if isinstance(asked, Planned) else asked
        queue = self._batch if request.call.size is not Size.QUESTION else self._search
        try:
            late = f"not answered within {duration_text(seconds)}"
            with self.answering.within(seconds, late):
                if isinstance(asked, Request):
                    # Computing the cost of many rows takes time, too.
                    read = partial(plan_request, asked, self._oracle(), self._settings)
                    asked = await queue.run(share, _measured(read, budget, queue, "read", call))
                cost = call.cost = asked.plan.cost
                if not cost.fits(self._limit):
                    raise TooExpensiveError(cost, self._limit)
                if call.account is not None:
                    call.account.check_seconds(cost.seconds_now)
                queue = self._long if cost.seconds_now > LONG_SECONDS else queue
                answer = partial(self._respond, asked, call)
                return await queue.run(share, _measured(answer, budget, queue, "search", call))
        finally:
            budget.cancel()  # the caller may have gone while a thread still works

    def _share(self, call: CallRecord) -> Share:
        """Return the share of the threads of a call: by its token, else by its address."""
        if call.account is not None:
            return Share(call.account.name, "")
        peer = call.caller.peer()
        address = forwarded_address(peer, call.headers, self._proxies)
        return Share(peer.rpartition(":")[0], peer) if address is None else Share(address, "")

    def _respond(self, planned: Planned, call: CallRecord) -> bytes:
        request, account = planned.request, call.account
        seconds = planned.plan.cost.seconds_now
        with nullcontext() if account is None else account.charged(seconds):
            if self._pool is None or seconds <= LONG_SECONDS:
                return request.response(respond(planned, self._settings))
            response, call.work[-1].cpu_seconds = self._pool.answer(request)
            return request.response(response)


def _measured(
    work: Callable[[], T], budget: Budget, queue: FairQueue, kind: str, call: CallRecord
) -> Callable[[], T]:
    """Wrap work under a budget so that the times of its thread are recorded."""
    record = ThreadWork(queue.name, kind, time.monotonic())
    call.work.append(record)

    def measured() -> T:
        record.begun = time.monotonic()
        begun = time.thread_time()
        try:
            budget.check()
            with budget.active():
                return work()
        finally:
            record.cpu_seconds += time.thread_time() - begun
            record.ended = time.monotonic()

    return measured
