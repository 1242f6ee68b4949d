"""The asyncio client; it mirrors the synchronous one."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterable
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
from clients.errors import ClientClosedError
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
        retries: int = _channel.DEFAULT_RETRIES,
        batch_positions: int = _channel.DEFAULT_BATCH_POSITIONS,
        credentials: grpc.ChannelCredentials | None = None,
    ) -> None:
        """Make a client inside a running event loop; see `OracleClient`."""
        self._settings = _channel.ClientSettings(
            address, timeout, retries, batch_positions, credentials
        )
        options = self._settings.options
        self._channel = (
            grpc.aio.insecure_channel(address, options)
            if credentials is None
            else grpc.aio.secure_channel(address, credentials, options)
        )
        self._stub = PositionOracleStub(self._channel)
        self._closed = False

    async def outcome(self, position: str, *, timeout: float | None = None) -> Answer:
        """Who wins at a position given as text; see `OracleClient.outcome`."""
        request = outcome_request(position)
        return read_outcome(await self._call(self._stub.GetOutcome, request, timeout))

    async def winning_moves(self, position: str, *, timeout: float | None = None) -> Answer:
        """Who wins, and every move that wins; see `OracleClient.winning_moves`."""
        request = winning_moves_request(position)
        response = await self._call(self._stub.ListWinningMoves, request, timeout)
        return read_winning_moves(response)

    async def analyze(
        self, position: str, *, moves: bool = True, timeout: float | None = None
    ) -> Analysis:
        """Everything known about a position, and about its moves, best first.

        Args:
            position: text of a position, or of a sum: `chomp3:[2,1,0] + nim:[3,5]`.
            moves: whether to list all moves.
            timeout: seconds for the request.
        """
        request = analysis_request(position, moves=moves)
        response = await self._call(self._stub.AnalyzePosition, request, timeout)
        return read_analysis(response, moves=moves)

    async def outcomes(
        self, game: str, positions: npt.ArrayLike, *, timeout: float | None = None
    ) -> npt.NDArray[np.uint8]:
        """Who wins at each of many positions; see `OracleClient.outcomes`."""
        batches = OutcomeBatches(Batches(game, positions, self._settings.batch_positions))
        method = self._stub.BatchGetOutcomes
        async for part, response in self._each(method, batches.requests(), timeout):
            batches.put(part, response)
        return batches.outcomes

    async def winning_move_batch(
        self, game: str, positions: npt.ArrayLike, *, timeout: float | None = None
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int32]]:
        """One winning move for each of many positions; see `OracleClient.winning_move_batch`."""
        batches = WinningMoveBatches(Batches(game, positions, self._settings.batch_positions))
        method = self._stub.BatchGetWinningMoves
        async for part, response in self._each(method, batches.requests(), timeout):
            batches.put(part, response)
        return batches.outcomes, batches.children

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
        response = await self._call(self._stub.GetInstantWinners, request, timeout)
        return read_instant_winners(response, size_y, size_z)

    async def losers(
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
        return read_losers(await self._call(self._stub.GetLosers, request, timeout), size_y)

    async def geometry(self, game: str, *, timeout: float | None = None) -> Geometry:
        """What the loser sheets of a game look like; see `OracleClient.geometry`."""
        request = geometry_request(game)
        return read_geometry(await self._call(self._stub.GetGeometry, request, timeout))

    async def win_probability(
        self, position: str, model: str, *, timeout: float | None = None
    ) -> WinProbability:
        """How likely the player to move is to win; see `OracleClient.win_probability`."""
        request = win_probability_request(position, model)
        call = self._call(self._stub.GetWinProbability, request, timeout)
        return read_win_probability(await call)

    async def win_probabilities(
        self, game: str, positions: npt.ArrayLike, model: str, *, timeout: float | None = None
    ) -> npt.NDArray[np.float64]:
        """How likely for each of many positions; see `OracleClient.win_probabilities`."""
        size = self._settings.batch_positions
        batches = WinProbabilityBatches(Batches(game, positions, size), model)
        method = self._stub.BatchGetWinProbabilities
        async for part, response in self._each(method, batches.requests(), timeout):
            batches.put(part, response)
        return batches.probabilities

    async def games(self, *, timeout: float | None = None) -> tuple[GameInfo, ...]:
        """The games served; see `OracleClient.games`."""
        return read_games(await self._call(self._stub.ListGames, pb.ListGamesRequest(), timeout))

    async def close(self) -> None:
        """Close the connection; the client cannot be used again."""
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

    async def _call(
        self,
        method: grpc.aio.UnaryUnaryMultiCallable[Request, Response],
        request: Request,
        timeout: float | None,
    ) -> Response:
        return await self._result(self._start(method, request, timeout))

    async def _each(
        self,
        method: grpc.aio.UnaryUnaryMultiCallable[Request, Response],
        requests: Iterable[tuple[slice, Request]],
        timeout: float | None,
    ) -> AsyncIterator[tuple[slice, Response]]:
        """Responses in the order of the requests, a few of which are under way at a time."""
        under_way: deque[tuple[slice, grpc.aio.UnaryUnaryCall[Request, Response]]] = deque()
        try:
            for part, request in requests:
                under_way.append((part, self._start(method, request, timeout)))
                if len(under_way) == _channel.IN_FLIGHT:
                    first, call = under_way.popleft()
                    yield first, await self._result(call)
            while under_way:
                first, call = under_way.popleft()
                yield first, await self._result(call)
        finally:
            for _, call in under_way:
                call.cancel()

    def _start(
        self,
        method: grpc.aio.UnaryUnaryMultiCallable[Request, Response],
        request: Request,
        timeout: float | None,
    ) -> grpc.aio.UnaryUnaryCall[Request, Response]:
        if self._closed:
            raise ClientClosedError("the client is closed")
        return method(request, timeout=self._settings.seconds(timeout))

    async def _result(self, call: grpc.aio.UnaryUnaryCall[Request, Response]) -> Response:
        try:
            return await call
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
