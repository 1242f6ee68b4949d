"""The calls of the contract: read the request, ask the oracle, write the answer."""
# ruff: noqa: N802 - names and arguments of the calls are those of the contract

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Final, TypeVar

import grpc
import numpy as np
import numpy.typing as npt

from engine.games.position import Position
from engine.games.spec import GameSpec
from oracle.answers import Answer
from oracle.server.backend import Backend, Coordinates
from oracle.server.faults import DeadlineError, FieldError
from oracle.server.quick import QuickPositions
from oracle.server.reading import read_model, read_packed, read_position, read_window
from oracle.server.settings import ServerSettings
from schema.errors import PositionOracleError, UnknownAnswerError, UnknownGameError
from schema.messages import (
    fill_answer,
    fill_moves,
    write_analysis,
    write_game_info,
    write_win_probability,
)
from schema.proto.position_oracle.v1 import analysis_pb2, chance_pb2, sheet_pb2
from schema.proto.position_oracle.v1 import service_pb2 as pb
from schema.proto.position_oracle.v1.service_pb2_grpc import PositionOracleServicer

SLICE: Final = 32_768
"""Positions of a batch answered between two looks at the deadline: a few milliseconds' work."""

Request = TypeVar("Request")
Response = TypeVar("Response")
Slice = TypeVar("Slice")

if TYPE_CHECKING:  # generic in the stubs only
    Context = grpc.aio.ServicerContext[Request, Response]


