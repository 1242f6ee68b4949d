"""The calls of the contract: how requests are read and answers written.

A call is data. Its request becomes a `Question`: the method of the oracle, the arguments, and the
function that writes the answer. This module does not wait, count or use threads;
`oracle.server.admission` does.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from position_oracle.engine.budget import Plan
from position_oracle.engine.games.position import Move, Position
from position_oracle.oracle.answers import (
    MAX_LISTED_MOVES,
    Analysis,
    AnalyzedMove,
    Answer,
    GameInfo,
    Outcome,
    PositionValues,
)
from position_oracle.oracle.batches import named_moves
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.line import BestLine
from position_oracle.oracle.server import requests
from position_oracle.oracle.server.codec import PROTO, Codec, Size
from position_oracle.oracle.server.errors import FieldError, check_bytes, error_status
from position_oracle.oracle.server.requests import Coordinates, Page, read_game, read_position
from position_oracle.oracle.server.settings import ServerSettings
from position_oracle.schema.analyses import Listing
from position_oracle.schema.answerer import MAX_OPENINGS, MAX_SERIES
from position_oracle.schema.errors import PositionOracleError, UnknownAnswerError, UnknownGameError
from position_oracle.schema.estimates import MAX_CANDIDATES, Estimates, Opening
from position_oracle.schema.graphs import MAX_GRAPH_MOVES, MAX_NODES, SolvedGraph
from position_oracle.schema.lines import MAX_PLIES
from position_oracle.schema.messages import writing
from position_oracle.schema.positions import MAX_MIXED_POSITIONS
from position_oracle.schema.proto.position_oracle.v1 import (
    analysis_pb2,
    catalog_pb2,
    chance_pb2,
    geometry_pb2,
    graph_pb2,
    line_pb2,
    sheet_pb2,
)
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb

DESCRIPTOR: Final = pb.DESCRIPTOR.services_by_name["PositionOracle"]

USUAL_MOVES: Final = 100
"""Number of moves or plies of a page if the request gives no size."""

MAX_PAGE_BYTES: Final = 2_000_000
"""Approximate maximum number of bytes of a page of moves, which limits the size of pages."""

USUAL_CANDIDATES: Final = 8
_MOVE_BYTES: Final = 100
"""Bytes of a move besides its child, approximately."""
_NODE_BYTES: Final = 18
"""Minimum number of bytes of the answer about a node of a graph, without a Grundy value."""

Write = Callable[[Oracle, Any], Any]
"""Returns the response of an oracle that has found an answer. For a page of a list, it returns the
response and the index of the next page; None after the last."""


class Question(NamedTuple):
    """A request that has been read.

    Attributes:
        name: the method of `Answerer` to call.
        arguments: the arguments for `Oracle.plan`.
        write: makes the response from the oracle's result.
        field: the field of the request that errors of the oracle concern; empty for none.
        page: the page of a list; None if the response is no list.
    """

    name: str
    arguments: tuple[object, ...]
    write: Write
    field: str = ""
    page: Page | None = None


Reader = Callable[[Any, ServerSettings], Question]


class Call:
    """One call of the contract.

    Attributes:
        name: the name of the call, e.g. `GetOutcome`.
        size: the size limits of its requests.
        path: the NAME of `/v1/NAME`, where it is answered by GET; empty if it is not.
        request: the class of its requests.
        response: the class of its responses.
        has_tables: whether its responses name the tables; in others, their answers do.
    """

    def __init__(self, name: str, read: Reader, size: Size = Size.QUESTION, path: str = "") -> None:
        descriptor = DESCRIPTOR.methods_by_name[name]
        self.name, self.size, self.path, self._read = name, size, path, read
        self.request: type[Message] = GetMessageClass(descriptor.input_type)
        self.response: type[Message] = GetMessageClass(descriptor.output_type)
        self.has_tables = "tables" in descriptor.output_type.fields_by_name

    def read(self, serialized: bytes, settings: ServerSettings, codec: Codec = PROTO) -> Question:
        """Return the question of a request.

        Raises:
            PositionOracleError: the message is too large, not valid, or breaks a rule.
        """
        codec.check(serialized, settings, self.size)
        return self._read(codec.read(self.request, serialized), settings)


def _listed(
    page: Page, items: Callable[[Any], Sequence[Any] | None], write: Callable[[Any, Any], Any]
) -> Write:
    """Return a writer of one page, from a result and the items of the page."""

    def written(_: Oracle, found: Any) -> tuple[Message, int | None]:
        listed, following = page.cut(items(found) or ())
        return write(found, listed), following

    return written


def _array(response: Callable[..., Message], field: str, kind: str) -> Write:
    """Return a writer of an array as bytes, a number after the other, of a type of numpy."""
    return lambda _, found: response(**{field: found.astype(kind, copy=False).tobytes()})


def _page_of_moves(what: str, position: Position, request: requests.Paged) -> Page:
    """Return a page of moves, which are about as long as the position."""
    text = str(position)
    most = min(MAX_LISTED_MOVES, max(1, MAX_PAGE_BYTES // (len(text) + _MOVE_BYTES)))
    return Page.read(f"{what} {text}", request, USUAL_MOVES, most)


def _outcome(request: pb.GetOutcomeRequest, _: ServerSettings) -> Question:
    def write(_: Oracle, found: Answer) -> Message:
        response = pb.GetOutcomeResponse()
        writing.fill_answer(response.answer, found)
        return response

    return Question("outcome", (read_position(request.position),), write, "position")


def _best_move(request: pb.GetBestMoveRequest, _: ServerSettings) -> Question:
    def write(oracle: Oracle, found: Move | None) -> Message:
        return writing.write_best_move(found, oracle.tables())

    return Question("best_move", (read_position(request.position),), write, "position")


def _winning_moves(request: pb.ListWinningMovesRequest, _: ServerSettings) -> Question:
    position = read_position(request.position)
    page = _page_of_moves("winning moves", position, request)
    write = _listed(page, lambda found: found.winning_moves, writing.write_winning_moves)
    return Question("winning_moves", (position,), write, "position", page)


def _analyze(request: analysis_pb2.AnalyzePositionRequest, _: ServerSettings) -> Question:
    position, view = read_position(request.position), requests.read_view(request)
    page = _page_of_moves(f"moves {view}", position, request)
    lists_all = view == analysis_pb2.ANALYSIS_VIEW_FULL

    def write(_: Oracle, analysis: Analysis) -> tuple[Message, int | None]:
        if view != analysis_pb2.ANALYSIS_VIEW_WINNING_MOVES:
            return writing.write_analysis(analysis, analysis.moves or ()), analysis.following
        wins, following = page.cut(analysis.answer.winning_moves or ())
        moves = tuple(AnalyzedMove(win, Outcome.P, PositionValues()) for win in wins)
        analysis = replace(analysis, listing=Listing.WINNING_MOVES)
        return writing.write_analysis(analysis, moves), following

    first, size = (page.first, page.size) if lists_all else (0, None)
    arguments = position, lists_all, first, size
    return Question("analyze", arguments, write, "position", page)


def _best_line(request: line_pb2.GetBestLineRequest, _: ServerSettings) -> Question:
    position = read_position(request.position)
    page = _page_of_moves("line", position, request)
    end = min(page.end, MAX_PLIES)

    def write(_: Oracle, line: BestLine) -> tuple[Message, int | None]:
        goes_on = len(line.plies) == end < MAX_PLIES and not line.complete
        response = writing.write_best_line(line, line.plies[page.first :])
        return response, end if goes_on else None

    return Question("best_line", (position, end), write, "position", page)


def _win_probability(request: chance_pb2.GetWinProbabilityRequest, _: ServerSettings) -> Question:
    position, model = read_position(request.position), requests.read_model(request.model)
    page = _page_of_moves(f"best moves {model.text}", position, request)
    write = _listed(page, lambda found: found.best_moves, writing.write_win_probability)
    return Question("win_probability", (position, model), write, "position", page)


def _turns(request: chance_pb2.GetTurnsRequest, _: ServerSettings) -> Question:
    position = read_position(request.position)
    page = Page.read(f"turns {position}", request, usual=1_000, most=100_000)
    write = _listed(page, lambda found: found.distribution, writing.write_turns)
    return Question("turns", (position,), write, "position", page)


def _packed(request: Any, settings: ServerSettings) -> requests.Packed:
    return requests.read_packed(request.positions, settings.max_batch)


def _outcomes(request: pb.BatchGetOutcomesRequest, settings: ServerSettings) -> Question:
    write = _array(pb.BatchGetOutcomesResponse, "outcomes", "u1")
    return Question("outcomes", _packed(request, settings), write, "positions")


def _winning_move_batch(
    request: pb.BatchGetWinningMovesRequest, settings: ServerSettings
) -> Question:
    game, rows = packed = _packed(request, settings)

    def write(_: Oracle, found: tuple[npt.NDArray[np.uint8], Coordinates]) -> Message:
        outcomes, children = found
        moves, children = named_moves(game, rows, outcomes, children)
        return pb.BatchGetWinningMovesResponse(
            outcomes=outcomes.tobytes(),
            moves=moves.tobytes(),
            children=children.astype("<i4").tobytes(),
        )

    return Question("winning_move_batch", packed, write, "positions")


def _values(request: pb.BatchGetValuesRequest, settings: ServerSettings) -> Question:
    kind = requests.read_value_kind(request)
    write = _array(pb.BatchGetValuesResponse, "values", "<i8")
    return Question("values", (*_packed(request, settings), kind), write, "positions")


def _series(request: pb.GetValueSeriesRequest, _: ServerSettings) -> Question:
    write = _array(pb.GetValueSeriesResponse, "values", "<i8")
    return Question("series", requests.read_series(request), write, "game")


def _answers(request: pb.BatchGetAnswersRequest, _: ServerSettings) -> Question:
    read = requests.read_positions(request)
    positions = tuple(each for each in read if isinstance(each, Position))

    def write(_: Oracle, found: tuple[Answer | PositionOracleError, ...]) -> Message:
        response = pb.BatchGetAnswersResponse()
        answers = iter(found)
        for number, position in enumerate(read):
            result = response.results.add()
            answer = next(answers) if isinstance(position, Position) else position
            if isinstance(answer, PositionOracleError):
                error = of_field(answer, f"positions[{number}]")
                result.error.CopyFrom(error_status(error).status)
            else:
                writing.fill_answer(result.answer, answer)
        return response

    return Question("answers", (positions,), write, "positions")


def _solve_graph(request: graph_pb2.SolveGraphRequest, settings: ServerSettings) -> Question:
    arguments = moves, nodes, *_ = requests.read_graph(request)
    least = _NODE_BYTES * (nodes or int(moves.max(initial=-1)) + 1)
    limit = settings.max_response_bytes
    check_bytes(least, limit, "the answer has {} bytes or more", "response_bytes")

    def write(_: Oracle, found: SolvedGraph) -> Message:
        return writing.write_solved_graph(found)

    return Question("solve_graph", arguments, write, "move_to")


def _win_probabilities(
    request: pb.BatchGetWinProbabilitiesRequest, settings: ServerSettings
) -> Question:
    model = requests.read_model(request.model)

    def write(oracle: Oracle, found: npt.NDArray[np.float64]) -> Message:
        return pb.BatchGetWinProbabilitiesResponse(
            model=model.text,
            probabilities=found.astype("<f8").tobytes(),
            error_bound=oracle.win_probability_error(model),
        )

    return Question("win_probabilities", (*_packed(request, settings), model), write, "positions")


def _instant_winners(request: sheet_pb2.GetInstantWinnersRequest, _: ServerSettings) -> Question:
    write = _array(sheet_pb2.GetInstantWinnersResponse, "origins", "u1")
    return Question("instant_winners", requests.read_window(request), write)


def _losers(request: sheet_pb2.GetLosersRequest, _: ServerSettings) -> Question:
    write = _array(sheet_pb2.GetLosersResponse, "z", "<i4")
    return Question("losers", requests.read_columns(request), write)


def _geometry(request: geometry_pb2.GetGeometryRequest, _: ServerSettings) -> Question:
    game = read_game(request.game)
    page = Page.read(f"geometry {game}", request, usual=100, most=1_000)
    write = _listed(
        page,
        lambda found: found.shapes,
        lambda found, shapes: writing.write_geometry(found, game, shapes),
    )
    return Question("geometry", (game,), write, "game", page)


def _estimates(request: geometry_pb2.GetEstimatesRequest, _: ServerSettings) -> Question:
    game, question = read_game(request.game), requests.read_estimates_question(request)
    page = Page.read(f"estimates {game} {question}", request, USUAL_CANDIDATES, MAX_CANDIDATES)
    most = MAX_OPENINGS if isinstance(question, Opening) else MAX_CANDIDATES
    end = min(page.end, most)

    def write(_: Oracle, found: Estimates) -> tuple[Message, int | None]:
        goes_on = len(found.candidates) == end < most
        response = writing.write_estimates(found, found.candidates[page.first :])
        return response, end if goes_on else None

    if isinstance(question, Opening):
        return Question("estimate_opening", (question.n, end, game), write, page=page)
    return Question("estimate_column", (question.x, question.y, end, game), write, page=page)


def _games(request: catalog_pb2.ListGamesRequest, settings: ServerSettings) -> Question:
    page = Page.read("games", request, usual=100, most=1_000)

    def write(_: tuple[GameInfo, ...], listed: Sequence[GameInfo]) -> Message:
        games = map(writing.write_game_info, listed)
        return catalog_pb2.ListGamesResponse(games=games, limits=_limits(settings))

    return Question("games", (), _listed(page, lambda found: found, write), page=page)


def _limits(settings: ServerSettings) -> catalog_pb2.RequestLimits:
    """Return the limits that clients keep to."""
    cost_time = Duration()
    cost_time.FromNanoseconds(round(settings.call_seconds * 1e9))
    return catalog_pb2.RequestLimits(
        batch_positions=settings.max_batch,
        batch_bytes=settings.max_message_bytes,
        question_bytes=settings.max_question_bytes,
        cost_time=cost_time,
        cost_bytes=settings.call_bytes,
        mixed_positions=MAX_MIXED_POSITIONS,
        series_values=MAX_SERIES,
        graph_nodes=MAX_NODES,
        graph_moves=MAX_GRAPH_MOVES,
    )


_CALLS: Final = (
    Call("GetOutcome", _outcome, path="outcome"),
    Call("ListWinningMoves", _winning_moves, path="moves"),
    Call("GetBestMove", _best_move, path="best-move"),
    Call("AnalyzePosition", _analyze, path="analyze"),
    Call("GetBestLine", _best_line, path="line"),
    Call("GetWinProbability", _win_probability, path="probability"),
    Call("GetTurns", _turns, path="turns"),
    Call("GetInstantWinners", _instant_winners, path="instant-winners"),
    Call("GetLosers", _losers, path="losers"),
    Call("GetGeometry", _geometry, path="geometry"),
    Call("GetEstimates", _estimates),
    Call("ListGames", _games, path="games"),
    Call("BatchGetOutcomes", _outcomes, Size.PACKED),
    Call("BatchGetWinningMoves", _winning_move_batch, Size.PACKED),
    Call("BatchGetValues", _values, Size.PACKED),
    Call("GetValueSeries", _series),
    Call("BatchGetAnswers", _answers, Size.LIST),
    Call("SolveGraph", _solve_graph, Size.GRAPH),
    Call("BatchGetWinProbabilities", _win_probabilities, Size.PACKED),
)
CALLS: Final[Mapping[str, Call]] = {call.name: call for call in _CALLS}
"""The calls by name."""


class Request(NamedTuple):
    """A call of the contract with its unparsed message.

    Attributes:
        call: the call.
        serialized: the message.
        codec: the codec of the message and of the response.
    """

    call: Call
    serialized: bytes
    codec: Codec = PROTO

    def in_wire_format(self) -> bytes:
        """Return the message in the wire format."""
        if self.codec is PROTO:
            return self.serialized
        return self.codec.read(self.call.request, self.serialized).SerializeToString()

    def response(self, serialized: bytes) -> bytes:
        """Return a response in the codec of the request, from its bytes in the wire format."""
        return self.codec.response(self.call.response, serialized)


class Planned(NamedTuple):
    """A parsed request: the oracle to ask, and its plan for the answer."""

    request: Request
    question: Question
    oracle: Oracle
    plan: Plan[Any]


def plan_request(request: Request, oracle: Oracle, settings: ServerSettings) -> Planned:
    """Read a request, and make the oracle's plan for the answer.

    Raises:
        PositionOracleError: the request breaks a rule, or is refused whatever its cost.
    """
    question = request.call.read(request.serialized, settings, request.codec)
    try:
        plan = oracle.plan(question.name, *question.arguments)
    except PositionOracleError as error:
        raise of_field(error, question.field) from error
    return Planned(request, question, oracle, plan)


def respond(planned: Planned, settings: ServerSettings) -> bytes:
    """Run the plan, and return the response in the wire format.

    Raises:
        PositionOracleError: there is no answer, or it is too large.
    """
    question, oracle = planned.question, planned.oracle
    tables, page = oracle.tables(), question.page
    try:
        if page is None:
            response = question.write(oracle, planned.plan.run())
        else:
            page.check(tables)
            response, following = question.write(oracle, planned.plan.run())
            response.next_page_token = page.token(following, tables)
    except PositionOracleError as error:
        raise of_field(error, question.field) from error
    if planned.request.call.has_tables and not response.HasField("tables"):
        response.tables.CopyFrom(writing.write_tables(tables))
    serialized: bytes = response.SerializeToString()
    limit = settings.max_response_bytes
    check_bytes(len(serialized), limit, "the answer has {} bytes", "response_bytes")
    return serialized


def of_field(error: PositionOracleError, field: str) -> PositionOracleError:
    """Add to an error of the oracle the field of the request that it concerns."""
    if not field or isinstance(error, FieldError):
        return error
    if field == "positions":
        of_game = isinstance(error, UnknownGameError | UnknownAnswerError)
        field = f"positions.{'game' if of_game else 'coordinates'}"
    return FieldError(field, error)
