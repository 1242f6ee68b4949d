"""Lists in pages: each item once, in one order. A token fits one question and its tables."""

from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest
from google.protobuf.message_factory import GetMessageClass

from position_oracle.engine.games.moves import children
from position_oracle.engine.games.notation import parse
from position_oracle.oracle import line
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server import contract
from position_oracle.oracle.server.requests import Page
from position_oracle.schema.answers import Tables
from position_oracle.schema.proto.position_oracle.v1 import (
    analysis_pb2,
    catalog_pb2,
    chance_pb2,
    game_pb2,
    geometry_pb2,
    line_pb2,
    service_pb2,
)
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from position_oracle.schema.proto.position_oracle.v1.service_pb2_grpc import PositionOracleStub
from tests.serving import running_server

MANY = "nim:[7000,6500,300]"
"""A position with 13,800 moves, of which one wins."""


def ask(text: str, **fields: Any) -> analysis_pb2.AnalyzePositionRequest:
    return analysis_pb2.AnalyzePositionRequest(position=game_pb2.Position(text=text), **fields)


def pages(call: Callable[..., Any], request: Any) -> Iterator[Any]:
    while True:
        response = call(request, timeout=60)
        yield response
        if not response.next_page_token:
            return
        request.page_token = response.next_page_token


def legal(text: str) -> list[str]:
    position = parse(text)
    return [str(child) for child in children(position)]


@pytest.mark.parametrize(("size", "count"), [(20_000, 3), (5000, 4)])
def test_all_moves_of_a_large_position_come_once(
    stub: PositionOracleStub, size: int, count: int
) -> None:
    """The winning move has a page of its own; the others follow in the order of the rules."""
    found = list(pages(stub.AnalyzePosition, ask(MANY, page_size=size)))
    texts = [[each.move.child.text for each in page.moves] for page in found]
    (win,) = texts[0]
    assert len(found) == count
    assert [text for page in texts[1:] for text in page] == [
        text for text in legal(MANY) if text != win
    ]
    assert {page.listing for page in found} == {analysis_pb2.MOVE_LISTING_WINNING_FIRST}
    assert {page.winning_move_count for page in found} == {1}
    assert all(page.answer == found[0].answer for page in found)


