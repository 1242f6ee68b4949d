"""The calls of the contract: how each request is read, asked, and its answer written.

A call is data. Reading its request gives a `Question`: what an oracle is asked, and how its answer
is written. Nothing here waits, counts or knows threads; `oracle.server.admission` does.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from position_oracle.engine.budget import Plan
from position_oracle.engine.games.position import Move
from position_oracle.oracle.answers import Analysis, Answer, GameInfo, Turns, WinProbability
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.line import BestLine
from position_oracle.oracle.server.codec import PROTO, Codec
from position_oracle.oracle.server.errors import FieldError, TooLargeError
from position_oracle.oracle.server.paging import Page
from position_oracle.oracle.server.requests import (
    Coordinates,
    read_columns,
    read_estimates_question,
    read_game_of,
    read_model,
    read_packed,
    read_position,
    read_window,
)
from position_oracle.oracle.server.settings import ServerSettings
from position_oracle.schema.errors import (
    InvalidPositionError,
    PositionOracleError,
    UnknownAnswerError,
    UnknownGameError,
)
from position_oracle.schema.estimates import Estimates, Opening
from position_oracle.schema.geometry import Geometry
from position_oracle.schema.lines import DEFAULT_PLIES, MAX_PLIES
from position_oracle.schema.messages.writing import (
    fill_answer,
    fill_moves,
    write_analysis,
    write_best_line,
    write_estimates,
    write_game_info,
    write_geometry,
    write_tables,
    write_turns,
    write_win_probability,
)
from position_oracle.schema.proto.position_oracle.v1 import (
    analysis_pb2,
    chance_pb2,
    geometry_pb2,
    line_pb2,
    service_pb2,
    sheet_pb2,
)
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb

DESCRIPTOR: Final = service_pb2.DESCRIPTOR.services_by_name["PositionOracle"]

MAX_ANSWER_NUMBERS: Final = 1 << 18
"""Coordinates of all moves of one answer together: about 3 MB of message."""


class Question(NamedTuple):
    """A request that has been read.

    Attributes:
        name: the question of `Answerer` that is asked.
        arguments: its arguments, as `Oracle.plan` takes them.
        write: gives the response that says what an oracle has found.
        field: the field of the request that errors of the oracle are about; empty for none.
    """

    name: str
    arguments: tuple[object, ...]
    write: Callable[[Oracle, Any], Message]
    field: str = ""


Reader = Callable[[Any, ServerSettings], Question]


class Call:
    """One call of the contract.

    Attributes:
        name: of the call, e.g. `GetOutcome`.
        is_batch: whether it is about many positions.
        request: the class of its requests.
        response: the class of its responses.
    """

    def __init__(self, name: str, read: Reader, *, is_batch: bool = False) -> None:
        descriptor = DESCRIPTOR.methods_by_name[name]
        self.name = name
        self.is_batch = is_batch
        self._read = read
        self.request: type[Message] = GetMessageClass(descriptor.input_type)
        self.response: type[Message] = GetMessageClass(descriptor.output_type)

    def read(self, serialized: bytes, settings: ServerSettings, codec: Codec = PROTO) -> Question:
        """The question that a request asks.

        Raises:
            PositionOracleError: the message is too large or none, or breaks a rule.
        """
        codec.check(serialized, settings, is_batch=self.is_batch)
        return self._read(codec.read(self.request, serialized), settings)


def _outcome(request: pb.GetOutcomeRequest, _: ServerSettings) -> Question:
    def write(_: Oracle, found: Answer) -> Message:
        response = pb.GetOutcomeResponse()
        fill_answer(response.answer, found)
        return response

    return Question("outcome", (read_position(request.position),), write, "position")


def _winning_moves(request: pb.ListWinningMovesRequest, _: ServerSettings) -> Question:
    position = read_position(request.position)
    page = Page.read(f"winning moves of {position}", request.page_size, request.page_token)

    def write(oracle: Oracle, found: Answer) -> Message:
        response = pb.ListWinningMovesResponse()
        fill_answer(response.answer, found)
        if found.winning_moves is not None:
            moves, response.next_page_token = page.cut(found.winning_moves, oracle.tables())
            _check_length(moves)
            fill_moves(response.winning_moves, moves)
        return response

    return Question("winning_moves", (position,), write, "position")


def _analyze(request: analysis_pb2.AnalyzePositionRequest, _: ServerSettings) -> Question:
    position, with_moves = read_position(request.position), not request.omit_moves
    page = Page.read(f"moves of {position}", request.page_size, request.page_token)

    def write(oracle: Oracle, analysis: Analysis) -> Message:
        page.check(oracle.tables())
        _check_length(analysis.answer.winning_moves or ())
        _check_length([analyzed.move for analyzed in analysis.moves or ()])
        response = write_analysis(analysis)
        response.next_page_token = page.token(analysis.following, oracle.tables())
        return response

    return Question("analyze", (position, with_moves, page.first, page.size), write, "position")


def _best_line(request: line_pb2.GetBestLineRequest, _: ServerSettings) -> Question:
    position, plies = read_position(request.position), request.max_plies
    if not 0 <= plies <= MAX_PLIES:
        raise FieldError(
            "max_plies", InvalidPositionError(f"{plies}; allowed are 0 to {MAX_PLIES}")
        )

    def write(_: Oracle, line: BestLine) -> Message:
        _check_length([ply.move for ply in line.plies])
        return write_best_line(line)

    return Question("best_line", (position, plies or DEFAULT_PLIES), write, "position")


def _win_probability(request: chance_pb2.GetWinProbabilityRequest, _: ServerSettings) -> Question:
    position, model = read_position(request.position), read_model(request.model)

    def write(_: Oracle, found: WinProbability) -> Message:
        _check_length(found.best_moves or ())
        return chance_pb2.GetWinProbabilityResponse(probability=write_win_probability(found))

    return Question("win_probability", (position, model), write, "position")


def _turns(request: chance_pb2.GetTurnsRequest, _: ServerSettings) -> Question:
    def write(_: Oracle, found: Turns) -> Message:
        return chance_pb2.GetTurnsResponse(turns=write_turns(found))

    return Question("turns", (read_position(request.position),), write, "position")


def _outcomes(request: pb.BatchGetOutcomesRequest, settings: ServerSettings) -> Question:
    def write(oracle: Oracle, outcomes: npt.NDArray[np.uint8]) -> Message:
        return pb.BatchGetOutcomesResponse(
            outcomes=outcomes.astype(np.uint8).tobytes(), tables=write_tables(oracle.tables())
        )

    packed = read_packed(request.positions, settings.max_batch_positions)
    return Question("outcomes", packed, write, "positions")


def _winning_move_batch(
    request: pb.BatchGetWinningMovesRequest, settings: ServerSettings
) -> Question:
    def write(oracle: Oracle, found: tuple[npt.NDArray[np.uint8], Coordinates]) -> Message:
        outcomes, children = found
        return pb.BatchGetWinningMovesResponse(
            outcomes=outcomes.astype(np.uint8).tobytes(),
            children=children.astype("<i4").tobytes(),
            tables=write_tables(oracle.tables()),
        )

    packed = read_packed(request.positions, settings.max_batch_positions)
    return Question("winning_move_batch", packed, write, "positions")


def _win_probabilities(
    request: pb.BatchGetWinProbabilitiesRequest, settings: ServerSettings
) -> Question:
    model = read_model(request.model)

    def write(oracle: Oracle, found: npt.NDArray[np.float64]) -> Message:
        return pb.BatchGetWinProbabilitiesResponse(
            model=model.text,
            probabilities=found.astype("<f8").tobytes(),
            error_bound=oracle.win_probability_error(model),
            tables=write_tables(oracle.tables()),
        )

    packed = read_packed(request.positions, settings.max_batch_positions)
    return Question("win_probabilities", (*packed, model), write, "positions")


def _instant_winners(request: sheet_pb2.GetInstantWinnersRequest, _: ServerSettings) -> Question:
    game, window = read_window(request)

    def write(oracle: Oracle, cells: npt.NDArray[np.uint8]) -> Message:
        return sheet_pb2.GetInstantWinnersResponse(
            origins=cells.tobytes(), tables=write_tables(oracle.tables())
        )

    return Question("instant_winners", (game, *window), write)


def _losers(request: sheet_pb2.GetLosersRequest, _: ServerSettings) -> Question:
    game, columns = read_columns(request)

    def write(oracle: Oracle, z: npt.NDArray[np.int32]) -> Message:
        tables = write_tables(oracle.tables())
        return sheet_pb2.GetLosersResponse(z=z.astype("<i4").tobytes(), tables=tables)

    return Question("losers", (game, *columns), write)


def _geometry(request: geometry_pb2.GetGeometryRequest, _: ServerSettings) -> Question:
    def write(_: Oracle, found: Geometry) -> Message:
        return write_geometry(found)

    return Question("geometry", (read_game_of(request),), write, "game")


def _estimates(request: geometry_pb2.GetEstimatesRequest, _: ServerSettings) -> Question:
    question, most = read_estimates_question(request)

    def write(_: Oracle, found: Estimates) -> Message:
        return write_estimates(found)

    if isinstance(question, Opening):
        return Question("estimate_opening", (question.n, most), write)
    return Question("estimate_column", (question.x, question.y, most), write)


def _games(request: pb.ListGamesRequest, settings: ServerSettings) -> Question:
    page = Page.read("games", request.page_size, request.page_token)

    def write(oracle: Oracle, found: tuple[GameInfo, ...]) -> Message:
        games = sorted(found, key=lambda info: info.game.text)
        listed, following = page.cut(games, oracle.tables())
        return pb.ListGamesResponse(
            games=[write_game_info(info) for info in listed],
            next_page_token=following,
            tables=write_tables(oracle.tables()),
            limits=limits,
        )

    limits = pb.RequestLimits(
        batch_positions=settings.max_batch_positions,
        batch_bytes=settings.max_message_bytes,
        question_bytes=settings.max_question_bytes,
        cost_seconds=settings.call_seconds,
        cost_bytes=settings.call_bytes,
    )
    return Question("games", (), write)


CALLS: Final = (
    Call("GetOutcome", _outcome),
    Call("ListWinningMoves", _winning_moves),
    Call("AnalyzePosition", _analyze),
    Call("GetBestLine", _best_line),
    Call("GetWinProbability", _win_probability),
    Call("GetTurns", _turns),
    Call("GetInstantWinners", _instant_winners),
    Call("GetLosers", _losers),
    Call("GetGeometry", _geometry),
    Call("GetEstimates", _estimates),
    Call("ListGames", _games),
    Call("BatchGetOutcomes", _outcomes, is_batch=True),
    Call("BatchGetWinningMoves", _winning_move_batch, is_batch=True),
    Call("BatchGetWinProbabilities", _win_probabilities, is_batch=True),
)


class Request(NamedTuple):
    """A call of the contract with its message, not read yet.

    Attributes:
        call: the call.
        serialized: the message.
        codec: of the message and of the response.
    """

    call: Call
    serialized: bytes
    codec: Codec = PROTO

    def in_wire_format(self) -> bytes:
        """The message in the wire format."""
        if self.codec is PROTO:
            return self.serialized
        return self.codec.read(self.call.request, self.serialized).SerializeToString()


class Planned(NamedTuple):
    """A request that was read: the oracle to ask, and its plan for the answer."""

    request: Request
    question: Question
    oracle: Oracle
    plan: Plan[Any]


def plan_request(request: Request, oracle: Oracle, settings: ServerSettings) -> Planned:
    """Read a request, and have an oracle plan the answer.

    Raises:
        PositionOracleError: the request breaks a rule, or is refused in any case.
    """
    question = request.call.read(request.serialized, settings, request.codec)
    try:
        plan = oracle.plan(question.name, *question.arguments)
    except PositionOracleError as error:
        raise of_field(question, error) from error
    return Planned(request, question, oracle, plan)


def respond(planned: Planned, settings: ServerSettings) -> Message:
    """Do what was planned; the response.

    Raises:
        PositionOracleError: there is no such answer, or it is too large.
    """
    question = planned.question
    try:
        response = question.write(planned.oracle, planned.plan.run())
    except PositionOracleError as error:
        raise of_field(question, error) from error
    size, limit = response.ByteSize(), settings.max_response_bytes
    if size > limit:
        message = f"the answer has {size} bytes; the limit is {limit}"
        raise TooLargeError(message, "response_bytes", size, limit)
    return response


def of_field(question: Question, error: PositionOracleError) -> PositionOracleError:
    """The error of an oracle, with the field of the request that it is about."""
    field = question.field
    if not field or isinstance(error, FieldError):
        return error
    if field == "positions":
        of_game = isinstance(error, UnknownGameError | UnknownAnswerError)
        field = f"positions.{'game' if of_game else 'coordinates'}"
    return FieldError(field, error)


def _check_length(moves: Sequence[Move]) -> None:
    """Refuse an answer that would be too long to send."""
    numbers = len(moves) * max(len(moves[0].child.coordinates), 1) if moves else 0
    if numbers > MAX_ANSWER_NUMBERS:
        raise TooLargeError(
            f"the answer has {len(moves)} moves of {numbers // len(moves)} numbers; the limit is"
            f" {MAX_ANSWER_NUMBERS} numbers; ask for the moves in pages",
            "response_numbers",
            numbers,
            MAX_ANSWER_NUMBERS,
        )