class OracleService(PositionOracleServicer):
    """The service on an event loop.

    Positions that take microseconds are answered on the loop. Those that may take a search, and
    batches cut into slices, are answered by threads, so that the loop stays free for others.

    Calls raise what goes wrong; `oracle.server.handlers` turns it into a status.
    """

    def __init__(
        self, oracle: Callable[[], Backend], settings: ServerSettings, threads: Executor
    ) -> None:
        """Make a service.

        Args:
            oracle: gives the oracle to ask, called once for each call.
            settings: limits on requests.
            threads: where batches and searches are answered.
        """
        self._settings = settings
        self._oracle = oracle
        self._threads = threads
        self._quick = QuickPositions(oracle())

    async def GetOutcome(
        self,
        request: pb.GetOutcomeRequest,
        context: Context[pb.GetOutcomeRequest, pb.GetOutcomeResponse],
    ) -> pb.GetOutcomeResponse:
        """Who wins at one position."""
        position, oracle = read_position(request.position), self._oracle()
        answer = self._ask_quickly(oracle, oracle.outcome, position)
        if answer is None:
            answer = await self._ask_in_thread(oracle.outcome, position)
        response = pb.GetOutcomeResponse()
        fill_answer(response.answer, answer)
        return response

    async def ListWinningMoves(
        self,
        request: pb.ListWinningMovesRequest,
        context: Context[pb.ListWinningMovesRequest, pb.ListWinningMovesResponse],
    ) -> pb.ListWinningMovesResponse:
        """Who wins at one position, and every move that wins."""
        position, oracle = read_position(request.position), self._oracle()
        answer = self._ask_quickly(oracle, oracle.winning_moves, position)
        if answer is None:
            answer = await self._ask_in_thread(oracle.winning_moves, position)
        response = pb.ListWinningMovesResponse()
        fill_answer(response.answer, answer)
        if answer.winning_moves is not None:
            fill_moves(response.winning_moves, answer.winning_moves)
        return response

    async def AnalyzePosition(
        self,
        request: analysis_pb2.AnalyzePositionRequest,
        context: Context[analysis_pb2.AnalyzePositionRequest, analysis_pb2.AnalyzePositionResponse],
    ) -> analysis_pb2.AnalyzePositionResponse:
        """Everything known about one position; by a thread, since values may take a search."""
        position, oracle = read_position(request.position), self._oracle()

        def respond() -> analysis_pb2.AnalyzePositionResponse:
            return write_analysis(oracle.analyze(position, moves=not request.omit_moves))

        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, respond)
        except PositionOracleError as error:
            raise FieldError("position", error) from error

    async def BatchGetOutcomes(
        self,
        request: pb.BatchGetOutcomesRequest,
        context: Context[pb.BatchGetOutcomesRequest, pb.BatchGetOutcomesResponse],
    ) -> pb.BatchGetOutcomesResponse:
        """Who wins at each of many positions."""
        game, positions = read_packed(request.positions, self._settings.max_batch_positions)
        outcomes = np.empty(len(positions), np.uint8)
        ask = self._oracle().outcomes
        async for part, answer in self._in_slices(ask, game, positions, context):
            outcomes[part] = answer
        return pb.BatchGetOutcomesResponse(outcomes=outcomes.tobytes())

    async def BatchGetWinningMoves(
        self,
        request: pb.BatchGetWinningMovesRequest,
        context: Context[pb.BatchGetWinningMovesRequest, pb.BatchGetWinningMovesResponse],
    ) -> pb.BatchGetWinningMovesResponse:
        """Who wins at each of many positions, and one move that wins."""
        game, positions = read_packed(request.positions, self._settings.max_batch_positions)
        outcomes = np.empty(len(positions), np.uint8)
        children = np.empty(positions.shape, "<i4")
        ask = self._oracle().winning_move_batch
        async for part, answer in self._in_slices(ask, game, positions, context):
            outcomes[part], children[part] = answer
        return pb.BatchGetWinningMovesResponse(
            outcomes=outcomes.tobytes(), children=children.tobytes()
        )

    async def GetInstantWinners(
        self,
        request: sheet_pb2.GetInstantWinnersRequest,
        context: Context[sheet_pb2.GetInstantWinnersRequest, sheet_pb2.GetInstantWinnersResponse],
    ) -> sheet_pb2.GetInstantWinnersResponse:
        """A window of an instant-winner sheet."""
        game, window = read_window(request)
        loop = asyncio.get_running_loop()
        ask = self._oracle().instant_winners
        cells = await loop.run_in_executor(self._threads, ask, game, *window)
        return sheet_pb2.GetInstantWinnersResponse(origins=cells.tobytes())

    async def GetWinProbability(
        self,
        request: chance_pb2.GetWinProbabilityRequest,
        context: Context[chance_pb2.GetWinProbabilityRequest, chance_pb2.GetWinProbabilityResponse],
    ) -> chance_pb2.GetWinProbabilityResponse:
        """How likely the player to move is to win; by a thread, since it may take a search."""
        position, model = read_position(request.position), read_model(request.model)
        loop = asyncio.get_running_loop()
        ask = self._oracle().win_probability
        try:
            answer = await loop.run_in_executor(self._threads, ask, position, model)
        except PositionOracleError as error:
            raise FieldError("position", error) from error
        return chance_pb2.GetWinProbabilityResponse(probability=write_win_probability(answer))

    async def BatchGetWinProbabilities(
        self,
        request: pb.BatchGetWinProbabilitiesRequest,
        context: Context[pb.BatchGetWinProbabilitiesRequest, pb.BatchGetWinProbabilitiesResponse],
    ) -> pb.BatchGetWinProbabilitiesResponse:
        """How likely the player to move is to win each of many positions."""
        model = read_model(request.model)
        game, positions = read_packed(request.positions, self._settings.max_batch_positions)
        oracle = self._oracle()
        probabilities = np.empty(len(positions), "<f8")

        def ask(game: GameSpec, part: Coordinates) -> npt.NDArray[np.float64]:
            return oracle.win_probabilities(game, part, model)

        async for part, answer in self._in_slices(ask, game, positions, context):
            probabilities[part] = answer
        return pb.BatchGetWinProbabilitiesResponse(
            model=model.text,
            probabilities=probabilities.tobytes(),
            error_bound=oracle.win_probability_error(model),
        )

    async def ListGames(
        self,
        request: pb.ListGamesRequest,
        context: Context[pb.ListGamesRequest, pb.ListGamesResponse],
    ) -> pb.ListGamesResponse:
        """The games served."""
        games = sorted(self._oracle().games(), key=lambda info: info.game.text)
        return pb.ListGamesResponse(games=[write_game_info(info) for info in games])

    def _ask_quickly(
        self, oracle: Backend, question: Callable[[Position], Answer], position: Position
    ) -> Answer | None:
        """The answer, or None where it may take a search."""
        if self._quick.oracle is not oracle:
            self._quick = QuickPositions(oracle)
        if position not in self._quick:
            return None
        try:
            return question(position)
        except PositionOracleError as error:
            raise FieldError("position", error) from error

    async def _ask_in_thread(
        self, question: Callable[[Position], Answer], position: Position
    ) -> Answer:
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._threads, question, position)
        except PositionOracleError as error:
            raise FieldError("position", error) from error

    async def _in_slices(
        self,
        ask: Callable[[GameSpec, Coordinates], Slice],
        game: GameSpec,
        positions: Coordinates,
        context: Context[Request, Response],
    ) -> AsyncIterator[tuple[slice, Slice]]:
        """Answer a batch slice by slice in threads, as long as somebody waits for it."""
        loop = asyncio.get_running_loop()
        for start in range(0, max(len(positions), 1), SLICE):  # an empty batch is checked too
            left = context.time_remaining()
            if left is not None and left <= 0:
                raise DeadlineError(f"the deadline passed after {start} of {len(positions)}")
            part = slice(start, start + SLICE)
            try:
                answer = await loop.run_in_executor(self._threads, ask, game, positions[part])
            except PositionOracleError as error:
                raise await self._of_whole_batch(error, ask, game, positions) from error
            yield part, answer

    async def _of_whole_batch(
        self,
        error: PositionOracleError,
        ask: Callable[[GameSpec, Coordinates], object],
        game: GameSpec,
        positions: Coordinates,
    ) -> FieldError:
        """The error of a slice as the whole batch gives it, with rows counted from the start."""
        if len(positions) > SLICE:
            try:
                loop = asyncio.get_running_loop()
                await loop.run_in_executor(self._threads, ask, game, positions)
            except PositionOracleError as whole:
                error = whole
        of_game = isinstance(error, UnknownGameError | UnknownAnswerError)
        field = "game" if of_game else "coordinates"
        return FieldError(f"positions.{field}", error)
