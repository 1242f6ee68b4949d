"""The synchronous client."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, Self, TypeVar

import grpc
import numpy as np
import numpy.typing as npt
from google.protobuf.message import Message

from position_oracle.clients import _channel, _questions
from position_oracle.clients._batches import (
    ArrayQuestion,
    Batches,
    OutcomeArray,
    WinningMoveArray,
    WinProbabilityArray,
)
from position_oracle.clients._channel import CLOSED_MEANWHILE
from position_oracle.clients._failures import failure
from position_oracle.clients._questions import Dialogue, Question
from position_oracle.clients.errors import ClientClosedError, OracleClientError
from position_oracle.schema.analyses import Analysis, AnalyzedMove, WinProbability
from position_oracle.schema.answers import Answer, Tables
from position_oracle.schema.estimates import Estimates
from position_oracle.schema.games import GameInfo
from position_oracle.schema.geometry import Geometry
from position_oracle.schema.lines import DEFAULT_PLIES, BestLine
from position_oracle.schema.moves import Move
from position_oracle.schema.proto.position_oracle.v1.service_pb2_grpc import PositionOracleStub

T = TypeVar("T")


class OracleClient(_channel.Unpicklable):
    """Asks a position oracle; a context manager, safe to use from many threads.

    >>> with OracleClient("localhost:50051") as oracle:       # doctest: +SKIP
    ...     oracle.outcome("chomp3:[4,3,2]").outcome
    <Outcome.N: 2>

    Every method takes `timeout`, in seconds for each request: None for the client's own, infinity
    for no deadline. Every method may raise `OracleClientError`; `clients.errors` draws its tree.
    A process that is forked gets a connection of its own when it first asks.
    """

    def __init__(
        self,
        address: str = _channel.DEFAULT_ADDRESS,
        *,
        timeout: float = _channel.DEFAULT_TIMEOUT,
        retries: int = _channel.DEFAULT_RETRIES,
        batch_positions: int = _channel.DEFAULT_BATCH_POSITIONS,
        credentials: grpc.ChannelCredentials | None = None,
        token: str | None = None,
        insecure: bool = False,
    ) -> None:
        """Make a client; it connects when first asked.

        Args:
            address: the server, `host:port`.
            timeout: seconds for one request, retries included; infinity for no deadline.
            retries: how often a request is tried again when the server is unavailable, 0 to 4.
            batch_positions: positions in one request; larger arrays are split.
            credentials: for TLS, e.g. `clients.tls(ca="ca.pem")`; None speaks plain text.
            token: sent with every request; the server knows callers by it.
            insecure: whether the token may travel in plain text to another machine.

        Raises:
            ValueError: a number is outside what it allows, the address is none, or the token would
                travel in plain text.
        """
        self._settings = _channel.ClientSettings(
            address, timeout, retries, batch_positions, credentials, token, insecure
        )
        self._closed = False
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

    def outcome(self, position: str, *, timeout: float | None = None) -> Answer:
        """Who wins at a position given as text, e.g. `chomp3:[4,3,2]`."""
        return self._ask(_questions.outcome(position), timeout)

    def winning_moves(self, position: str, *, timeout: float | None = None) -> Answer:
        """Who wins at a position given as text, and every move that wins."""
        return self._ask(_questions.winning_moves(position), timeout)

    def best_move(self, position: str, *, timeout: float | None = None) -> Move | None:
        """The move to make: the one that wins soonest; where none wins, one that loses latest.

        By remoteness, where that is known; else a winning move, and where none is known one that
        takes little. Where the outcome is not known, one that is not known to lose.

        Args:
            position: text of a position, or of a sum.
            timeout: seconds for each request; there is more than one where nobody names a move.

        Returns:
            The move; None where there is none, since the game is over.
        """
        return self._converse(_questions.best_move(position), timeout)

    def best_line(
        self, position: str, plies: int = DEFAULT_PLIES, *, timeout: float | None = None
    ) -> BestLine:
        """How the game goes on if the winner hurries and the loser delays, ply by ply.

        Args:
            position: text of a position, or of a sum.
            plies: the most moves of the line, 1 to 10,000.
            timeout: seconds for the request.

        Returns:
            The line; `complete` says whether it goes to the end, `reason` why it does not.
        """
        return self._ask(_questions.best_line(position, plies), timeout)

    def analyze(
        self, position: str, *, moves: bool = True, timeout: float | None = None
    ) -> Analysis:
        """Everything known about a position, and about its moves, best first.

        Args:
            position: text of a position, or of a sum: `chomp3:[2,1,0] + nim:[3,5]`.
            moves: whether to list all moves.
            timeout: seconds for the request.
        """
        return self._ask(_questions.analyze(position, moves=moves), timeout)

    def moves(
        self, position: str, *, most: int = 100_000, timeout: float | None = None
    ) -> tuple[AnalyzedMove, ...]:
        """The legal moves with what they lead to, over as many requests as that takes.

        Best first; of more than 10,000 the winning ones come first, then the others in the order of
        the rules.

        Args:
            position: text of a position, or of a sum.
            most: the most moves that are wanted.
            timeout: seconds for each request.
        """
        return self._converse(_questions.moves(position, most), timeout)

    def outcomes(
        self, game: str, positions: npt.ArrayLike, *, timeout: float | None = None
    ) -> npt.NDArray[np.uint8]:
        """Who wins at each of many positions of one game.

        Args:
            game: text of the game, e.g. `chomp3`; it says how many passes are left.
            positions: integers (n, k) within int32.
            timeout: seconds for each request.

        Returns:
            uint8 (n,), the numbers of `Outcome`; 0 where it is not known. All from one state of the
            tables.
        """
        return self._fill(OutcomeArray(self._batches(game, positions)), timeout)

    def winning_move_batch(
        self, game: str, positions: npt.ArrayLike, *, timeout: float | None = None
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int32]]:
        """Who wins at each of many positions of one game, and the first move that wins.

        Args:
            game: text of the game, e.g. `chomp3`; it says how many passes are left.
            positions: integers (n, k) within int32.
            timeout: seconds for each request.

        Returns:
            Outcomes uint8 (n,), and the positions after the moves, int32 (n, k): all -1 where no
            move wins or none is known, all -2 where only the pass wins.
        """
        return self._fill(WinningMoveArray(self._batches(game, positions)), timeout)

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
        """A window of the instant-winner sheet W_x: from where a move reaches a P-position below x.

        Args:
            game: text of the game, e.g. `chomp3`.
            x: which sheet.
            size_y: the window holds y = first_y .. first_y + size_y - 1.
            size_z: the window holds z = first_z .. first_z + size_z - 1.
            first_y: where it begins.
            first_z: the same in a column.
            timeout: seconds for the request.

        Returns:
            uint8 (size_y, size_z): 0 where the position is no instant winner, else `Origin` flags.
        """
        window = (size_y, size_z, first_y, first_z)
        return self._ask(_questions.instant_winners(game, x, *window), timeout)

    def losers(
        self, game: str, x: int, size_y: int, *, first_y: int = 0, timeout: float | None = None
    ) -> npt.NDArray[np.int32]:
        """Part of the loser sheet L_x: the P-positions [x, y, z] of consecutive y.

        Args:
            game: text of the game, e.g. `chomp3`.
            x: which sheet.
            size_y: how many y, first_y .. first_y + size_y - 1.
            first_y: the first.
            timeout: seconds for the request.

        Returns:
            int32 (size_y,): z, or -1 where there is none.
        """
        return self._ask(_questions.losers(game, x, size_y, first_y), timeout)

    def estimate_column(
        self, x: int, y: int, *, most: int = 8, timeout: float | None = None
    ) -> Estimates:
        """Chances of the P-positions [x, y, z] of three-row Chomp, beyond every table.

        Args:
            x: columns of height three.
            y: columns of height two.
            most: so many candidates at most, likeliest first.
            timeout: seconds for the request.
        """
        return self._ask(_questions.column(x, y, most), timeout)

    def estimate_opening(self, n: int, *, most: int = 6, timeout: float | None = None) -> Estimates:
        """Chances of the winning first bites of the 3 x n rectangle, beyond every table.

        Args:
            n: how many columns.
            most: so many candidates at most, likeliest first; there are six.
            timeout: seconds for the request.
        """
        return self._ask(_questions.opening(n, most), timeout)

    def geometry(self, game: str, *, timeout: float | None = None) -> Geometry:
        """What the loser sheets of a game look like, over ranges of x.

        Args:
            game: text of the game, e.g. `chomp3` or `chomp3{passes=1}`.
            timeout: seconds for the request.
        """
        return self._ask(_questions.geometry(game), timeout)

    def win_probability(
        self, position: str, model: str, *, timeout: float | None = None
    ) -> WinProbability:
        """How likely the player to move is to win, where one player or both play at random.

        Args:
            position: text of a position of Chomp or Nim, without passes and declared positions.
            model: how both players choose their moves, the one to move first: `random`,
                `perfect-vs-random`, `random-vs-perfect`, `perfect-vs-sloppy(0.1)` or
                `sloppy(0.1)-vs-perfect`.
            timeout: seconds for the request.
        """
        return self._ask(_questions.win_probability(position, model), timeout)

    def win_probabilities(
        self, game: str, positions: npt.ArrayLike, model: str, *, timeout: float | None = None
    ) -> npt.NDArray[np.float64]:
        """How likely the player to move is to win each of many positions of one game.

        Args:
            game: text of the game, e.g. `chomp3`.
            positions: integers (n, k) within int32.
            model: as in `win_probability`.
            timeout: seconds for each request.

        Returns:
            float64 (n,), NaN where it is not known; there are no estimates among them.
        """
        return self._fill(WinProbabilityArray(self._batches(game, positions), model), timeout)

    def games(self, *, timeout: float | None = None) -> tuple[GameInfo, ...]:
        """The games served, how far they are answered, and where the tables come from."""
        return self._ask(_questions.games(), timeout)

    def tables(self, *, timeout: float | None = None) -> Tables | None:
        """The identity of the tables served now; None where an older server does not tell it."""
        return self._ask(_questions.tables(), timeout)

    def wait_ready(self, timeout: float = _channel.READY_SECONDS) -> None:
        """Wait until the server answers questions.

        Args:
            timeout: seconds to wait at the most.

        Raises:
            ServerUnavailableError: it is not there, or not ready, after that time.
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
        """Close the connection; the client cannot be used again."""
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

    def _batches(self, game: str, positions: npt.ArrayLike) -> Batches:
        return Batches(game, positions, self._settings.batch_positions)

    def _ask(self, question: Question[T], timeout: float | None) -> T:
        self._connected()
        method = getattr(self._stub, question.method)
        seconds = self._settings.seconds(timeout)
        try:
            response = method(question.request, timeout=seconds, metadata=self._settings.metadata)
        except grpc.RpcError as error:
            raise self._failure(error) from None
        except ValueError:  # how gRPC refuses a channel that another thread closes just now
            self._check_open()
            raise
        return question.read(response)

    def _converse(self, dialogue: Dialogue[T], timeout: float | None) -> T:
        answer = None
        while True:
            try:
                question = dialogue.send(answer)
            except StopIteration as end:
                result: T = end.value
                return result
            answer = self._ask(question, timeout)

    def _fill(self, array: ArrayQuestion[T], timeout: float | None) -> T:
        for requests in array.rounds():
            for part, response in self._each(array.method, requests, timeout):
                array.put(part, response)
        return array.result

    def _each(
        self, method: str, requests: Iterable[tuple[slice, Message]], timeout: float | None
    ) -> Iterator[tuple[slice, Any]]:
        """Responses in the order of the requests, a few of which are under way at a time."""
        seconds, metadata = self._settings.seconds(timeout), self._settings.metadata
        under_way: deque[tuple[slice, grpc.Future[Any]]] = deque()
        try:
            for part, request in requests:
                self._connected()
                call = getattr(self._stub, method).future
                try:
                    started = call(request, timeout=seconds, metadata=metadata)
                except ValueError:  # closed just now, as in `_ask`
                    self._check_open()
                    raise
                under_way.append((part, started))
                if len(under_way) == _channel.IN_FLIGHT:
                    first, oldest = under_way.popleft()
                    yield first, self._result(oldest)
            while under_way:
                first, oldest = under_way.popleft()
                yield first, self._result(oldest)
        finally:
            for _, call in under_way:
                call.cancel()

    def _result(self, call: grpc.Future[Any]) -> Any:
        try:
            return call.result()
        except grpc.RpcError as error:
            raise self._failure(error) from None
        except grpc.FutureCancelledError:
            raise ClientClosedError(CLOSED_MEANWHILE) from None

    def _connected(self) -> grpc.Channel:
        """The connection of this process."""
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
