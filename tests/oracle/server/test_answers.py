"""What the service answers is what the oracle answers."""

import grpc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.notation import format_position, parse
from position_oracle.engine.games.position import Outcome
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.families.sources import SLICE
from position_oracle.oracle.server.requests import read_game, read_position
from position_oracle.schema.messages.forms import fill_position, write_game
from position_oracle.schema.proto.position_oracle.v1 import answer_pb2, game_pb2
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from position_oracle.schema.proto.position_oracle.v1.service_pb2_grpc import PositionOracleStub

GAMES = [
    "chomp3",
    "chomp3{passes=2}",
    "chomp3{declared=[1,6,7]+[10,2,8]}",
    "chomp3{noise=normal(8),seed=7}",
]

coordinate = st.integers(0, 2**63 - 1)


def texts_of(moves: pb.ListWinningMovesResponse) -> list[str]:
    return [move.child_text for move in moves.winning_moves.moves]


def test_a_text_is_answered_with_all_that_is_known(stub: PositionOracleStub) -> None:
    request = pb.GetOutcomeRequest(position=game_pb2.Position(text=" chomp3:[4, 3, 2;1]"))
    answer = stub.GetOutcome(request, timeout=10).answer
    assert answer.position_text == "chomp3:[4,3,2;1]"
    assert answer.position.three_row_chomp == game_pb2.ThreeRowChomp(x=4, y=3, z=2)
    assert answer.position.game == game_pb2.GameSpec(family="chomp3", passes=1)
    assert answer.outcome == answer_pb2.OUTCOME_N
    assert answer.certainty == answer_pb2.CERTAINTY_EXACT_TABLE
    assert "chomp3{passes=1}" in answer.reason


@given(x=st.integers(0, 300), y=coordinate, z=st.integers(0, 2**61), passes=st.integers(0, 1))
def test_typed_positions_are_answered_like_texts(
    stub: PositionOracleStub, oracle: Oracle, x: int, y: int, z: int, passes: int
) -> None:
    y = min(y, 2**62)
    typed = game_pb2.Position(
        three_row_chomp=game_pb2.ThreeRowChomp(x=x, y=y, z=z),
        game=game_pb2.GameSpec(family="chomp3", passes=passes),
    )
    position = parse(f"chomp3:[{x},{y},{z};{passes}]")
    expected = oracle.winning_moves(position)
    response = stub.ListWinningMoves(pb.ListWinningMovesRequest(position=typed), timeout=10)
    assert int(response.answer.outcome) == int(expected.outcome)
    assert response.answer.position_text == format_position(position)
    assert expected.winning_moves is not None
    assert texts_of(response) == [format_position(m.child) for m in expected.winning_moves]


def test_a_winning_move_can_be_sent_back_as_a_question(stub: PositionOracleStub) -> None:
    start = game_pb2.Position(text="chomp3:[120,7,3;1]")
    moves = stub.ListWinningMoves(pb.ListWinningMovesRequest(position=start), timeout=10)
    assert moves.winning_moves.moves
    for move in moves.winning_moves.moves:
        answer = stub.GetOutcome(pb.GetOutcomeRequest(position=move.child), timeout=10).answer
        assert answer.outcome == answer_pb2.OUTCOME_P
        assert answer.position_text == move.child_text


def test_a_winning_pass_is_a_move(stub: PositionOracleStub, oracle: Oracle) -> None:
    texts = (f"chomp3:[{x},{y},1;1]" for x in range(6) for y in range(6))
    winning = ((text, oracle.winning_moves(text).winning_moves) for text in texts)
    text = next(text for text, moves in winning if moves and moves[-1].is_pass)
    request = pb.ListWinningMovesRequest(position=game_pb2.Position(text=text))
    move = stub.ListWinningMoves(request, timeout=10).winning_moves.moves[-1]
    assert move.is_pass
    assert move.child_text == text.replace(";1", "")


def test_boards_are_answered_in_their_own_form(stub: PositionOracleStub) -> None:
    board = game_pb2.Position(chomp_board=game_pb2.ChompBoard(rows=[9, 7, 4]))
    response = stub.ListWinningMoves(pb.ListWinningMovesRequest(position=board), timeout=10)
    assert response.answer.position_text == "chomp:9/7/4"
    boards = [list(move.child.chomp_board.rows) for move in response.winning_moves.moves]
    assert [9, 7, 2] in boards
    assert texts_of(response) == ["chomp:" + "/".join(map(str, rows)) for rows in boards]


