"""How a question is answered: planned, admitted, given its turn, and ended when nobody waits.

Questions of microseconds are answered on the event loop. Others go to a lane of threads by their
price, so that dear ones hold up only dear ones, and batches only batches.
"""

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

from google.protobuf.message import Message

from position_oracle.engine.budget import Budget, Plan
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server.calls import Bill, Turn
from position_oracle.oracle.server.faults import (
    DeadlineError,
    TooDearError,
    TooLargeError,
)
from position_oracle.oracle.server.forms import PROTO, Form
from position_oracle.oracle.server.kept import KeptResponses
from position_oracle.oracle.server.lanes import Caller, Lane
from position_oracle.oracle.server.methods import Call, Question, of_field
from position_oracle.oracle.server.settings import ServerSettings
from position_oracle.schema.errors import PositionOracleError

QUICK: Final = 0.0005
"""Questions of at most so many seconds are answered on the event loop."""

SHORT_BYTES: Final = 256
"""Requests of at most so many bytes are read on the event loop."""

LONG_SECONDS: Final = 0.1
"""Questions expected to take longer go to the lane of long ones."""

T = TypeVar("T")


class Request(NamedTuple):
    """A call of the contract with its message, not read yet.

    Attributes:
        call: the call.
        serialized: the message.
        form: in which it came and the response goes.
    """

    call: Call
    serialized: bytes
    form: Form = PROTO


class Planned(NamedTuple):
    """A request that was read: the oracle that is to be asked, and how it answers."""

    request: Request
    question: Question
    oracle: Oracle
    plan: Plan[Any]


class OracleService:
    """Answers requests of the contract from the oracle that is served now.

    A call asks one oracle from its beginning to its end, so that a batch is answered from one state
    of the tables.

    Attributes:
        is_warm: whether questions of microseconds take no longer; until what they need has been
            imported, threads answer them as well.
    """

    def __init__(self, oracle: Callable[[], Oracle], settings: ServerSettings) -> None:
        """Make a service.

        Args:
            oracle: gives the oracle to ask, called once for each call.
            settings: limits on requests, times, numbers of threads.
        """
        self._settings = settings
        self._limit = settings.limit
        self._oracle = oracle
        self._kept = KeptResponses()
        self.is_warm = True
        waiting, seconds = settings.max_waiting, settings.wait_seconds

        def lane(name: str, threads: int, share: int) -> Lane:
            return Lane(name, threads, share=share, max_waiting=waiting, wait_seconds=seconds)

        search, batch, long = (
            settings.search_threads,
            settings.batch_threads,
            settings.long_threads,
        )
        self._search = lane("search", search, search)
        self._batch = lane("batch", batch, batch)
        self._long = lane("long", long, max(1, long // 4))

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The lanes of threads."""
        return self._search, self._batch, self._long

    @property
    def running(self) -> int:
        """Questions that threads work on now."""
        return sum(lane.running for lane in self.lanes)

    @property
    def tables(self) -> str:
        """Version of the tables that are asked now."""
        return self._oracle().tables().version

    def close(self) -> None:
        """Start no more work."""
        for lane in self.lanes:
            lane.close()

    def answer_quickly(self, request: Request) -> bytes | Planned | Request:
        """The response to a request that takes microseconds, on the event loop.

        Returns:
            The response; or the question, where answering takes longer; or the request, where
            reading does.

        Raises:
            PositionOracleError: the request breaks a rule, or there is no such answer.
        """
        if len(request.serialized) > SHORT_BYTES or not self.is_warm:
            return request
        oracle, key = self._oracle(), (request.call.name, request.serialized)
        is_kept = request.form is PROTO
        if is_kept and (kept := self._kept.find(oracle, key)) is not None:
            return kept
        planned = self._read(request, oracle)
        if planned.plan.cost.seconds > QUICK:
            return planned
        response, size = self._ask(planned)
        if size > request.form.quick_bytes:
            return planned
        written = request.form.write(response)
        if is_kept:
            self._kept.keep(oracle, key, written)
        return written

    async def answer(
        self, asked: Request | Planned, caller: Caller, seconds: float | None, bill: Bill
    ) -> bytes:
        """The response to a request, by threads.

        Args:
            asked: the request, or the question that was read from it.
            caller: who asks, for turns.
            seconds: until the caller's deadline; None where he set none.
            bill: has the client whose quota is used, and gets price and time.

        Raises:
            PositionOracleError: the request breaks a rule, is too dear, or there is no such
                answer; the server has too much to do; the time is over.
        """
        longest = self._settings.deadline_seconds
        seconds = longest if seconds is None else min(seconds, longest)
        budget = Budget(self._limit, time.monotonic() + seconds)
        request = asked.request if isinstance(asked, Planned) else asked
        try:
            async with asyncio.timeout(seconds) as scope:
                first = self._batch if request.call.is_batch else self._search
                if isinstance(asked, Request):
                    # Many rows take a while to be planned, too.
                    read = partial(self._read, asked, self._oracle())
                    turn = _turn(first, "read", bill)
                    asked = await first.run(caller, partial(_work, read, budget, turn))
                price = bill.price = asked.plan.cost
                if not price.fits(self._limit):
                    raise TooDearError(price, self._limit)
                if bill.client is not None:
                    bill.client.admit_seconds(price.seconds)
                lane = self._long if price.seconds > LONG_SECONDS else first
                respond = partial(self._respond, asked)
                turn = _turn(lane, "search", bill)
                return await lane.run(caller, partial(_work, respond, budget, turn))
        except TimeoutError as error:
            if scope.expired():
                raise DeadlineError(f"not answered within {seconds:.3g} s") from error
            raise
        finally:
            budget.cancel()  # the caller may have gone while a thread still works

    def _read(self, request: Request, oracle: Oracle) -> Planned:
        question = request.call.read(request.serialized, self._settings, request.form)
        try:
            plan = oracle.plan(question.name, *question.arguments)
        except PositionOracleError as error:
            raise of_field(question, error) from error
        return Planned(request, question, oracle, plan)

    def _respond(self, planned: Planned) -> bytes:
        response, _ = self._ask(planned)
        return planned.request.form.write(response)

    def _ask(self, planned: Planned) -> tuple[Message, int]:
        """The response, and its bytes in the wire format."""
        question = planned.question
        try:
            response = question.write(planned.oracle, planned.plan.run())
        except PositionOracleError as error:
            raise of_field(question, error) from error
        size, limit = response.ByteSize(), self._settings.max_response_bytes
        if size > limit:
            message = f"the answer has {size} bytes; allowed are at most {limit}"
            raise TooLargeError(message, "response_bytes", size, limit)
        return response, size


def _turn(lane: Lane, work: str, bill: Bill) -> Turn:
    """A turn that begins now."""
    turn = Turn(lane.name, work, time.monotonic())
    bill.turns.append(turn)
    return turn


def _work(work: Callable[[], T], budget: Budget, turn: Turn) -> T:
    """Do work in a thread, under a budget, and note the time it takes."""
    turn.begun = time.monotonic()
    begun = time.thread_time()
    try:
        budget.check()
        with budget.active():
            return work()
    finally:
        turn.cpu_seconds = time.thread_time() - begun
        turn.ended = time.monotonic()
