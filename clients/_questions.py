"""Questions as data: the request, and the reader of the answer.

The two clients send and wait in different ways. This module has everything else about a question.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import numpy as np
import numpy.typing as npt
from google.protobuf.message import Message

from position_oracle.clients._failures import failure_of
from position_oracle.clients.errors import (
    ClientTypeError,
    InvalidQuestionError,
    OracleClientError,
    ServerError,
    integer,
)
from position_oracle.schema.analyses import (
    MAX_LISTED_MOVES,
    Analysis,
    AnalyzedMove,
    Listing,
    Turns,
    WinProbability,
)
from position_oracle.schema.answers import Answer, Outcome, Tables
from position_oracle.schema.arrays import checked_positions
from position_oracle.schema.errors import (
    ArrayTypeError,
    InvalidRowError,
    PositionOracleError,
    ResourceLimitError,
)
from position_oracle.schema.estimates import MAX_CANDIDATES, Estimates
from position_oracle.schema.games import BatchLimits, GameInfo
from position_oracle.schema.geometry import Geometry
from position_oracle.schema.graphs import SolvedGraph, checked_results
from position_oracle.schema.lines import MAX_PLIES, BestLine
from position_oracle.schema.messages import reading
from position_oracle.schema.moves import Move
from position_oracle.schema.positions import PositionLike, position_text, positions_list
from position_oracle.schema.proto.position_oracle.v1 import (
    analysis_pb2,
    catalog_pb2,
    chance_pb2,
    game_pb2,
    geometry_pb2,
    graph_pb2,
    line_pb2,
    sheet_pb2,
)
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb

MAX_CHANCES: Final = 100_000
"""Number of chances requested for each page of a distribution."""

MAX_GAMES: Final = 1_000
"""Number of games or shapes requested for each page."""

T = TypeVar("T")

MAX_PAGES: Final = 10_000
"""Maximum number of pages of a list."""

MAX_EMPTY_PAGES: Final = 100
"""Maximum number of consecutive empty pages before a list is considered endless."""


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """One request.

    Attributes:
        method: the call of the contract.
        request: the message.
        read: converts the response to the answer.
    """

    method: str
    request: Message
    read: Callable[[Any], T]

    def answer(self, response: Any) -> T:
        """Read the answer from a response.

        Raises:
            ServerError: the response has no valid answer.
        """
        with contract():
            return self.read(response)


Dialogue = Generator[Question[Any], Any, T]
"""Several questions for one answer: a generator that yields questions, receives their responses,
and returns the answer."""


def advanced(dialogue: Dialogue[T], response: Any) -> tuple[Question[Any] | None, T | None]:
    """Send a response to a dialogue; return its next question, or None and its result.

    Raises:
        ServerError: the response has no valid answer.
    """
    with contract():
        try:
            return dialogue.send(response), None
        except StopIteration as end:
            return None, end.value


def outcome(position: PositionLike) -> Question[Answer]:
    """Ask who wins."""
    request = pb.GetOutcomeRequest(position=_position(position))
    return Question("GetOutcome", request, reading.read_outcome)


def winning_moves(position: PositionLike) -> Dialogue[Answer]:
    """Ask who wins, and for the winning moves."""
    request = pb.ListWinningMovesRequest(position=_position(position), page_size=MAX_LISTED_MOVES)
    pages = yield from _pages("ListWinningMoves", request, "moves")
    moves = tuple(move for page in pages for move in reading.read_moves(page.moves))
    is_known = pages[0].HasField("winning_move_count")
    return reading.read_answer(pages[0].answer, moves if is_known else None)


def analyze(position: PositionLike, *, moves: bool) -> Dialogue[Analysis]:
    """Ask for everything known about a position, and its sorted moves."""
    view = analysis_pb2.ANALYSIS_VIEW_FULL if moves else analysis_pb2.ANALYSIS_VIEW_WINNING_MOVES
    request = analysis_pb2.AnalyzePositionRequest(
        position=_position(position), view=view, page_size=MAX_LISTED_MOVES
    )
    wins: dict[int, Move] = {}

    def are_all_ordered(page: analysis_pb2.AnalyzePositionResponse) -> bool:
        wins.update(reading.read_winning_places(page.moves))
        is_first = reading.read_listing(page) is Listing.WINNING_FIRST
        return is_first and len(wins) >= page.winning_move_count

    pages = yield from _pages("AnalyzePosition", request, "moves", are_all_ordered)
    first, listing = pages[0], reading.read_listing(pages[0])
    is_known = first.HasField("winning_move_count")
    return Analysis(
        answer=reading.read_answer(
            first.answer, tuple(wins[place] for place in sorted(wins)) if is_known else None
        ),
        values=reading.read_values(first.values),
        moves=_analyzed(pages) if moves else None,
        complete=listing is Listing.BEST_FIRST,
        listing=listing if moves else Listing.NONE,
    )


def _analyzed(
    pages: Iterable[analysis_pb2.AnalyzePositionResponse],
) -> tuple[AnalyzedMove, ...]:
    return tuple(reading.read_analyzed(each) for page in pages for each in page.moves)


def moves(position: PositionLike, most: int) -> Dialogue[tuple[AnalyzedMove, ...]]:
    """Ask for the moves of a position, page by page, up to `most`.

    Raises:
        InvalidQuestionError: `most` is not positive.
    """
    most = integer(most, "most")
    if most < 1:
        raise InvalidQuestionError(f"most = {most}; allowed is 1 or more", "most")
    request = analysis_pb2.AnalyzePositionRequest(
        position=_position(position), page_size=min(most, MAX_LISTED_MOVES)
    )
    return _first_moves(request, most)


def _first_moves(
    request: analysis_pb2.AnalyzePositionRequest, most: int
) -> Dialogue[tuple[AnalyzedMove, ...]]:
    count = 0

    def is_enough(page: analysis_pb2.AnalyzePositionResponse) -> bool:
        nonlocal count
        count += len(page.moves)
        return count >= most

    pages = yield from _pages("AnalyzePosition", request, "moves", is_enough)
    return _analyzed(pages)[:most]


def best_line(position: PositionLike, plies: int) -> Dialogue[BestLine]:
    """Ask for the best line of play.

    Raises:
        InvalidQuestionError: `plies` is not from 1 to 10,000.
    """
    plies = integer(plies, "plies")
    with refusals("plies"):
        if not 1 <= plies <= MAX_PLIES:
            raise InvalidQuestionError(f"plies = {plies}; allowed are 1 to {MAX_PLIES}", "plies")
        request = line_pb2.GetBestLineRequest(position=_position(position), page_size=plies)
    return _line(request)


def _line(request: line_pb2.GetBestLineRequest) -> Dialogue[BestLine]:
    left = request.page_size

    def is_enough(page: line_pb2.GetBestLineResponse) -> bool:
        nonlocal left
        left = request.page_size = left - len(page.plies)
        return left <= 0

    pages = yield from _pages("GetBestLine", request, "plies", is_enough)
    plies = (reading.read_analyzed(each) for page in pages for each in page.plies)
    return reading.read_best_line(pages[-1], tuple(plies))


def best_move(position: PositionLike) -> Question[Move | None]:
    """Ask for the move to make; see `Answerer.best_move`."""
    request = pb.GetBestMoveRequest(position=_position(position))
    return Question("GetBestMove", request, reading.read_best_move)


def series(game: str, first: int, last: int) -> Question[npt.NDArray[np.int64]]:
    """Ask for the Grundy values of single heaps.

    Raises:
        InvalidQuestionError: a number does not fit the contract.
    """
    first, last = integer(first, "first"), integer(last, "last")
    with refusals(f"heaps {first} to {last}"):
        size = last - first + 1
        request = pb.GetValueSeriesRequest(game=_game(game), first=first, size=size)

    def read(response: pb.GetValueSeriesResponse) -> npt.NDArray[np.int64]:
        return unpacked(response.values, "<i8", size).astype(np.int64)

    return Question("GetValueSeries", request, read)


def answers(
    positions: Sequence[PositionLike],
) -> Question[tuple[Answer | PositionOracleError, ...]]:
    """Ask who wins at each position of a list."""
    with refusals("positions"):
        request = pb.BatchGetAnswersRequest(positions=map(_position, positions_list(positions)))

    def read(response: pb.BatchGetAnswersResponse) -> tuple[Answer | PositionOracleError, ...]:
        if len(response.results) != len(request.positions):
            said = f"{len(response.results)} results for {len(request.positions)} positions"
            raise ServerError(f"the server broke the contract: {said}")
        tables = reading.read_tables(response)
        return tuple(_result(each, tables) for each in response.results)

    return Question("BatchGetAnswers", request, read)


def _result(result: pb.PositionResult, tables: Tables | None) -> Answer | PositionOracleError:
    if result.WhichOneof("result") == "error":
        return failure_of(result.error)
    found = reading.read_answer(result.answer, None)
    return found if tables is None else found.from_tables(tables)


def solve_graph(
    moves: npt.ArrayLike, nodes: int | None, results: Mapping[int, Outcome], *, misere: bool
) -> Question[SolvedGraph]:
    """Ask for everything about every node of a graph.

    Raises:
        InvalidQuestionError: the moves are not pairs of nodes.
        ClientTypeError: the moves are not integers.
    """
    with refusals("results"):
        results = checked_results(results)
    with refusals("moves"):
        pairs = checked_positions(moves, "moves")
        if pairs.size and pairs.shape[1] != 2:
            raise InvalidQuestionError(
                f"moves have shape {pairs.shape}; allowed is (m, 2)", "moves"
            )
        pairs = pairs.reshape(-1, 2)
        count = int(pairs.max(initial=-1)) + 1 if nodes is None else integer(nodes, "nodes")
        if count < 1:  # 0 in a request stands for the largest node of a move
            raise InvalidQuestionError("there is no node", "nodes")
        request = graph_pb2.SolveGraphRequest(
            node_count=count,
            move_from=pairs[:, 0].tolist(),
            move_to=pairs[:, 1].tolist(),
            play=graph_pb2.GAME_PLAY_MISERE if misere else graph_pb2.GAME_PLAY_NORMAL,
            n_nodes=[node for node, outcome in results.items() if outcome is Outcome.N],
            p_nodes=[node for node, outcome in results.items() if outcome is Outcome.P],
        )

    def read(response: graph_pb2.SolveGraphResponse) -> SolvedGraph:
        return reading.read_solved_graph(response, count)

    return Question("SolveGraph", request, read)


def win_probability(position: PositionLike, model: str) -> Dialogue[WinProbability]:
    """Ask for the probability that the player to move wins."""
    request = chance_pb2.GetWinProbabilityRequest(
        position=_position(position), model=check_text(model, "model"), page_size=MAX_LISTED_MOVES
    )
    pages = yield from _pages("GetWinProbability", request, "best_moves")
    moves = tuple(move for page in pages for move in reading.read_moves(page.best_moves))
    return reading.read_win_probability(pages[0].probability, moves)


def turns(position: PositionLike) -> Dialogue[Turns]:
    """Ask for the number of turns of a random game."""
    request = chance_pb2.GetTurnsRequest(position=_position(position), page_size=MAX_CHANCES)
    pages = yield from _pages("GetTurns", request, "distribution")
    chances = tuple(chance for page in pages for chance in page.distribution)
    return reading.read_turns(pages[0].turns, chances)


def _pages(
    method: str,
    request: Any,
    items: str,
    is_enough: Callable[[Any], bool] = lambda _: False,
) -> Dialogue[list[Any]]:
    """Ask for a list page by page, and return all responses; at least one.

    Args:
        method: the call of the contract.
        request: the request for the first page.
        items: the field of the responses that has the items.
        is_enough: returns whether a page is the last one needed.

    Raises:
        ServerError: the pages do not end.
    """
    pages: list[Any] = []
    tokens, empty = {""}, 0
    while True:
        page = yield Question(method, request, _itself)
        pages.append(page)
        empty = 0 if getattr(page, items) else empty + 1
        if is_enough(page) or not page.next_page_token:
            return pages
        is_endless = empty > MAX_EMPTY_PAGES or len(pages) > MAX_PAGES
        if page.next_page_token in tokens or is_endless:
            raise ServerError("the server broke the contract: the pages of a list do not end")
        request.page_token = page.next_page_token
        tokens.add(request.page_token)


def _itself(response: Any) -> Any:
    return response


@contextmanager
def contract() -> Iterator[None]:
    """Convert every failure of reading a response to a breach of the contract."""
    try:
        yield
    except OracleClientError:
        raise
    except Exception as error:
        raise ServerError(f"the server broke the contract: {error}") from error


@contextmanager
def refusals(field: str) -> Iterator[None]:
    """Raise errors of the clients for arguments that cannot be sent."""
    try:
        yield
    except OracleClientError:
        raise
    except TypeError as error:
        raise ClientTypeError(f"{field}: {error}") from error
    except (ValueError, OverflowError, ResourceLimitError) as error:
        row = error.row if isinstance(error, InvalidRowError) else None
        raise InvalidQuestionError(f"{field}: {error}", field, row) from error


def instant_winners(
    game: str, x: int, size_y: int, size_z: int, first_y: int, first_z: int
) -> Question[npt.NDArray[np.uint8]]:
    """Ask for a window of an instant-winner sheet.

    Raises:
        InvalidQuestionError: a number does not fit the contract.
    """
    x, size_y, size_z = integer(x, "x"), integer(size_y, "size_y"), integer(size_z, "size_z")
    first_y, first_z = integer(first_y, "first_y"), integer(first_z, "first_z")
    window = f"x = {x}, window {size_y} x {size_z} from y = {first_y}, z = {first_z}"
    with refusals(window):
        request = sheet_pb2.GetInstantWinnersRequest(
            game=_game(game),
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
    """Ask for a part of a loser sheet.

    Raises:
        InvalidQuestionError: a number does not fit the contract.
    """
    x, size_y, first_y = integer(x, "x"), integer(size_y, "size_y"), integer(first_y, "first_y")
    with refusals(f"x = {x}, {size_y} columns from y = {first_y}"):
        request = sheet_pb2.GetLosersRequest(game=_game(game), x=x, size_y=size_y, first_y=first_y)

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
    x, y = integer(x, "x"), integer(y, "y")
    with refusals(f"column {x}, {y}"):
        asked = geometry_pb2.SheetColumn(x=x, y=y)
        request = geometry_pb2.GetEstimatesRequest(column=asked)
    return _estimates(request, most)


def opening(n: int, most: int) -> Question[Estimates]:
    """Ask for chances of openings.

    Raises:
        InvalidQuestionError: a number does not fit the contract.
    """
    n = integer(n, "n")
    with refusals(f"opening n = {n}"):
        request = geometry_pb2.GetEstimatesRequest(opening=n)
    return _estimates(request, most)


def _estimates(request: geometry_pb2.GetEstimatesRequest, most: int) -> Question[Estimates]:
    most = integer(most, "most")
    with refusals("most"):
        if not 1 <= most <= MAX_CANDIDATES:
            said = f"most = {most}; allowed are 1 to {MAX_CANDIDATES}"
            raise InvalidQuestionError(said, "most")
        request.game.text, request.page_size = "chomp3", most
    return Question("GetEstimates", request, reading.read_estimates)


def geometry(game: str) -> Dialogue[Geometry]:
    """Ask for the shape of the sheets of a game."""
    request = geometry_pb2.GetGeometryRequest(game=_game(game), page_size=MAX_GAMES)
    pages = yield from _pages("GetGeometry", request, "shapes")
    shapes = tuple(shape for page in pages for shape in reading.read_shapes(page))
    return Geometry(pages[0].game.text, shapes, reading.read_tables(pages[0]))


def games() -> Dialogue[tuple[GameInfo, ...]]:
    """Ask for the games of the server."""
    request = catalog_pb2.ListGamesRequest(page_size=MAX_GAMES)
    pages = yield from _pages("ListGames", request, "games")
    return tuple(info for page in pages for info in reading.read_games(page))


def tables() -> Question[Tables | None]:
    """Ask for the identity of the tables in use."""
    return Question("ListGames", catalog_pb2.ListGamesRequest(page_size=1), reading.read_tables)


def batch_limits() -> Question[BatchLimits]:
    """Ask for the limits of one batch."""
    return Question(
        "ListGames", catalog_pb2.ListGamesRequest(page_size=1), reading.read_batch_limits
    )


def unpacked(packed: bytes, dtype: str, count: int) -> npt.NDArray[Any]:
    """Read `count` packed numbers as an array.

    Raises:
        ServerError: there are more or fewer numbers.
    """
    expected = count * np.dtype(dtype).itemsize
    if len(packed) != expected:
        raise ServerError(f"the server sent {len(packed)} bytes where {expected} were expected")
    return np.frombuffer(packed, dtype)


def check_text(value: str, name: str) -> str:
    """Return a text that can be sent.

    Raises:
        InvalidQuestionError: the text is not valid Unicode.
        ClientTypeError: the argument is not a string.
    """
    if not isinstance(value, str):
        raise ClientTypeError(f"{name} is a {type(value).__name__}; it is given as text (str)")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidQuestionError(f"{name} {value[:60]!a} is not Unicode text", name) from error
    return value


def _position(position: PositionLike) -> game_pb2.Position:
    return game_pb2.Position(text=_text(position))


def _text(position: PositionLike) -> str:
    try:
        text = position_text(position)
    except ArrayTypeError as error:
        raise ClientTypeError(str(error)) from None
    return check_text(text, "position")


def _game(text: str) -> game_pb2.Game:
    return game_pb2.Game(text=check_text(text, "game"))