@pytest.mark.parametrize("text", ["chomp3:[100000,7,3]", "chomp:" + "999/" * 20 + "998"])
def test_unknown_is_an_answer(stub: PositionOracleStub, text: str) -> None:
    request = pb.ListWinningMovesRequest(position=game_pb2.Position(text=text))
    response = stub.ListWinningMoves(request, timeout=10)
    assert response.answer.outcome == answer_pb2.OUTCOME_UNKNOWN
    assert response.answer.certainty == answer_pb2.CERTAINTY_UNKNOWN
    assert response.answer.reason
    assert not response.HasField("winning_moves")


def test_an_outcome_may_be_known_without_the_move(stub: PositionOracleStub) -> None:
    rectangle = game_pb2.Position(chomp_board=game_pb2.ChompBoard(rows=[999] * 20))
    request = pb.ListWinningMovesRequest(position=rectangle)
    response = stub.ListWinningMoves(request, timeout=10)
    assert response.answer.outcome == answer_pb2.OUTCOME_N
    assert response.answer.certainty == answer_pb2.CERTAINTY_THEOREM
    assert not response.HasField("winning_moves")


@pytest.mark.parametrize("count", [0, 1, 1000, SLICE, SLICE + 1, 100_000])
def test_batches_agree_with_the_oracle(
    stub: PositionOracleStub, oracle: Oracle, count: int
) -> None:
    positions = np.random.default_rng(count).integers(0, 320, (count, 3), dtype=np.int32)
    packed = pb.PackedPositions(
        game_text="chomp3", width=3, coordinates=positions.astype("<i4").tobytes()
    )
    outcomes = stub.BatchGetOutcomes(pb.BatchGetOutcomesRequest(positions=packed), timeout=30)
    moves = stub.BatchGetWinningMoves(pb.BatchGetWinningMovesRequest(positions=packed), timeout=30)
    expected, children = oracle.winning_move_batch(GameSpec("chomp3"), positions)
    assert outcomes.outcomes == moves.outcomes == expected.tobytes()
    assert moves.children == children.astype("<i4").tobytes()


def test_batches_know_the_pass(stub: PositionOracleStub) -> None:
    x, y = (axis.ravel() for axis in np.mgrid[0:6, 0:6])
    positions = np.stack((x, y, np.ones_like(x)), axis=1).astype("<i4")
    game = game_pb2.GameSpec(family="chomp3", passes=1)
    packed = pb.PackedPositions(game=game, width=3, coordinates=positions.tobytes())
    response = stub.BatchGetWinningMoves(
        pb.BatchGetWinningMovesRequest(positions=packed), timeout=10
    )
    children = np.frombuffer(response.children, "<i4").reshape(-1, 3)
    outcomes = np.frombuffer(response.outcomes, np.uint8)
    only_pass = (children == -2).all(axis=1)
    assert only_pass.any()
    assert (outcomes[only_pass] == Outcome.N).all()


def test_games_come_with_their_provenance(stub: PositionOracleStub) -> None:
    listed = stub.ListGames(pb.ListGamesRequest(), timeout=10).games
    names = [game.game_text for game in listed]
    assert names == sorted(names)
    games = {game.game_text: game for game in listed if game.build.kind == "sheets"}
    assert games["chomp3"].limit == 300
    assert games["chomp3"].build.checksum
    assert games["chomp3"].build.start_time.seconds > 0
    assert games["chomp3{passes=1}"].game.passes == 1


@pytest.mark.parametrize("text", GAMES)
def test_a_typed_game_is_read_back(text: str) -> None:
    game = parse_game(text)
    assert read_game(write_game(game), "game") == game


@given(rows=st.lists(st.integers(1, 2**63 - 1), max_size=8))
def test_a_typed_board_is_read_back(rows: list[int]) -> None:
    rows.sort(reverse=True)
    position = parse("chomp:" + ("/".join(map(str, rows)) or "0"))
    message = game_pb2.Position()
    fill_position(message, position)
    assert read_position(message) == position


def test_calls_in_parallel_do_not_disturb_each_other(stub: PositionOracleStub) -> None:
    texts = [f"chomp3:[{x},0,0]" for x in range(1, 201)]
    requests = [pb.ListWinningMovesRequest(position=game_pb2.Position(text=t)) for t in texts]
    calls = [stub.ListWinningMoves.future(request, timeout=10) for request in requests]
    answers = [call.result() for call in calls]
    assert [answer.answer.position_text for answer in answers] == texts
    assert {len(answer.winning_moves.moves) for answer in answers} == {1}


def test_a_call_the_contract_does_not_have_is_unimplemented(port: int) -> None:
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
            "/position_oracle.v1.PositionOracle/Solve"
        )
        with pytest.raises(grpc.RpcError) as caught:
            call(b"", timeout=10)
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
