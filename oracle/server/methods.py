"""The calls of the contract: how each request is read, asked, and its answer written.

A call is data. Reading its request gives a `Question`: what it is priced by, and how an oracle
answers it. Nothing here waits, counts or knows threads; `oracle.server.service` does.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from position_oracle.engine.budget import current
from position_oracle.engine.games.position import Move
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.server.backend import Backend, Coordinates
from position_oracle.oracle.server.faults import FieldError, TooLargeError
from position_oracle.oracle.server.forms import PROTO, Form
from position_oracle.oracle.server.paging import Page
from position_oracle.oracle.server.reading import (
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
from position_oracle.schema.estimates import Opening
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

SLICE: Final = 32_768
"""Positions of a batch answered between two looks at the budget: a few milliseconds' work."""

MAX_ANSWER_NUMBERS: Final = 1 << 18
"""Coordinates of all moves of one answer together: about 3 MB of message."""

T = TypeVar("T")


class Question(NamedTuple):
    """A request that has been read.

    Attributes:
        name: the question of `Backend` that is asked.
        arguments: its positional arguments, which it is priced by.
        answer: asks an oracle, and gives the response.
        field: the field of the request that errors of the oracle are about; empty for none.
    """

    name: str
    arguments: tuple[object, ...]
    answer: Callable[[Backend], Message]
    field: str = ""


Reader = Callable[[Any, ServerSettings], Question]


class Call:
    """One call of the contract.

    Attributes:
        name: of the call, e.g. `GetOutcome`.
        is_batch: whether it is about many positions.
        request: the class of its requests.
    """

    def __init__(self, name: str, read: Reader, *, is_batch: bool = False) -> None:
        descriptor = DESCRIPTOR.methods_by_name[name]
        self.name = name
        self.is_batch = is_batch
        self._read = read
        self.request: type[Message] = GetMessageClass(descriptor.input_type)

    def read(self, serialized: bytes, settings: ServerSettings, form: Form = PROTO) -> Question:
        """The question that a request asks.

        Raises:
            PositionOracleError: the message is too large or none, or breaks a rule.
        """
        form.check(serialized, settings, is_batch=self.is_batch)
        return self._read(form.read(self.request, serialized), settings)


def _outcome(request: pb.GetOutcomeRequest, _: ServerSettings) -> Question:
    position = read_position(request.position)

    def answer(oracle: Backend) -> Message:
        response = pb.GetOutcomeResponse()
        fill_answer(response.answer, oracle.outcome(position))
        return response

    return Question("outcome", (position,), answer, "position")


def _winning_moves(request: pb.ListWinningMovesRequest, _: ServerSettings) -> Question:
    position = read_position(request.position)
    page = Page.read(f"winning moves of {position}", request.page_size, request.page_token)

    def answer(oracle: Backend) -> Message:
        found = oracle.winning_moves(position)
        response = pb.ListWinningMovesResponse()
        fill_answer(response.answer, found)
        if found.winning_moves is not None:
            moves, response.next_page_token = page.cut(found.winning_moves, oracle.tables())
            _check_length(moves)
            fill_moves(response.winning_moves, moves)
        return response

    return Question("winning_moves", (position,), answer, "position")


def _analyze(request: analysis_pb2.AnalyzePositionRequest, _: ServerSettings) -> Question:
    position, with_moves = read_position(request.position), not request.omit_moves
    page = Page.read(f"moves of {position}", request.page_size, request.page_token)

    def answer(oracle: Backend) -> Message:
        page.check(oracle.tables())
        analysis = oracle.analyze_page(position, moves=with_moves, first=page.first, most=page.size)
        _check_length(analysis.answer.winning_moves or ())
        _check_length([analyzed.move for analyzed in analysis.moves or ()])
        response = write_analysis(analysis)
        response.next_page_token = page.token(analysis.following, oracle.tables())
        return response

    return Question("analyze", (position, page.first), answer, "position")


def _best_line(request: line_pb2.GetBestLineRequest, _: ServerSettings) -> Question:
    position, plies = read_position(request.position), request.max_plies
    if not 0 <= plies <= MAX_PLIES:
        raise FieldError(
            "max_plies", InvalidPositionError(f"{plies}; allowed are 0 to {MAX_PLIES}")
        )
    most = plies or DEFAULT_PLIES

    def answer(oracle: Backend) -> Message:
        line = oracle.best_line(position, most)
        _check_length([ply.move for ply in line.plies])
        return write_best_line(line)

    return Question("best_line", (position, most), answer, "position")


def _win_probability(request: chance_pb2.GetWinProbabilityRequest, _: ServerSettings) -> Question:
    position, model = read_position(request.position), read_model(request.model)

    def answer(oracle: Backend) -> Message:
        found = oracle.win_probability(position, model)
        _check_length(found.best_moves or ())
        return chance_pb2.GetWinProbabilityResponse(probability=write_win_probability(found))

    return Question("win_probability", (position, model), answer, "position")


def _turns(request: chance_pb2.GetTurnsRequest, _: ServerSettings) -> Question:
    position = read_position(request.position)

    def answer(oracle: Backend) -> Message:
        return chance_pb2.GetTurnsResponse(turns=write_turns(oracle.turns(position)))

    return Question("turns", (position,), answer, "position")


def _outcomes(request: pb.BatchGetOutcomesRequest, settings: ServerSettings) -> Question:
    game, rows = read_packed(request.positions, settings.max_batch_positions)

    def answer(oracle: Backend) -> Message:
        outcomes = np.concatenate(_in_slices(oracle.outcomes, game, rows))
        return pb.BatchGetOutcomesResponse(
            outcomes=outcomes.astype(np.uint8).tobytes(), tables=write_tables(oracle.tables())
        )

    return Question("outcomes", (game, rows), answer)


