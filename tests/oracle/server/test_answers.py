"""The service gives the same answers as the oracle."""

from datetime import timedelta

import grpc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Outcome
from position_oracle.engine.games.registry import FAMILIES
from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.families.sources import SLICE
from position_oracle.oracle.server.requests import read_game, read_position
from position_oracle.schema.messages.forms import fill_position, write_game
from position_oracle.schema.proto.position_oracle.v1 import answer_pb2, catalog_pb2, game_pb2
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from position_oracle.schema.proto.position_oracle.v1.game_pb2 import Game
from position_oracle.schema.proto.position_oracle.v1.service_pb2_grpc import PositionOracleStub
from tests.clock import PATIENCE

GAMES = [
    "chomp3",
    "chomp3{passes=2}",
    "chomp3{declared=[1,6,7]+[10,2,8]}",
    "chomp3{noise=normal(8),seed=7}",
]

coordinate = st.integers(0, 2**63 - 1)


def texts_of(moves: pb.ListWinningMovesResponse) -> list[str]:
    return [move.child.text for move in moves.moves]


def test_a_text_is_answered_with_all_that_is_known(stub: PositionOracleStub) -> None:
    request = pb.GetOutcomeRequest(position=game_pb2.Position(text=" chomp3:[4, 3, 2;1]"))
    answer = stub.GetOutcome(request, timeout=PATIENCE).answer
    assert answer.position.text == "chomp3:[4,3,2;1]"
    assert answer.position.three_row_chomp == game_pb2.ThreeRowChomp(x=4, y=3, z=2)
    assert answer.position.game.text == "chomp3{passes=1}"
    assert answer.position.game.spec == game_pb2.GameSpec(family="chomp3", passes=1)
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
        game=Game(spec=game_pb2.GameSpec(family="chomp3", passes=passes)),
    )
    position = parse(f"chomp3:[{x},{y},{z};{passes}]")
    expected = oracle.winning_moves(position)
    response = stub.ListWinningMoves(pb.ListWinningMovesRequest(position=typed), timeout=PATIENCE)
    assert int(response.answer.outcome) == int(expected.outcome)
    assert response.answer.position.text == str(position)
    assert expected.winning_moves is not None
    assert texts_of(response) == [str(m.child) for m in expected.winning_moves]


def test_a_winning_move_can_be_sent_back_as_a_question(stub: PositionOracleStub) -> None:
    start = game_pb2.Position(text="chomp3:[120,7,3;1]")
    moves = stub.ListWinningMoves(pb.ListWinningMovesRequest(position=start), timeout=PATIENCE)
    assert moves.moves
    for move in moves.moves:
        answer = stub.GetOutcome(pb.GetOutcomeRequest(position=move.child), timeout=PATIENCE).answer
        assert answer.outcome == answer_pb2.OUTCOME_P
        assert answer.position.text == move.child.text


def test_a_winning_pass_is_a_move(stub: PositionOracleStub, oracle: Oracle) -> None:
    texts = (f"chomp3:[{x},{y},1;1]" for x in range(6) for y in range(6))
    winning = ((text, oracle.winning_moves(text).winning_moves) for text in texts)
    text = next(text for text, moves in winning if moves and moves[-1].is_pass)
    request = pb.ListWinningMovesRequest(position=game_pb2.Position(text=text))
    move = stub.ListWinningMoves(request, timeout=PATIENCE).moves[-1]
    assert move.action.HasField("pass")
    assert move.child.text == text.replace(";1", "")


def test_boards_are_answered_in_their_own_form(stub: PositionOracleStub) -> None:
    board = game_pb2.Position(chomp_board=game_pb2.ChompBoard(rows=[9, 7, 4]))
    response = stub.ListWinningMoves(pb.ListWinningMovesRequest(position=board), timeout=PATIENCE)
    assert response.answer.position.text == "chomp:9/7/4"
    assert response.answer.position.chomp_board == board.chomp_board
    assert "chomp:9/7/2" in texts_of(response)


