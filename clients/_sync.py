"""The synchronous client."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Self, TypeVar

import grpc
import numpy as np
import numpy.typing as npt

from clients import _channel
from clients._batches import (
    Batches,
    OutcomeBatches,
    WinningMoveBatches,
    WinProbabilityBatches,
)
from clients._channel import CLOSED_MEANWHILE
from clients._contract import (
    analysis_request,
    geometry_request,
    instant_winners_request,
    losers_request,
    outcome_request,
    read_instant_winners,
    read_losers,
    read_win_probability,
    win_probability_request,
    winning_moves_request,
)
from clients._failures import failure
from clients.errors import ClientClosedError, OracleClientError
from schema.answers import Analysis, Answer, GameInfo, WinProbability
from schema.geometry import Geometry
from schema.messages import (
    read_analysis,
    read_games,
    read_geometry,
    read_outcome,
    read_winning_moves,
)
from schema.proto.position_oracle.v1 import service_pb2 as pb
from schema.proto.position_oracle.v1.service_pb2_grpc import PositionOracleStub

Request = TypeVar("Request")
Response = TypeVar("Response")


class OracleClient(_channel.Unpicklable):
    """Asks a position oracle; a context manager, safe to use from many threads.

    >>> with OracleClient("localhost:50051") as oracle:       # doctest: +SKIP
    ...     oracle.outcome("chomp3:[4,3,2]").outcome
    <Outcome.N: 2>

    Every method takes `timeout`, in seconds for each request: None for the client's own, infinity
    for no deadline. Every method may raise `OracleClientError`; `clients.errors` draws its tree.
    """

    def __init__(
        self,
        address: str = _channel.DEFAULT_ADDRESS,
        *,
        timeout: float = _channel.DEFAULT_TIMEOUT,
        retries: int = _channel.DEFAULT_RETRIES,
        batch_positions: int = _channel.DEFAULT_BATCH_POSITIONS,
        credentials: grpc.ChannelCredentials | None = None,
    ) -> None:
        """Make a client; it connects when first asked.

        Args:
            address: the server, `host:port`.
            timeout: seconds for one request, retries included; infinity for no deadline.
            retries: how often a request is tried again when the server is unavailable, 0 to 4.
            batch_positions: positions in one request; larger arrays are split.
            credentials: for TLS; None speaks plain text.

        Raises:
            ValueError: a number is outside what it allows.
        """
        self._settings = _channel.ClientSettings(
            address, timeout, retries, batch_positions, credentials
        )
        options = self._settings.options
        self._channel = (
            grpc.insecure_channel(address, options)
            if credentials is None
            else grpc.secure_channel(address, credentials, options)
        )
        self._stub = PositionOracleStub(self._channel)
        self._closed = False

    def outcome(self, position: str, *, timeout: float | None = None) -> Answer:
        """Who wins at a position given as text, e.g. `chomp3:[4,3,2]`."""
        request = outcome_request(position)
        return read_outcome(self._call(self._stub.GetOutcome, request, timeout))

    def winning_moves(self, position: str, *, timeout: float | None = None) -> Answer:
        """Who wins at a position given as text, and every move that wins."""
        request = winning_moves_request(position)
        return read_winning_moves(self._call(self._stub.ListWinningMoves, request, timeout))

    def analyze(
        self, position: str, *, moves: bool = True, timeout: float | None = None
    ) -> Analysis:
        """Everything known about a position, and about its moves, best first.

        Args:
            position: text of a position, or of a sum: `chomp3:[2,1,0] + nim:[3,5]`.
            moves: whether to list all moves.
            timeout: seconds for the request.
        """
        request = analysis_request(position, moves=moves)
        response = self._call(self._stub.AnalyzePosition, request, timeout)
        return read_analysis(response, moves=moves)

    def outcomes(
        self, game: str, positions: npt.ArrayLike, *, timeout: float | None = None
    ) -> npt.NDArray[np.uint8]:
        """Who wins at each of many positions of one game.

        Args:
            game: text of the game, e.g. `chomp3`; it says how many passes are left.
            positions: integers (n, k) within int32.
            timeout: seconds for each request.

        Returns:
            uint8 (n,), the numbers of `Outcome`; 0 where it is not known.
        """
        batches = OutcomeBatches(Batches(game, positions, self._settings.batch_positions))
        for part, response in self._each(self._stub.BatchGetOutcomes, batches.requests(), timeout):
            batches.put(part, response)
        return batches.outcomes

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
        batches = WinningMoveBatches(Batches(game, positions, self._settings.batch_positions))
        method = self._stub.BatchGetWinningMoves
        for part, response in self._each(method, batches.requests(), timeout):
            batches.put(part, response)
        return batches.outcomes, batches.children

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
        request = instant_winners_request(game, x, size_y, size_z, first_y, first_z)
        response = self._call(self._stub.GetInstantWinners, request, timeout)
        return read_instant_winners(response, size_y, size_z)

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
        request = losers_request(game, x, size_y, first_y)
        return read_losers(self._call(self._stub.GetLosers, request, timeout), size_y)

    def geometry(self, game: str, *, timeout: float | None = None) -> Geometry:
        """What the loser sheets of a game look like, over ranges of x.

        Args:
            game: text of the game, e.g. `chomp3` or `chomp3{passes=1}`.
            timeout: seconds for the request.
        """
        request = geometry_request(game)
        return read_geometry(self._call(self._stub.GetGeometry, request, timeout))

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
        request = win_probability_request(position, model)
        return read_win_probability(self._call(self._stub.GetWinProbability, request, timeout))

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
        size = self._settings.batch_positions
        batches = WinProbabilityBatches(Batches(game, positions, size), model)
        method = self._stub.BatchGetWinProbabilities
        for part, response in self._each(method, batches.requests(), timeout):
            batches.put(part, response)
        return batches.probabilities

    def games(self, *, timeout: float | None = None) -> tuple[GameInfo, ...]:
        """The games served, how far they are answered, and where the tables come from."""
        return read_games(self._call(self._stub.ListGames, pb.ListGamesRequest(), timeout))

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

    def _call(
        self,
        method: grpc.UnaryUnaryMultiCallable[Request, Response],
        request: Request,
        timeout: float | None,
    ) -> Response:
        self._check_open()
        try:
            return method(request, timeout=self._settings.seconds(timeout))
        except grpc.RpcError as error:
            raise self._failure(error) from None

    def _each(
        self,
        method: grpc.UnaryUnaryMultiCallable[Request, Response],
        requests: Iterable[tuple[slice, Request]],
        timeout: float | None,
    ) -> Iterator[tuple[slice, Response]]:
        """Responses in the order of the requests, a few of which are under way at a time."""
        seconds = self._settings.seconds(timeout)
        under_way: deque[tuple[slice, grpc.Future[Response]]] = deque()
        try:
            for part, request in requests:
                self._check_open()
                under_way.append((part, method.future(request, timeout=seconds)))
                if len(under_way) == _channel.IN_FLIGHT:
                    first, call = under_way.popleft()
                    yield first, self._result(call)
            while under_way:
                first, call = under_way.popleft()
                yield first, self._result(call)
        finally:
            for _, call in under_way:
                call.cancel()

    def _result(self, call: grpc.Future[Response]) -> Response:
        try:
            return call.result()
        except grpc.RpcError as error:
            raise self._failure(error) from None
        except grpc.FutureCancelledError:
            raise ClientClosedError(CLOSED_MEANWHILE) from None

    def _check_open(self) -> None:
        if self._closed:
            raise ClientClosedError("the client is closed")

    def _failure(self, error: grpc.RpcError) -> OracleClientError:
        if self._closed:
            return ClientClosedError(CLOSED_MEANWHILE)
        return failure(error.code(), error.details() or "", error.trailing_metadata() or ())
