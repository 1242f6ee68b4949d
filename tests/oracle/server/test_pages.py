"""Lists in pages: every item once, in one order; tokens fit one question and its tables."""

from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest

from position_oracle.engine.games.moves import children
from position_oracle.engine.games.notation import parse
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server import running_server
from position_oracle.oracle.server.paging import Page
from position_oracle.schema.answers import Tables
from position_oracle.schema.proto.position_oracle.v1 import analysis_pb2, game_pb2
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from position_oracle.schema.proto.position_oracle.v1.service_pb2_grpc import PositionOracleStub

MANY = "nim:[7000,6500,300]"
"""13,800 moves, of which one wins."""


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


@pytest.mark.parametrize(("size", "count"), [(0, 3), (5000, 4)])
def test_all_moves_of_a_large_position_come_once(
    stub: PositionOracleStub, size: int, count: int
) -> None:
    """Winning ones first, on a page of their own; the others in the order of the rules."""
    found = list(pages(stub.AnalyzePosition, ask(MANY, page_size=size)))
    texts = [[move.child_text for move in page.moves] for page in found]
    (win,) = (move.child_text for move in found[0].winning_moves.moves)
    assert len(found) == count
    assert texts[0] == [win]
    assert [text for page in texts[1:] for text in page] == [
        text for text in legal(MANY) if text != win
    ]
    assert not any(page.complete for page in found)
    assert all(page.answer == found[0].answer for page in found)


@pytest.mark.parametrize("size", [1, 4, 10, 11])
def test_pages_of_a_small_position_are_its_list_in_pieces(
    stub: PositionOracleStub, size: int
) -> None:
    text = "chomp3:[1,2,3]"
    whole = stub.AnalyzePosition(ask(text), timeout=30)
    assert (whole.complete, whole.next_page_token, len(whole.moves)) == (True, "", 10)
    found = list(pages(stub.AnalyzePosition, ask(text, page_size=size)))
    assert len(found) == -(-10 // size)
    assert [move for page in found for move in page.moves] == list(whole.moves)
    assert [page.complete for page in found] == [size >= 10] * len(found)


def test_a_large_position_without_a_winning_move(stub: PositionOracleStub) -> None:
    text = "nim:[6000,6000]"
    found = list(pages(stub.AnalyzePosition, ask(text)))
    assert not found[0].moves
    assert [move.child_text for page in found for move in page.moves] == legal(text)


def test_winning_moves_in_pages(stub: PositionOracleStub) -> None:
    position = game_pb2.Position(text="nim:[8,8,8,4,4,4]")
    whole = stub.ListWinningMoves(pb.ListWinningMovesRequest(position=position), timeout=30)
    assert len(whole.winning_moves.moves) > 2
    assert whole.next_page_token == ""
    request = pb.ListWinningMovesRequest(position=position, page_size=2)
    found = list(pages(stub.ListWinningMoves, request))
    moves = [move for page in found for move in page.winning_moves.moves]
    assert moves == list(whole.winning_moves.moves)
    assert max(len(page.winning_moves.moves) for page in found) == 2


def test_games_in_pages(stub: PositionOracleStub) -> None:
    whole = stub.ListGames(pb.ListGamesRequest(), timeout=30)
    found = list(pages(stub.ListGames, pb.ListGamesRequest(page_size=3)))
    assert [info for page in found for info in page.games] == list(whole.games)
    assert {page.tables.version for page in found} == {whole.tables.version}


def test_moves_say_how_they_are_made(stub: PositionOracleStub) -> None:
    (win,) = stub.AnalyzePosition(ask(MANY), timeout=30).winning_moves.moves
    (change,) = win.action.taking.heaps
    assert (change.heap, win.action.words) == (1, f"take {change.tokens} from heap 1")
    move = stub.AnalyzePosition(ask("chomp3:[0,0,2;1]"), timeout=30).moves[-1]
    assert (move.action.bite.row, move.action.bite.column) == (1, 1)
    of_sum = "chomp3:[2,1,0] + nim:[3,5]"
    position = game_pb2.Position(text=of_sum)
    response = stub.ListWinningMoves(pb.ListWinningMovesRequest(position=position), timeout=30)
    (win,) = response.winning_moves.moves
    assert (win.component, win.action.taking.heaps[0].heap) == (1, 2)


def refused(call: Callable[..., Any], request: Any) -> str:
    with pytest.raises(grpc.RpcError) as caught:
        call(request, timeout=30)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    return str(caught.value.details())


@pytest.mark.parametrize("token", ["x", "A" * 32, "é", "=" * 32, "A" * 5000])
def test_what_is_no_token_is_refused(stub: PositionOracleStub, token: str) -> None:
    assert "page_token" in refused(stub.AnalyzePosition, ask("nim:[3]", page_token=token))
    assert "page_token" in refused(stub.ListGames, pb.ListGamesRequest(page_token=token))


def test_a_token_of_another_question_is_refused(stub: PositionOracleStub) -> None:
    token = stub.AnalyzePosition(ask("nim:[9]", page_size=2), timeout=30).next_page_token
    assert "question" in refused(stub.AnalyzePosition, ask("nim:[8]", page_token=token))
    position = game_pb2.Position(text="nim:[9]")
    winning = pb.ListWinningMovesRequest(position=position, page_token=token)
    assert "question" in refused(stub.ListWinningMoves, winning)


def test_a_negative_size_is_refused(stub: PositionOracleStub) -> None:
    assert "page_size" in refused(stub.ListGames, pb.ListGamesRequest(page_size=-1))


def test_a_token_of_other_tables_is_refused(stub: PositionOracleStub) -> None:
    token = stub.AnalyzePosition(ask("nim:[9]", page_size=2), timeout=30).next_page_token
    with (
        running_server(Oracle()) as port,
        grpc.insecure_channel(f"127.0.0.1:{port}") as channel,
    ):
        other = PositionOracleStub(channel)
        message = refused(other.AnalyzePosition, ask("nim:[9]", page_token=token))
    assert "begin the list again" in message


def test_a_page_far_out_is_refused_for_its_price(stub: PositionOracleStub) -> None:
    """Skipping moves takes time: what would take too long is known before."""
    version = stub.ListGames(pb.ListGamesRequest(), timeout=30).tables.version
    text = "nim:[1000000000,5]"
    page = Page.read(f"moves of {text}", 0, "")
    token = page.token(900_000_000, Tables(version))
    with pytest.raises(grpc.RpcError) as caught:
        stub.AnalyzePosition(ask(text, page_token=token), timeout=30)
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


def test_a_page_of_too_many_numbers_is_refused(stub: PositionOracleStub) -> None:
    """5,000 moves of 64 heaps are 320,000 numbers; 3,000 are 192,000, and are sent."""
    text = f"nim:[{','.join(['100'] * 64)}]"
    with pytest.raises(grpc.RpcError) as caught:
        stub.AnalyzePosition(ask(text, page_size=5000), timeout=60)
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "5000 moves of 64 numbers" in (caught.value.details() or "")
    assert len(stub.AnalyzePosition(ask(text, page_size=3000), timeout=60).moves) == 3000
