"""Questions as data: what is sent, and how the answer is read.

Both clients send and wait, each in its way; everything else about a question is here, once.
"""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from operator import index
from typing import Any, Final, Generic, TypeVar

import numpy as np
import numpy.typing as npt
from google.protobuf.message import Message

from position_oracle.clients.errors import (
    ClientTypeError,
    InvalidQuestionError,
    OracleClientError,
    ServerError,
)
from position_oracle.schema.analyses import Analysis, AnalyzedMove, Turns, WinProbability
from position_oracle.schema.answers import Answer, Tables
from position_oracle.schema.errors import ArrayTypeError
from position_oracle.schema.estimates import Estimates
from position_oracle.schema.games import BatchLimits, GameInfo
from position_oracle.schema.geometry import Geometry
from position_oracle.schema.lines import MAX_PLIES, BestLine
from position_oracle.schema.messages import reading
from position_oracle.schema.moves import Move
from position_oracle.schema.positions import PositionLike, position_text
from position_oracle.schema.proto.position_oracle.v1 import (
    analysis_pb2,
    chance_pb2,
    game_pb2,
    geometry_pb2,
    line_pb2,
    sheet_pb2,
)
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb

T = TypeVar("T")

MAX_EMPTY_PAGES: Final = 100
"""Most pages without a move, one after the other, before the list is taken for endless."""


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """One request.

    Attributes:
        method: the call of the contract.
        request: what is sent.
        read: makes the answer of the response.
    """

    method: str
    request: Message
    read: Callable[[Any], T]

    def answer(self, response: Any) -> T:
        """The answer that a response says.

        Raises:
            ServerError: it says none, whatever is wrong with it.
        """
        with contract():
            return self.read(response)


Dialogue = Generator[Question[Any], Any, T]
"""Several questions for one answer: it gives questions, is sent what they bring, and returns."""


def outcome(position: PositionLike) -> Question[Answer]:
    """Who wins."""
    request = pb.GetOutcomeRequest(position=_position(position))
    return Question("GetOutcome", request, reading.read_outcome)


def winning_moves(position: PositionLike) -> Question[Answer]:
    """Who wins, and how."""
    request = pb.ListWinningMovesRequest(position=_position(position))
    return Question("ListWinningMoves", request, reading.read_winning_moves)


def analyze(position: PositionLike, *, moves: bool) -> Question[Analysis]:
    """Everything known about a position."""
    request = analysis_pb2.AnalyzePositionRequest(
        position=_position(position), omit_moves=not moves
    )

    def read(response: analysis_pb2.AnalyzePositionResponse) -> Analysis:
        return reading.read_analysis(response, moves=moves)

    return Question("AnalyzePosition", request, read)


def best_line(position: PositionLike, plies: int) -> Question[BestLine]:
    """How the game goes on.

    Raises:
        InvalidQuestionError: plies are not from 1 to 10,000.
    """
    with refusals("plies"):
        if not 1 <= plies <= MAX_PLIES:
            raise InvalidQuestionError(f"plies = {plies}; allowed are 1 to {MAX_PLIES}", "plies")
        request = line_pb2.GetBestLineRequest(position=_position(position), max_plies=plies)
    return Question("GetBestLine", request, reading.read_best_line)


def moves(position: PositionLike, most: int) -> Dialogue[tuple[AnalyzedMove, ...]]:
    """The moves of a position, page by page, as far as they are wanted.

    Raises:
        InvalidQuestionError: `most` is not positive.
    """
    with refusals("most"):
        if index(most) < 1:
            raise InvalidQuestionError(f"most = {most}; allowed is 1 or more", "most")
    return _pages(position, index(most))


def _pages(position: PositionLike, most: int) -> Dialogue[tuple[AnalyzedMove, ...]]:
    request = analysis_pb2.AnalyzePositionRequest(position=_position(position))
    found: list[AnalyzedMove] = []
    tokens, empty = {""}, 0

    def read(response: analysis_pb2.AnalyzePositionResponse) -> str:
        found.extend(reading.read_analysis(response, moves=True).moves or ())
        return response.next_page_token

    while True:
        before, request.page_size = len(found), most - len(found)
        request.page_token = yield Question("AnalyzePosition", request, read)
        if not request.page_token or len(found) >= most:
            return tuple(found[:most])
        empty = 0 if len(found) > before else empty + 1
        if request.page_token in tokens or empty > MAX_EMPTY_PAGES:
            raise ServerError("the server broke the contract: its pages of moves do not end")
        tokens.add(request.page_token)


def best_move(position: PositionLike) -> Dialogue[Move | None]:
    """The move to make; see `Answerer.best_move`."""
    from position_oracle.engine.games import choice

    choosing, answer = choice.best_move(_text(position)), None
    while True:
        try:
            ask = choosing.send(answer)
        except StopIteration as end:
            found: Move[Any] | None = end.value
            return found and Move(str(found.child), found.is_pass, found.action)
        is_whole = ask.question == "analyze"
        answer = yield analyze(ask.position, moves=True) if is_whole else outcome(ask.position)


