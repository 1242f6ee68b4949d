"""The synchronous client."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from position_oracle.clients._channel import CLOSED_MEANWHILE, Attempts, Sent
from position_oracle.clients._failures import failure
from position_oracle.clients._questions import Dialogue, Question
from position_oracle.clients.errors import ClientClosedError, OracleClientError
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


@described
class OracleClient(_channel.Unpicklable):
    """Client of a position oracle; a context manager that threads may share.

    >>> with OracleClient("localhost:50051") as oracle:       # doctest: +SKIP
    ...     oracle.outcome("chomp3:[4,3,2]").outcome
    <Outcome.N: 2>

    Its questions are those of `Answerer`. Every method also takes `timeout`, in seconds for each
    request: None for the client's own, infinity for no deadline. Every method may raise
    `OracleClientError`; `position_oracle.errors` draws its tree. A forked process gets a connection
    of its own at its first question.
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
        """Make a client; it connects at its first question.

        Args:
            address: the server, `host:port`.
            timeout: seconds for one request, retries included; infinity for no deadline.
            retry_for: seconds for which a request is retried if the server is unavailable. The
                default suffices for a restart of the server; 0 means no retry.
            batch_positions: positions in one request; None for as many as the server accepts.
                Larger arrays are split.
            credentials: TLS credentials, e.g. `position_oracle.tls(ca="ca.pem")`; None for plain
                text.
            token: token sent with every request, which identifies the caller.
            insecure: whether the token may be sent in plain text to another machine.

        Raises:
            InvalidArgumentError: a number is out of range, the address is not valid, or the token
                would be sent in plain text.
            ClientTypeError: an argument has a wrong type.
        """
        self._settings = _channel.ClientSettings(
            address, timeout, retry_for, batch_positions, credentials, token, insecure
        )
        self._closed = False
        self._limits = self._settings.batch_limits
        self._connect()

    def _connect(self) -> None:
        address, credentials = self._settings.address, self._settings.credentials
        options = self._settings.options
        self._channel = (
            grpc.insecure_channel(address, options)
            if credentials is None
            else grpc.secure_channel(address, credentials, options)
        )
        self._stub = PositionOracleStub(self._channel)
        self._process = os.getpid()

    def outcome(self, position: PositionLike, *, timeout: float | None = None) -> Answer:
        """See `Answerer.outcome`."""
        return self._ask(_questions.outcome(position), timeout)

    def winning_moves(self, position: PositionLike, *, timeout: float | None = None) -> Answer:
        """See `Answerer.winning_moves`."""
        return self._converse(_questions.winning_moves(position), timeout)

    def best_move(self, position: PositionLike, *, timeout: float | None = None) -> Move | None:
        """See `Answerer.best_move`."""
        return self._ask(_questions.best_move(position), timeout)

    def best_line(
        self, position: PositionLike, plies: int = DEFAULT_PLIES, *, timeout: float | None = None
    ) -> BestLine:
        """See `Answerer.best_line`."""
        return self._converse(_questions.best_line(position, plies), timeout)

    def analyze(
        self, position: PositionLike, *, moves: bool = True, timeout: float | None = None
    ) -> Analysis:
        """See `Answerer.analyze`."""
        return self._converse(_questions.analyze(position, moves=moves), timeout)

    def moves(
        self, position: PositionLike, *, most: int = DEFAULT_MOVES, timeout: float | None = None
    ) -> tuple[AnalyzedMove, ...]:
        """See `Answerer.moves`."""
        return self._converse(_questions.moves(position, most), timeout)

    def outcomes(
        self, game: str, positions: npt.ArrayLike, *, timeout: float | None = None
    ) -> npt.NDArray[np.uint8]:
        """See `Answerer.outcomes`."""
        return self._fill(OutcomeArray(Batches(game, positions)), timeout)

    def winning_move_batch(
        self, game: str, positions: npt.ArrayLike, *, timeout: float | None = None
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int32]]:
        """See `Answerer.winning_move_batch`."""
        return self._fill(WinningMoveArray(Batches(game, positions)), timeout)

    def instant_winners(
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
        return self._ask(_questions.instant_winners(game, x, *window), timeout)

    def losers(
        self, game: str, x: int, size_y: int, *, first_y: int = 0, timeout: float | None = None
    ) -> npt.NDArray[np.int32]:
        """See `Answerer.losers`."""
        return self._ask(_questions.losers(game, x, size_y, first_y), timeout)

    def estimate_column(
        self, x: int, y: int, *, most: int = DEFAULT_CANDIDATES, timeout: float | None = None
    ) -> Estimates:
        """See `Answerer.estimate_column`."""
        return self._ask(_questions.column(x, y, most), timeout)

    def estimate_opening(
        self, n: int, *, most: int = MAX_OPENINGS, timeout: float | None = None
    ) -> Estimates:
        """See `Answerer.estimate_opening`."""
        return self._ask(_questions.opening(n, most), timeout)

    def geometry(self, game: str, *, timeout: float | None = None) -> Geometry:
        """See `Answerer.geometry`."""
        return self._converse(_questions.geometry(game), timeout)

    def values(
        self,
        game: str,
        positions: npt.ArrayLike,
        kind: ValueKind = "grundy",
        *,
        timeout: float | None = None,
    ) -> npt.NDArray[np.int64]:
        """See `Answerer.values`."""
        return self._fill(ValueArray(Batches(game, positions), kind), timeout)

    def series(
        self, game: str, first: int, last: int, *, timeout: float | None = None
    ) -> npt.NDArray[np.int64]:
        """See `Answerer.series`."""
        return self._ask(_questions.series(game, first, last), timeout)

    def answers(
        self, positions: Sequence[PositionLike], *, timeout: float | None = None
    ) -> tuple[Answer | PositionOracleError, ...]:
        """See `Answerer.answers`."""
        return self._ask(_questions.answers(positions), timeout)

    def solve_graph(
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
        return self._ask(question, timeout)

    def win_probability(
        self, position: PositionLike, model: str, *, timeout: float | None = None
    ) -> WinProbability:
        """See `Answerer.win_probability`."""
        return self._converse(_questions.win_probability(position, model), timeout)

    def win_probabilities(
        self, game: str, positions: npt.ArrayLike, model: str, *, timeout: float | None = None
    ) -> npt.NDArray[np.float64]:
        """See `Answerer.win_probabilities`."""
        return self._fill(WinProbabilityArray(Batches(game, positions), model), timeout)

    def turns(self, position: PositionLike, *, timeout: float | None = None) -> Turns:
        """See `Answerer.turns`."""
        return self._converse(_questions.turns(position), timeout)

    def games(self, *, timeout: float | None = None) -> tuple[GameInfo, ...]:
        """See `Answerer.games`."""
        return self._converse(_questions.games(), timeout)

    def tables(self, *, timeout: float | None = None) -> Tables | None:
        """See `Answerer.tables`."""
        return self._ask(_questions.tables(), timeout)

    def wait_ready(self, timeout: float = _channel.READY_SECONDS) -> None:
        """Wait until the server answers questions.

        Args:
            timeout: maximum seconds to wait.

        Raises:
            ServerUnavailableError: the server is unreachable, or not ready, after that time.
        """
        wait = _channel.Wait(self._settings.address, timeout)
        while wait.goes_on():
            channel = self._connected()
            check: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
                _channel.HEALTH_CHECK
            )
            try:
                status = check(b"", timeout=wait.left, wait_for_ready=True)
            except grpc.RpcError as error:
                self._check_open()
                status = wait.failed(error.code())
            if status == _channel.SERVING:
                return
            time.sleep(_channel.PAUSE_SECONDS)

    def close(self) -> None:
        """Close the connection; the client cannot be used afterwards."""
        self._closed = True
        self._channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _ask(self, question: Question[T], timeout: float | None) -> T:
        attempts = self._settings.attempts(timeout)
        return question.answer(self._call(question.method, question.request, attempts))

    def _call(self, method: str, request: Message, attempts: Attempts) -> Any:
        while True:
            self._connected()
            call = getattr(self._stub, method)
            try:
                return call(request, timeout=attempts.left, metadata=self._settings.metadata)
            except grpc.RpcError as error:
                failed = self._failure(error)
            except ValueError:  # gRPC's error for a channel that another thread closes
                self._check_open()
                raise
            self._wait(attempts, failed)

    def _wait(self, attempts: Attempts, failed: OracleClientError) -> None:
        """Wait for the next attempt.

        Raises:
            OracleClientError: there is no further attempt.
        """
        pause = attempts.pause(failed)
        if pause is None:
            raise failed
        time.sleep(pause)

    def _converse(self, dialogue: Dialogue[T], timeout: float | None) -> T:
        answer = None
        while True:
            question, result = _questions.advanced(dialogue, answer)
            if question is None:
                return cast("T", result)
            answer = self._ask(question, timeout)

    def _fill(self, array: ArrayQuestion[T], timeout: float | None) -> T:
        if self._limits is not None or array.is_cut:
            array.limit(self._batch_limits(timeout))
        while True:
            try:
                for requests in array.rounds():
                    for part, response in self._each(array.method, requests, timeout):
                        array.put(part, response)
            except OracleClientError as error:
                if self._limits is not None or not is_too_large(error):
                    raise
                array.limit(self._batch_limits(timeout))
            else:
                return array.result

    def _batch_limits(self, timeout: float | None) -> BatchLimits:
        """Return the given limits, or those of the server, which is asked once."""
        if self._limits is None:
            self._limits = self._ask(_questions.batch_limits(), timeout)
        return self._limits

    def _each(
        self, method: str, requests: Iterable[tuple[Part, Message]], timeout: float | None
    ) -> Iterator[tuple[Part, Any]]:
        """Yield responses in the order of the requests, a few of which are in progress."""
        under_way: deque[Sent[Part, grpc.Future[Any]]] = deque()
        try:
            for part, request in requests:
                attempts = self._settings.attempts(timeout)
                call = self._start(method, request, attempts)
                under_way.append(Sent(part, request, attempts, call))
                if len(under_way) == _channel.IN_FLIGHT:
                    first = under_way.popleft()
                    yield first.part, self._part(method, first)
            while under_way:
                first = under_way.popleft()
                yield first.part, self._part(method, first)
        finally:
            for sent in under_way:
                sent.call.cancel()

    def _part(self, method: str, sent: Sent[Part, grpc.Future[Any]]) -> Any:
        with sent.part.as_given():
            return self._finish(method, sent)

    def _start(self, method: str, request: Message, attempts: Attempts) -> grpc.Future[Any]:
        self._connected()
        call = getattr(self._stub, method).future
        try:
            started: grpc.Future[Any] = call(
                request, timeout=attempts.left, metadata=self._settings.metadata
            )
        except ValueError:  # closed by another thread, as in `_call`
            self._check_open()
            raise
        return started

    def _finish(self, method: str, sent: Sent[Any, grpc.Future[Any]]) -> Any:
        """Return the response to a call, or to its retry."""
        try:
            return sent.call.result()
        except grpc.RpcError as error:
            self._wait(sent.attempts, self._failure(error))
        except grpc.FutureCancelledError:
            if self._closed:
                raise ClientClosedError(CLOSED_MEANWHILE) from None
        return self._call(method, sent.request, sent.attempts)

    def _connected(self) -> grpc.Channel:
        """Return the connection of this process."""
        self._check_open()
        if self._process != os.getpid():
            self._connect()
        return self._channel

    def _check_open(self) -> None:
        if self._closed:
            raise ClientClosedError("the client is closed")

    def _failure(self, error: grpc.RpcError) -> OracleClientError:
        if self._closed:
            return ClientClosedError(CLOSED_MEANWHILE)
        return failure(error.code(), error.details() or "", error.trailing_metadata() or ())