@pytest.mark.parametrize("text", ["chomp3:[100000,7,3]", "chomp:" + "999/" * 20 + "998"])
def test_unknown_is_an_answer(stub: PositionOracleStub, text: str) -> None:
    request = pb.ListWinningMovesRequest(position=game_pb2.Position(text=text))
    response = stub.ListWinningMoves(request, timeout=PATIENCE)
    assert response.answer.outcome == answer_pb2.OUTCOME_UNKNOWN
    assert response.answer.certainty == answer_pb2.CERTAINTY_UNKNOWN
    assert response.answer.reason
    assert not response.HasField("winning_move_count")


def test_an_outcome_may_be_known_without_the_move(stub: PositionOracleStub) -> None:
    rectangle = game_pb2.Position(chomp_board=game_pb2.ChompBoard(rows=[999] * 20))
    request = pb.ListWinningMovesRequest(position=rectangle)
    response = stub.ListWinningMoves(request, timeout=PATIENCE)
    assert response.answer.outcome == answer_pb2.OUTCOME_N
    assert response.answer.certainty == answer_pb2.CERTAINTY_THEOREM
    assert not response.HasField("winning_move_count")


@pytest.mark.parametrize("count", [0, 1, 1000, SLICE, SLICE + 1, 100_000])
def test_batches_agree_with_the_oracle(
    stub: PositionOracleStub, oracle: Oracle, count: int
) -> None:
    positions = np.random.default_rng(count).integers(0, 320, (count, 3), dtype=np.int32)
    packed = pb.PackedPositions(
        game=Game(text="chomp3"), width=3, coordinates=positions.astype("<i4").tobytes()
    )
    outcomes = stub.BatchGetOutcomes(pb.BatchGetOutcomesRequest(positions=packed), timeout=30)
    moves = stub.BatchGetWinningMoves(pb.BatchGetWinningMovesRequest(positions=packed), timeout=30)
    expected, children = oracle.winning_move_batch(GameSpec("chomp3"), positions)
    assert outcomes.outcomes == moves.outcomes == expected.tobytes()
    has_child = children[:, 0] >= 0
    wins = np.where(has_child[:, np.newaxis], children, 0)
    assert moves.children == wins.astype("<i4").tobytes()
    assert (np.frombuffer(moves.moves, np.uint8)[has_child] == pb.BATCH_MOVE_CHILD).all()


def test_batches_know_the_pass(stub: PositionOracleStub) -> None:
    x, y = (axis.ravel() for axis in np.mgrid[0:6, 0:6])
    positions = np.stack((x, y, np.ones_like(x)), axis=1).astype("<i4")
    game = Game(spec=game_pb2.GameSpec(family="chomp3", passes=1))
    packed = pb.PackedPositions(game=game, width=3, coordinates=positions.tobytes())
    response = stub.BatchGetWinningMoves(
        pb.BatchGetWinningMovesRequest(positions=packed), timeout=PATIENCE
    )
    outcomes = np.frombuffer(response.outcomes, np.uint8)
    only_pass = np.frombuffer(response.moves, np.uint8) == pb.BATCH_MOVE_PASS
    assert only_pass.any()
    assert (outcomes[only_pass] == Outcome.N).all()


def test_games_come_with_their_provenance(stub: PositionOracleStub) -> None:
    listed = stub.ListGames(catalog_pb2.ListGamesRequest(), timeout=PATIENCE).games
    names = [info.game.text for info in listed]
    assert names == sorted(set(names))
    games = {info.game.text: info for info in listed}
    (sheets,) = (each for each in games["chomp3"].sources if each.build.kind == "sheets")
    assert {limit.quantity: limit.most for limit in sheets.limits.limits} == {"x": 300}
    assert sheets.build.checksum
    assert sheets.build.start_time.seconds > 0
    assert sheets.build.duration.ToTimedelta() > timedelta(0)
    assert sheets.build.environment.versions["python"]
    assert games["chomp3{passes=1}"].game.spec.passes == 1


def test_every_game_has_its_rules_in_words(stub: PositionOracleStub) -> None:
    for info in stub.ListGames(catalog_pb2.ListGamesRequest(), timeout=PATIENCE).games:
        assert info.title
        if info.game.spec.family not in FAMILIES:  # a user's game, which other tests add
            continue
        assert info.rules.endswith(".")
        assert info.loses_when
        assert info.sources
        question = pb.GetOutcomeRequest(position=info.example)
        answer = stub.GetOutcome(question, timeout=PATIENCE).answer
        assert answer.outcome == answer_pb2.OUTCOME_N
        assert answer.position.game.spec.family == info.game.spec.family