def _winning_move_batch(
    request: pb.BatchGetWinningMovesRequest, settings: ServerSettings
) -> Question:
    game, rows = read_packed(request.positions, settings.max_batch_positions)

    def answer(oracle: Backend) -> Message:
        outcomes, children = zip(*_in_slices(oracle.winning_move_batch, game, rows), strict=True)
        return pb.BatchGetWinningMovesResponse(
            outcomes=np.concatenate(outcomes).astype(np.uint8).tobytes(),
            children=np.concatenate(children).astype("<i4").tobytes(),
            tables=write_tables(oracle.tables()),
        )

    return Question("winning_move_batch", (game, rows), answer)


def _win_probabilities(
    request: pb.BatchGetWinProbabilitiesRequest, settings: ServerSettings
) -> Question:
    model = read_model(request.model)
    game, rows = read_packed(request.positions, settings.max_batch_positions)

    def answer(oracle: Backend) -> Message:
        def ask(game: GameSpec, part: Coordinates) -> npt.NDArray[np.float64]:
            return oracle.win_probabilities(game, part, model)

        return pb.BatchGetWinProbabilitiesResponse(
            model=model.text,
            probabilities=np.concatenate(_in_slices(ask, game, rows)).astype("<f8").tobytes(),
            error_bound=oracle.win_probability_error(model),
            tables=write_tables(oracle.tables()),
        )

    return Question("win_probabilities", (game, rows, model), answer)


def _instant_winners(request: sheet_pb2.GetInstantWinnersRequest, _: ServerSettings) -> Question:
    game, window = read_window(request)
    *sheet, first_y, first_z = window

    def answer(oracle: Backend) -> Message:
        cells = oracle.instant_winners(game, *sheet, first_y=first_y, first_z=first_z)
        return sheet_pb2.GetInstantWinnersResponse(
            origins=cells.tobytes(), tables=write_tables(oracle.tables())
        )

    return Question("instant_winners", (game, *window), answer)


def _losers(request: sheet_pb2.GetLosersRequest, _: ServerSettings) -> Question:
    game, columns = read_columns(request)
    x, size_y, first_y = columns

    def answer(oracle: Backend) -> Message:
        z = oracle.losers(game, x, size_y, first_y=first_y).astype("<i4").tobytes()
        return sheet_pb2.GetLosersResponse(z=z, tables=write_tables(oracle.tables()))

    return Question("losers", (game, *columns), answer)


def _geometry(request: geometry_pb2.GetGeometryRequest, _: ServerSettings) -> Question:
    game = read_game_of(request)

    def answer(oracle: Backend) -> Message:
        return write_geometry(oracle.geometry(game))

    return Question("geometry", (game,), answer, "game")


def _estimates(request: geometry_pb2.GetEstimatesRequest, _: ServerSettings) -> Question:
    question, most = read_estimates_question(request)

    def answer(oracle: Backend) -> Message:
        if isinstance(question, Opening):
            return write_estimates(oracle.estimate_opening(question.n, most=most))
        return write_estimates(oracle.estimate_column(question.x, question.y, most=most))

    name = "estimate_opening" if isinstance(question, Opening) else "estimate_column"
    return Question(name, (question, most), answer)


def _games(request: pb.ListGamesRequest, _: ServerSettings) -> Question:
    page = Page.read("games", request.page_size, request.page_token)

    def answer(oracle: Backend) -> Message:
        games = sorted(oracle.games(), key=lambda info: info.game.text)
        listed, following = page.cut(games, oracle.tables())
        return pb.ListGamesResponse(
            games=[write_game_info(info) for info in listed],
            next_page_token=following,
            tables=write_tables(oracle.tables()),
        )

    return Question("games", (), answer)


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


def _in_slices(
    ask: Callable[[GameSpec, Coordinates], T], game: GameSpec, rows: Coordinates
) -> list[T]:
    """Ask for a batch slice by slice, as long as somebody waits for it.

    Raises:
        FieldError: a row is no position, counted from the start of the batch; or the game has no
            such answers.
    """
    answers = []
    for start in range(0, max(len(rows), 1), SLICE):  # an empty batch is checked too
        current().check()
        try:
            answers.append(ask(game, rows[start : start + SLICE]))
        except PositionOracleError as error:
            raise _of_whole_batch(error, ask, game, rows) from error
    return answers


def _of_whole_batch(
    error: PositionOracleError,
    ask: Callable[[GameSpec, Coordinates], object],
    game: GameSpec,
    rows: Coordinates,
) -> FieldError:
    """The error of a slice as the whole batch gives it, with rows counted from the start."""
    if len(rows) > SLICE:
        try:
            ask(game, rows)
        except PositionOracleError as whole:
            error = whole
    of_game = isinstance(error, UnknownGameError | UnknownAnswerError)
    return FieldError(f"positions.{'game' if of_game else 'coordinates'}", error)


def _check_length(moves: Sequence[Move]) -> None:
    """Refuse an answer that would be too long to send."""
    numbers = len(moves) * max(len(moves[0].child.coordinates), 1) if moves else 0
    if numbers > MAX_ANSWER_NUMBERS:
        raise TooLargeError(
            f"the answer has {len(moves)} moves of {numbers // len(moves)} numbers; allowed are at"
            f" most {MAX_ANSWER_NUMBERS} numbers: ask for them in pages",
            "response_numbers",
            numbers,
            MAX_ANSWER_NUMBERS,
        )