@pytest.mark.parametrize("size", [1, 4, 10, 11])
def test_pages_of_a_small_position_are_its_list_in_pieces(
    stub: PositionOracleStub, size: int
) -> None:
    text = "chomp3:[1,2,3]"
    whole = stub.AnalyzePosition(ask(text), timeout=30)
    assert (whole.next_page_token, len(whole.moves)) == ("", 10)
    assert whole.listing == analysis_pb2.MOVE_LISTING_BEST_FIRST
    found = list(pages(stub.AnalyzePosition, ask(text, page_size=size)))
    assert len(found) == -(-10 // size)
    assert [move for page in found for move in page.moves] == list(whole.moves)
    assert {page.listing for page in found} == {whole.listing}


def test_a_large_position_without_a_winning_move(stub: PositionOracleStub) -> None:
    text = "nim:[6000,6000]"
    found = list(pages(stub.AnalyzePosition, ask(text, page_size=10_000)))
    assert not found[0].moves
    assert [each.move.child.text for page in found for each in page.moves] == legal(text)


VIEWS = [
    (analysis_pb2.ANALYSIS_VIEW_BASIC, "NONE", 0),
    (analysis_pb2.ANALYSIS_VIEW_WINNING_MOVES, "WINNING_MOVES", 3),
    (analysis_pb2.ANALYSIS_VIEW_FULL, "BEST_FIRST", 15),
    (analysis_pb2.ANALYSIS_VIEW_UNSPECIFIED, "BEST_FIRST", 15),
]


@pytest.mark.parametrize(("view", "listing", "count"), VIEWS)
def test_a_view_says_which_moves_are_listed(
    stub: PositionOracleStub, view: Any, listing: str, count: int
) -> None:
    found = stub.AnalyzePosition(ask("nim:[3,5,7]", view=view), timeout=30)
    assert len(found.moves) == count
    assert found.listing == analysis_pb2.MoveListing.Value(f"MOVE_LISTING_{listing}")
    assert (found.winning_move_count, found.values.grundy) == (3, 1)
    places = [each.winning_place for each in found.moves if each.HasField("winning_place")]
    assert sorted(places) == [*range(min(count, 3))]


def test_winning_moves_in_pages(stub: PositionOracleStub) -> None:
    position = game_pb2.Position(text="nim:[8,8,8,4,4,4]")
    whole = stub.ListWinningMoves(pb.ListWinningMovesRequest(position=position), timeout=30)
    assert len(whole.moves) == whole.winning_move_count > 2
    assert whole.next_page_token == ""
    request = pb.ListWinningMovesRequest(position=position, page_size=2)
    found = list(pages(stub.ListWinningMoves, request))
    assert [move for page in found for move in page.moves] == list(whole.moves)
    assert max(len(page.moves) for page in found) == 2


def test_games_in_pages(stub: PositionOracleStub) -> None:
    whole = stub.ListGames(catalog_pb2.ListGamesRequest(), timeout=30)
    found = list(pages(stub.ListGames, catalog_pb2.ListGamesRequest(page_size=3)))
    assert [info for page in found for info in page.games] == list(whole.games)
    assert {page.tables.version for page in found} == {whole.tables.version}


def test_a_line_in_pages(stub: PositionOracleStub) -> None:
    request = line_pb2.GetBestLineRequest(position=game_pb2.Position(text="chomp:5/5/5"))
    whole = stub.GetBestLine(request, timeout=30)
    assert whole.complete
    length = len(whole.plies)
    for size in (2, length - 1, length):
        first = line_pb2.GetBestLineRequest(position=request.position, page_size=size)
        found = list(pages(stub.GetBestLine, first))
        assert [ply for page in found for ply in page.plies] == list(whole.plies)
        assert len(found) == -(-length // size)  # no empty page after the last ply
        assert [page.complete for page in found] == [False] * (len(found) - 1) + [True]


@pytest.mark.parametrize("size", [1, 3, 5, 7])
def test_pages_of_a_line_end_with_the_longest_line(
    stub: PositionOracleStub, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (contract, line):
        monkeypatch.setattr(module, "MAX_PLIES", 5)
    request = line_pb2.GetBestLineRequest(position=of("chomp:9/8/7"), page_size=size)
    found = list(pages(stub.GetBestLine, request))
    assert sum(len(page.plies) for page in found) == 5
    assert not found[-1].complete


def test_chances_in_pages(stub: PositionOracleStub) -> None:
    position = game_pb2.Position(text="nim:[2,3,4]")
    turns = chance_pb2.GetTurnsRequest(position=position)
    whole = list(stub.GetTurns(turns, timeout=30).distribution)
    turns.page_size = 3
    found = list(pages(stub.GetTurns, turns))
    assert [chance for page in found for chance in page.distribution] == whole
    best = chance_pb2.GetWinProbabilityRequest(position=position, model="perfect-vs-random")
    response = stub.GetWinProbability(best, timeout=30)
    best.page_size = 1
    parts = list(pages(stub.GetWinProbability, best))
    assert [move for page in parts for move in page.best_moves] == list(response.best_moves)
    assert {page.probability.best_move_count for page in parts} == {len(response.best_moves)}


def test_estimates_in_pages(stub: PositionOracleStub) -> None:
    game = game_pb2.Game(text="chomp3")
    request = geometry_pb2.GetEstimatesRequest(game=game, opening=10**7, page_size=64)
    whole = stub.GetEstimates(request, timeout=60)
    request.page_size = 4
    found = list(pages(stub.GetEstimates, request))
    candidates = [each for page in found for each in page.candidates]
    assert candidates == list(whole.candidates)
    assert [len(page.candidates) for page in found] == [4, 2]
    assert found[0].rest > found[1].rest == whole.rest


def test_a_page_larger_than_the_server_takes_is_cut(stub: PositionOracleStub) -> None:
    """A page of moves of 64 heaps has as many moves as fit in two million characters."""
    text = f"nim:[{','.join(['100'] * 64)}]"
    first = stub.AnalyzePosition(ask(text, page_size=2**31 - 1), timeout=60)
    assert 4000 < len(first.moves) < 6400
    assert first.next_page_token


def test_the_smallest_page_is_small(stub: PositionOracleStub) -> None:
    """The length of a response depends only on its page and the text of its position."""
    position = game_pb2.Position(text=f"nim:[{','.join([str(2**63 - 1)] * 64)}]")
    for name in ("ListWinningMoves", "AnalyzePosition", "GetBestLine", "GetTurns"):
        method = pb.DESCRIPTOR.services_by_name["PositionOracle"].methods_by_name[name]
        request: Any = GetMessageClass(method.input_type)(position=position, page_size=1)
        assert getattr(stub, name)(request, timeout=60).ByteSize() < 8192, name


def test_moves_say_how_they_are_made(stub: PositionOracleStub) -> None:
    (win,) = stub.AnalyzePosition(ask(MANY), timeout=30).moves
    (change,) = win.move.action.taking.heaps
    assert (change.heap, win.move.action.words) == (1, f"take {change.tokens} from heap 1")
    last = stub.AnalyzePosition(ask("chomp3:[0,0,2;1]"), timeout=30).moves[-1].move
    assert (last.action.bite.row, last.action.bite.column) == (1, 1)
    of_sum = "chomp3:[2,1,0] + nim:[3,5]"
    position = game_pb2.Position(text=of_sum)
    response = stub.ListWinningMoves(pb.ListWinningMovesRequest(position=position), timeout=30)
    (move,) = response.moves
    assert (move.action.component, move.action.taking.heaps[0].heap) == (1, 2)


def refused(
    call: Callable[..., Any],
    request: Any,
    code: grpc.StatusCode = grpc.StatusCode.INVALID_ARGUMENT,
) -> str:
    with pytest.raises(grpc.RpcError) as caught:
        call(request, timeout=30)
    assert caught.value.code() is code
    return str(caught.value.details())


def of(text: str) -> game_pb2.Position:
    return game_pb2.Position(text=text)


# For each call with pages: a request, and others for which its tokens are not valid.
CHOMP3 = game_pb2.Game(text="chomp3")
PAGED: dict[str, tuple[Any, ...]] = {
    "AnalyzePosition": (ask("nim:[9]"), ask("nim:[8]")),
    "ListWinningMoves": (
        pb.ListWinningMovesRequest(position=of("nim:[8,8,8,4,4,4]")),
        pb.ListWinningMovesRequest(position=of("nim:[8,8,8,5,5,5]")),
    ),
    "GetBestLine": (
        line_pb2.GetBestLineRequest(position=of("chomp:5/5/5")),
        line_pb2.GetBestLineRequest(position=of("chomp:5/5/4")),
    ),
    "GetTurns": (
        chance_pb2.GetTurnsRequest(position=of("nim:[2,3,4]")),
        chance_pb2.GetTurnsRequest(position=of("nim:[2,3,5]")),
    ),
    "GetWinProbability": tuple(
        chance_pb2.GetWinProbabilityRequest(position=of("nim:[2,2,2]"), model=model)
        for model in ("perfect-vs-random", "perfect-vs-sloppy(0.5)")
    ),
    "GetEstimates": tuple(
        geometry_pb2.GetEstimatesRequest(game=CHOMP3, opening=opening)
        for opening in (10**7, 10**7 + 1)
    ),
    "GetGeometry": (
        geometry_pb2.GetGeometryRequest(game=CHOMP3),
        geometry_pb2.GetGeometryRequest(game=game_pb2.Game(text="chomp3{passes=1}")),
    ),
    "ListGames": (catalog_pb2.ListGamesRequest(),),
}


def with_page(request: Any, **fields: Any) -> Any:
    copy = type(request)()
    copy.CopyFrom(request)
    for name, value in fields.items():
        setattr(copy, name, value)
    return copy


@pytest.fixture(scope="module")
def tokens(stub: PositionOracleStub) -> dict[str, str]:
    """Return the token of the second page of each paged call."""
    return {
        name: getattr(stub, name)(with_page(requests[0], page_size=1), timeout=30).next_page_token
        for name, requests in PAGED.items()
    }


def test_these_are_all_calls_with_pages(tokens: dict[str, str]) -> None:
    (service,) = service_pb2.DESCRIPTOR.services_by_name.values()
    paged = {m.name for m in service.methods if "page_token" in m.input_type.fields_by_name}
    assert paged == set(PAGED)
    assert all(tokens.values())


@pytest.mark.parametrize("name", PAGED)
@pytest.mark.parametrize("token", ["x", "A" * 32, "é", "=" * 32, "A" * 5000])
def test_invalid_tokens_are_refused(stub: PositionOracleStub, name: str, token: str) -> None:
    request = with_page(PAGED[name][0], page_token=token)
    assert "page_token" in refused(getattr(stub, name), request)


@pytest.mark.parametrize("name", PAGED)
def test_a_token_of_another_question_is_refused(
    stub: PositionOracleStub, tokens: dict[str, str], name: str
) -> None:
    """The token may come from another call, or from another question to the same call."""
    one, *others = PAGED[name]
    for of_call, token in tokens.items():
        if of_call != name:
            request = with_page(one, page_token=token)
            assert "question" in refused(getattr(stub, name), request)
    for other in others:
        request = with_page(other, page_token=tokens[name])
        assert "question" in refused(getattr(stub, name), request)


@pytest.mark.parametrize("name", PAGED)
def test_a_negative_size_is_refused(stub: PositionOracleStub, name: str) -> None:
    assert "page_size" in refused(getattr(stub, name), with_page(PAGED[name][0], page_size=-1))


@pytest.fixture(scope="module")
def without_tables() -> Iterator[PositionOracleStub]:
    with (
        running_server(Oracle()) as port,
        grpc.insecure_channel(f"127.0.0.1:{port}") as channel,
    ):
        yield PositionOracleStub(channel)


@pytest.mark.parametrize("name", sorted(PAGED.keys() - {"GetGeometry"}))  # this call needs tables
def test_a_token_of_other_tables_is_refused(
    stub: PositionOracleStub,
    without_tables: PositionOracleStub,
    tokens: dict[str, str],
    name: str,
) -> None:
    request = with_page(PAGED[name][0], page_token=tokens[name])
    assert getattr(stub, name)(request, timeout=30)
    message = refused(getattr(without_tables, name), request, grpc.StatusCode.ABORTED)
    assert "begin the list again" in message


def test_a_page_far_out_is_refused_for_its_cost(stub: PositionOracleStub) -> None:
    """Skipping moves takes time. The cost of a far page is known before the work."""
    version = stub.ListGames(catalog_pb2.ListGamesRequest(), timeout=30).tables.version
    text = "nim:[1000000000,5]"
    page = Page.read(f"moves {analysis_pb2.ANALYSIS_VIEW_FULL} {text}", ask(text), 1, 1)
    token = page.token(900_000_000, Tables(version))
    with pytest.raises(grpc.RpcError) as caught:
        stub.AnalyzePosition(ask(text, page_token=token), timeout=30)
    assert caught.value.code() is grpc.StatusCode.FAILED_PRECONDITION
