"""The asyncio client; its interface mirrors that of the synchronous client."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar, cast

import grpc
import numpy as np
import numpy.typing as npt
from google.protobuf.message import Message

from position_oracle.clients import _channel, _questions
from position_oracle.clients._batches import (
    ArrayQuestion,
    Batches,
    OutcomeArray,
    Part,
    ValueArray,
    WinningMoveArray,
    WinProbabilityArray,
    is_too_large,
)
from position_oracle.clients._channel import Attempts, Sent
from position_oracle.clients._failures import failure
from position_oracle.clients._questions import Dialogue, Question
from position_oracle.clients.errors import ClientClosedError, OracleClientError, ServerError
from position_oracle.schema.analyses import Analysis, AnalyzedMove, Turns, WinProbability
from position_oracle.schema.answerer import (
    DEFAULT_CANDIDATES,
    DEFAULT_MOVES,
    MAX_OPENINGS,
    NO_RESULTS,
    ValueKind,
    described,
)
from position_oracle.schema.answers import Answer, Outcome, Tables
from position_oracle.schema.errors import PositionOracleError
from position_oracle.schema.estimates import Estimates
from position_oracle.schema.games import BatchLimits, GameInfo
from position_oracle.schema.geometry import Geometry
from position_oracle.schema.graphs import SolvedGraph
from position_oracle.schema.lines import DEFAULT_PLIES, BestLine
from position_oracle.schema.moves import Move
from position_oracle.schema.positions import PositionLike
from position_oracle.schema.proto.position_oracle.v1.service_pb2_grpc import PositionOracleStub

T = TypeVar("T")
Call = grpc.aio.UnaryUnaryCall[Any, Any]


@described
class AsyncOracleClient(_channel.Unpicklable):
    """Asks a position oracle with asyncio; an asynchronous context manager of one event loop.

    >>> async with AsyncOracleClient("localhost:50051") as oracle:    # doctest: +SKIP
    ...     (await oracle.outcome("chomp3:[4,3,2]")).outcome
    <Outcome.N: 2>

    Its methods are those of `OracleClient`, with the same arguments, results and errors. A call
    whose task is cancelled is cancelled on the server, too.
    """

    def __init__(
        self,
        address: str = _channel.DEFAULT_ADDRESS,
        *,
        timeout: float = _channel.DEFAULT_TIMEOUT,
        retry_for: float = _channel.DEFAULT_RETRY_FOR,
        batch_positions: int | None = None,
        credentials: grpc.ChannelCredentials | None = None,
        token: str | None = None,
        insecure: bool = False,
    ) -> None:
        """Make a client inside a running event loop; see `OracleClient`."""
        self._settings = _channel.ClientSettings(
            address, timeout, retry_for, batch_positions, credentials, token, insecure
        )
        options = self._settings.options
        self._channel = (
            grpc.aio.insecure_channel(address, options)
            if credentials is None
            else grpc.aio.secure_channel(address, credentials, options)
        )
        self._stub = PositionOracleStub(self._channel)
        self._process = os.getpid()
        self._closed = False
        self._limits = self._settings.batch_limits

    async def outcome(self, position: PositionLike, *, timeout: float | None = None) -> Answer:
        """See `Answerer.outcome`."""
        return await self._ask(_questions.outcome(position), timeout)

    async def winning_moves(
        self, position: PositionLike, *, timeout: float | None = None
    ) -> Answer:
        """See `Answerer.winning_moves`."""
        return await self._converse(_questions.winning_moves(position), timeout)

    async def best_move(
        self, position: PositionLike, *, timeout: float | None = None
    ) -> Move | None:
        """See `Answerer.best_move`."""
        return await self._ask(_questions.best_move(position), timeout)

    async def analyze(
        self, position: PositionLike, *, moves: bool = True, timeout: float | None = None
    ) -> Analysis:
        """See `Answerer.analyze`."""
        return await self._converse(_questions.analyze(position, moves=moves), timeout)

    async def moves(
        self, position: PositionLike, *, most: int = DEFAULT_MOVES, timeout: float | None = None
    ) -> tuple[AnalyzedMove, ...]:
        """See `Answerer.moves`."""
        return await self._converse(_questions.moves(position, most), timeout)

    async def outcomes(
        self, game: str, positions: npt.ArrayLike, *, timeout: float | None = None
    ) -> npt.NDArray[np.uint8]:
        """See `Answerer.outcomes`."""
        return await self._fill(OutcomeArray(Batches(game, positions)), timeout)

    async def winning_move_batch(
        self, game: str, positions: npt.ArrayLike, *, timeout: float | None = None
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int32]]:
        """See `Answerer.winning_move_batch`."""
        return await self._fill(WinningMoveArray(Batches(game, positions)), timeout)

    async def instant_winners(
        self,
        game: str,
        x: int,
        size_y: int,
        size_z: int,
        *,
        first_y: int = 0,
        first_z: int = 0,
        timeout: float | None = None,
    ) -> npt.NDArray[np.uint8]:
        """See `Answerer.instant_winners`."""
        window = (size_y, size_z, first_y, first_z)
        return await self._ask(_questions.instant_winners(game, x, *window), timeout)

    async def losers(
        self, game: str, x: int, size_y: int, *, first_y: int = 0, timeout: float | None = None
    ) -> npt.NDArray[np.int32]:
        """See `Answerer.losers`."""
        return await self._ask(_questions.losers(game, x, size_y, first_y), timeout)

    async def estimate_column(
        self, x: int, y: int, *, most: int = DEFAULT_CANDIDATES, timeout: float | None = None
    ) -> Estimates:
        """See `Answerer.estimate_column`."""
        return await self._ask(_questions.column(x, y, most), timeout)

    async def estimate_opening(
        self, n: int, *, most: int = MAX_OPENINGS, timeout: float | None = None
    ) -> Estimates:
        """See `Answerer.estimate_opening`."""
        return await self._ask(_questions.opening(n, most), timeout)

    async def best_line(
        self, position: PositionLike, plies: int = DEFAULT_PLIES, *, timeout: float | None = None
    ) -> BestLine:
        """See `Answerer.best_line`."""
        return await self._converse(_questions.best_line(position, plies), timeout)

    async def geometry(self, game: str, *, timeout: float | None = None) -> Geometry:
        """See `Answerer.geometry`."""
        return await self._converse(_questions.geometry(game), timeout)

    async def values(
        self,
        game: str,
        positions: npt.ArrayLike,
        kind: ValueKind = "grundy",
        *,
        timeout: float | None = None,
    ) -> npt.NDArray[np.int64]:
        """See `Answerer.values`."""
        return await self._fill(ValueArray(Batches(game, positions), kind), timeout)

    async def series(
        self, game: str, first: int, last: int, *, timeout: float | None = None
    ) -> npt.NDArray[np.int64]:
        """See `Answerer.series`."""
        return await self._ask(_questions.series(game, first, last), timeout)

    async def answers(
        self, positions: Sequence[PositionLike], *, timeout: float | None = None
    ) -> tuple[Answer | PositionOracleError, ...]:
        """See `Answerer.answers`."""
        return await self._ask(_questions.answers(positions), timeout)

    async def solve_graph(
        self,
        moves: npt.ArrayLike,
        *,
        nodes: int | None = None,
        results: Mapping[int, Outcome] = NO_RESULTS,
        misere: bool = False,
        timeout: float | None = None,
    ) -> SolvedGraph:
        """See `Answerer.solve_graph`."""
        question = _questions.solve_graph(moves, nodes, results, misere=misere)
        return await self._ask(question, timeout)

    async def win_probability(
        self, position: PositionLike, model: str, *, timeout: float | None = None
    ) -> WinProbability:
        """See `Answerer.win_probability`."""
        return await self._converse(_questions.win_probability(position, model), timeout)

    async def win_probabilities(
        self, game: str, positions: npt.ArrayLike, model: str, *, timeout: float | None = None
    ) -> npt.NDArray[np.float64]:
        """See `Answerer.win_probabilities`."""
        return await self._fill(WinProbabilityArray(Batches(game, positions), model), timeout)

    async def turns(self, position: PositionLike, *, timeout: float | None = None) -> Turns:
        """See `Answerer.turns`."""
        return await self._converse(_questions.turns(position), timeout)

    async def games(self, *, timeout: float | None = None) -> tuple[GameInfo, ...]:
        """See `Answerer.games`."""
        return await self._converse(_questions.games(), timeout)

    async def tables(self, *, timeout: float | None = None) -> Tables | None:
        """See `Answerer.tables`."""
        return await self._ask(_questions.tables(), timeout)

    async def wait_ready(self, timeout: float = _channel.READY_SECONDS) -> None:
        """See `OracleClient.wait_ready`."""
        wait = _channel.Wait(self._settings.address, timeout)
        while wait.goes_on():
            channel = self._connected()
            check: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
                _channel.HEALTH_CHECK
            )
            try:
                status = await check(b"", timeout=wait.left, wait_for_ready=True)
            except grpc.aio.AioRpcError as error:
                self._connected()
                status = wait.failed(error.code())
            if status == _channel.SERVING:
                return
            await asyncio.sleep(_channel.PAUSE_SECONDS)

    async def close(self) -> None:
        """See `OracleClient.close`."""
        self._closed = True
        await self._channel.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def _ask(self, question: Question[T], timeout: float | None) -> T:
        attempts = self._settings.attempts(timeout)
        call = self._start(question.method, question.request, attempts)
        sent = Sent(None, question.request, attempts, call)
        return question.answer(await self._finish(question.method, sent))

    async def _converse(self, dialogue: Dialogue[T], timeout: float | None) -> T:
        answer = None
        while True:
            question, result = _questions.advanced(dialogue, answer)
            if question is None:
                return cast("T", result)
            answer = await self._ask(question, timeout)

    async def _fill(self, array: ArrayQuestion[T], timeout: float | None) -> T:
        if self._limits is not None or array.is_cut:
            array.limit(await self._batch_limits(timeout))
        while True:
            try:
                for requests in array.rounds():
                    async for part, response in self._each(array.method, requests, timeout):
                        array.put(part, response)
            except OracleClientError as error:
                if self._limits is not None or not is_too_large(error):
                    raise
                array.limit(await self._batch_limits(timeout))
            else:
                return array.result

    async def _batch_limits(self, timeout: float | None) -> BatchLimits:
        """Return the given limits, or those of the server, which is asked once."""
        if self._limits is None:
            self._limits = await self._ask(_questions.batch_limits(), timeout)
        return self._limits

    async def _each(
        self, method: str, requests: Iterable[tuple[Part, Message]], timeout: float | None
    ) -> AsyncIterator[tuple[Part, Any]]:
        """Yield responses in the order of the requests, a few of which are in progress."""
        under_way: deque[Sent[Part, Call]] = deque()
        try:
            for part, request in requests:
                attempts = self._settings.attempts(timeout)
                call = self._start(method, request, attempts)
                under_way.append(Sent(part, request, attempts, call))
                if len(under_way) == _channel.IN_FLIGHT:
                    first = under_way.popleft()
                    yield first.part, await self._part(method, first)
            while under_way:
                first = under_way.popleft()
                yield first.part, await self._part(method, first)
        finally:
            for sent in under_way:
                sent.call.cancel()

    async def _part(self, method: str, sent: Sent[Part, Call]) -> Any:
        with sent.part.as_given():
            return await self._finish(method, sent)

    def _start(self, method: str, request: Message, attempts: Attempts) -> Call:
        self._connected()
        call: Call = getattr(self._stub, method)(
            request, timeout=attempts.left, metadata=self._settings.metadata
        )
        return call

    async def _finish(self, method: str, sent: Sent[Any, Call]) -> Any:
        """Return the response to a call, or to its retry."""
        call = sent.call
        while True:
            try:
                return await self._result(call)
            except OracleClientError as failed:
                pause = sent.attempts.pause(failed)
                if pause is None:
                    raise
            await asyncio.sleep(pause)
            call = self._start(method, sent.request, sent.attempts)

    async def _result(self, call: Call) -> Any:
        try:
            response = await call
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not self._closed or (task is not None and task.cancelling()):
                raise
            raise ClientClosedError(_channel.CLOSED_MEANWHILE) from None
        except grpc.aio.AioRpcError as error:
            if self._closed:
                raise ClientClosedError(_channel.CLOSED_MEANWHILE) from None
            metadata = error.trailing_metadata() or ()
            raise failure(error.code(), error.details() or "", metadata) from None
        if response is None:
            raise ServerError("the server broke the contract: its response is not a message")
        return response

    def _connected(self) -> grpc.aio.Channel:
        """Return the connection, which belongs to the process that made it."""
        if self._closed:
            raise ClientClosedError("the client is closed")
        if self._process != os.getpid():
            raise ClientClosedError(_channel.FORKED)
        return self._channel