def win_probability(position: PositionLike, model: str) -> Question[WinProbability]:
    """How likely the player to move is to win."""
    request = chance_pb2.GetWinProbabilityRequest(
        position=_position(position), model=check_text(model, "model")
    )

    def read(response: chance_pb2.GetWinProbabilityResponse) -> WinProbability:
        return reading.read_win_probability(response.probability)

    return Question("GetWinProbability", request, read)


def turns(position: PositionLike) -> Question[Turns]:
    """How long a game at random lasts."""
    request = chance_pb2.GetTurnsRequest(position=_position(position))

    def read(response: chance_pb2.GetTurnsResponse) -> Turns:
        return reading.read_turns(response.turns)

    return Question("GetTurns", request, read)


@contextmanager
def contract() -> Iterator[None]:
    """Whatever cannot be read breaks the contract."""
    try:
        yield
    except OracleClientError:
        raise
    except Exception as error:
        raise ServerError(f"the server broke the contract: {error}") from error


@contextmanager
def refusals(field: str) -> Iterator[None]:
    """Arguments that cannot be sent, as errors of the clients."""
    try:
        yield
    except OracleClientError:
        raise
    except TypeError as error:
        raise ClientTypeError(f"{field}: {error}") from error
    except (ValueError, OverflowError) as error:
        raise InvalidQuestionError(f"{field}: {error}", field) from error


def instant_winners(
    game: str, x: int, size_y: int, size_z: int, first_y: int, first_z: int
) -> Question[npt.NDArray[np.uint8]]:
    """A window of an instant-winner sheet.

    Raises:
        InvalidQuestionError: a number does not fit the contract.
    """
    window = f"x = {x}, window {size_y} x {size_z} from y = {first_y}, z = {first_z}"
    with refusals(window):
        request = sheet_pb2.GetInstantWinnersRequest(
            game_text=check_text(game, "game"),
            x=x,
            size_y=size_y,
            size_z=size_z,
            first_y=first_y,
            first_z=first_z,
        )

    def read(response: sheet_pb2.GetInstantWinnersResponse) -> npt.NDArray[np.uint8]:
        cells = len(response.origins)
        if cells != size_y * size_z:
            raise ServerError(f"the window of {size_y} x {size_z} cells came with {cells} bytes")
        return np.frombuffer(response.origins, np.uint8).reshape(size_y, size_z)

    return Question("GetInstantWinners", request, read)


def losers(game: str, x: int, size_y: int, first_y: int) -> Question[npt.NDArray[np.int32]]:
    """Part of a loser sheet.

    Raises:
        InvalidQuestionError: a number does not fit the contract.
    """
    with refusals(f"x = {x}, {size_y} columns from y = {first_y}"):
        request = sheet_pb2.GetLosersRequest(
            game_text=check_text(game, "game"), x=x, size_y=size_y, first_y=first_y
        )

    def read(response: sheet_pb2.GetLosersResponse) -> npt.NDArray[np.int32]:
        if len(response.z) != 4 * size_y:
            raise ServerError(f"{size_y} columns came with {len(response.z)} bytes")
        return np.frombuffer(response.z, "<i4").astype(np.int32)

    return Question("GetLosers", request, read)


def column(x: int, y: int, most: int) -> Question[Estimates]:
    """Ask for chances of a column.

    Raises:
        InvalidQuestionError: a number does not fit the contract.
    """
    with refusals(f"column {x}, {y}, most {most}"):
        asked = geometry_pb2.Column(x=x, y=y)
        request = geometry_pb2.GetEstimatesRequest(column=asked, most=most)
    return Question("GetEstimates", request, reading.read_estimates)


def opening(n: int, most: int) -> Question[Estimates]:
    """Ask for chances of openings.

    Raises:
        InvalidQuestionError: a number does not fit the contract.
    """
    with refusals(f"opening n = {n}, most {most}"):
        request = geometry_pb2.GetEstimatesRequest(opening=n, most=most)
    return Question("GetEstimates", request, reading.read_estimates)


def geometry(game: str) -> Question[Geometry]:
    """The shape of the sheets of a game."""
    request = geometry_pb2.GetGeometryRequest(game_text=check_text(game, "game"))
    return Question("GetGeometry", request, reading.read_geometry)


def games() -> Question[tuple[GameInfo, ...]]:
    """What is served."""
    return Question("ListGames", pb.ListGamesRequest(), reading.read_games)


def tables() -> Question[Tables | None]:
    """The identity of the tables that are served."""
    return Question("ListGames", pb.ListGamesRequest(page_size=1), reading.read_tables)


def batch_limits() -> Question[BatchLimits]:
    """What the server accepts in one batch."""
    return Question("ListGames", pb.ListGamesRequest(page_size=1), reading.read_batch_limits)


def check_text(value: str, name: str) -> str:
    """Text that can be sent.

    Raises:
        InvalidQuestionError: it is not Unicode text.
        ClientTypeError: it is not a string.
    """
    if not isinstance(value, str):
        raise ClientTypeError(f"{name} is a {type(value).__name__}; it is given as text (str)")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidQuestionError(f"{name} {value!a} is not Unicode text", name) from error
    return value


def _position(position: PositionLike) -> game_pb2.Position:
    return game_pb2.Position(text=_text(position))


def _text(position: PositionLike) -> str:
    try:
        text = position_text(position)
    except ArrayTypeError as error:
        raise ClientTypeError(str(error)) from None
    return check_text(text, "position")