MOVES = [
    ("chomp", [[1, 0], [0, 0], [2, 1], [2, 2]], "NONE NONE NONE CHILD"),
    ("nim{misere}", [[0, 0], [1, 0], [2, 0]], "NONE NONE CHILD"),
    ("octal{code=0.07,misere}", [[1, 0], [2, 0]], "NONE NONE"),
    ("chomp3", [[100_000, 3, 4], [0, 0, 5]], "UNKNOWN CHILD"),
    ("chomp3{passes=1}", [[0, 0, 0], [0, 1, 1]], "NONE PASS"),
]
"""The description of the winning move at each position; in some positions the game is over."""


@pytest.mark.parametrize(("game", "rows", "said"), MOVES)
def test_a_byte_says_which_move_wins(
    stub: PositionOracleStub, game: str, rows: list[list[int]], said: str
) -> None:
    packed = pb.PackedPositions(
        game=Game(text=game), width=len(rows[0]), coordinates=np.array(rows, "<i4").tobytes()
    )
    request = pb.BatchGetWinningMovesRequest(positions=packed)
    response = stub.BatchGetWinningMoves(request, timeout=PATIENCE)
    names = [pb.BatchMove.Name(number) for number in response.moves]  # type: ignore[arg-type]
    assert names == [f"BATCH_MOVE_{word}" for word in said.split()]
    for name, child in zip(
        names, np.frombuffer(response.children, "<i4").reshape(len(rows), -1), strict=True
    ):
        assert name == "BATCH_MOVE_CHILD" or not child.any()


@pytest.mark.parametrize("text", ["nim:[3,5,7]", "chomp:1", "chomp:0", "chomp3:[4,3,2;1]"])
def test_the_best_move_is_that_of_the_oracle(
    stub: PositionOracleStub, oracle: Oracle, text: str
) -> None:
    request = pb.GetBestMoveRequest(position=game_pb2.Position(text=text))
    response = stub.GetBestMove(request, timeout=PATIENCE)
    expected = oracle.best_move(text)
    assert response.HasField("move") == (expected is not None)
    if expected is not None:
        assert response.move.child.text == str(expected.child)
        assert expected.action is not None
        assert response.move.action.words == expected.action.words


SAME = [
    game_pb2.Position(text="kayles:[7]", game=Game(text="octal{code=0.77}")),
    game_pb2.Position(
        text="nim:[3,5]", heaps=game_pb2.HeapPosition(sizes=[3, 5]), game=Game(text="nim")
    ),
    game_pb2.Position(
        heaps=game_pb2.HeapPosition(sizes=[7]),
        game=Game(text="kayles", spec=game_pb2.GameSpec(family="kayles")),
    ),
    game_pb2.Position(
        heaps=game_pb2.HeapPosition(sizes=[7]),
        game=Game(spec=game_pb2.GameSpec(family="octal", options={"code": "0.77"})),
    ),
]


@pytest.mark.parametrize("position", SAME, ids=str)
def test_forms_that_agree_stand_beside_each_other(
    stub: PositionOracleStub, position: game_pb2.Position
) -> None:
    first = stub.GetOutcome(pb.GetOutcomeRequest(position=position), timeout=PATIENCE).answer
    again = stub.GetOutcome(pb.GetOutcomeRequest(position=first.position), timeout=PATIENCE).answer
    assert again == first


@pytest.mark.parametrize("text", GAMES)
def test_a_typed_game_is_read_back(text: str) -> None:
    game = parse_game(text)
    assert read_game(write_game(game)) == game


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
    calls = [stub.ListWinningMoves.future(request, timeout=PATIENCE) for request in requests]
    answers = [call.result() for call in calls]
    assert [answer.answer.position.text for answer in answers] == texts
    assert {len(answer.moves) for answer in answers} == {1}


def test_a_call_the_contract_does_not_have_is_unimplemented(port: int) -> None:
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
            "/position_oracle.v1.PositionOracle/Solve"
        )
        with pytest.raises(grpc.RpcError) as caught:
            call(b"", timeout=PATIENCE)
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
