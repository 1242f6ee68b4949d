"""GetWinProbability and BatchGetWinProbabilities, as the contract has them."""

from fractions import Fraction

import grpc
import numpy as np
import pytest
from google.rpc.error_details_pb2 import BadRequest
from google.rpc.status_pb2 import Status

from position_oracle.engine.games.spec import GameSpec
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.families.sources import SLICE
from position_oracle.schema.proto.position_oracle.v1 import answer_pb2, chance_pb2, game_pb2
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from position_oracle.schema.proto.position_oracle.v1.game_pb2 import Game
from position_oracle.schema.proto.position_oracle.v1.service_pb2_grpc import PositionOracleStub
from tests.clock import PATIENCE


def asked(stub: PositionOracleStub, text: str, model: str) -> chance_pb2.GetWinProbabilityResponse:
    request = chance_pb2.GetWinProbabilityRequest(
        position=game_pb2.Position(text=text), model=model
    )
    return stub.GetWinProbability(request, timeout=60)


def ask(stub: PositionOracleStub, text: str, model: str) -> chance_pb2.WinProbability:
    return asked(stub, text, model).probability


def packed(positions: "np.typing.NDArray[np.int32]", game: str = "chomp3") -> pb.PackedPositions:
    coordinates = positions.astype("<i4").tobytes()
    return pb.PackedPositions(
        game=Game(text=game), width=positions.shape[1], coordinates=coordinates
    )


def test_exact_answers_travel_as_a_fraction(stub: PositionOracleStub) -> None:
    answer = ask(stub, " chomp3:[1, 1, 1]", "random")
    assert answer.position.text == "chomp3:[1,1,1]"
    assert answer.position.three_row_chomp == game_pb2.ThreeRowChomp(x=1, y=1, z=1)
    assert answer.model == "random"
    assert (answer.exact.numerator, answer.exact.denominator) == ("9", "20")
    assert answer.value == 0.45
    assert answer.certainty == answer_pb2.CERTAINTY_EXACT_SEARCH
    assert answer.method == chance_pb2.CHANCE_METHOD_EXACT
    assert answer.reason
    assert not answer.HasField("best_move_count")


def test_the_canonical_model_and_the_best_moves_come_back(stub: PositionOracleStub) -> None:
    response = asked(stub, "chomp:4/3", "perfect-vs-sloppy(1/10)")
    assert response.probability.model == "perfect-vs-sloppy(0.1)"
    moves = response.best_moves
    assert len(moves) == response.probability.best_move_count > 0
    assert moves[0].child.text.startswith("chomp:")
    again = chance_pb2.GetWinProbabilityRequest(position=moves[0].child, model="random")
    assert stub.GetWinProbability(again, timeout=PATIENCE).probability.HasField("value")


def test_floating_point_has_its_bound_and_no_fraction(stub: PositionOracleStub) -> None:
    answer = ask(stub, "chomp3:[60,50,30]", "random")
    assert answer.method == chance_pb2.CHANCE_METHOD_FLOATING_POINT
    assert not answer.HasField("exact")
    assert 0 < answer.error_bound < 1e-12


def test_not_known_is_an_answer(stub: PositionOracleStub) -> None:
    answer = ask(stub, "kayles:[100000000]", "random")
    assert answer.certainty == answer_pb2.CERTAINTY_UNKNOWN
    assert answer.method == chance_pb2.CHANCE_METHOD_UNKNOWN
    assert not answer.HasField("value")
    assert not answer.HasField("error_bound")
    assert answer.reason


@pytest.mark.parametrize("model", ["random", "perfect-vs-random", "sloppy(0.1)-vs-perfect"])
@pytest.mark.parametrize("count", [0, 1, 1000, SLICE + 1])
def test_batches_agree_with_the_oracle(
    stub: PositionOracleStub, oracle: Oracle, count: int, model: str
) -> None:
    positions = np.random.default_rng(count).integers(0, 110, (count, 3), dtype=np.int32)
    request = pb.BatchGetWinProbabilitiesRequest(positions=packed(positions), model=model)
    response = stub.BatchGetWinProbabilities(request, timeout=60)
    expected = oracle.win_probabilities(GameSpec("chomp3"), positions, model)
    assert np.array_equal(np.frombuffer(response.probabilities, "<f8"), expected, equal_nan=True)
    assert response.model == model
    assert response.error_bound == oracle.win_probability_error(model)


def test_a_batch_agrees_with_single_answers(stub: PositionOracleStub) -> None:
    positions = np.array([[1, 1, 1], [0, 0, 1], [0, 0, 0], [2, 0, 0]], np.int32)
    request = pb.BatchGetWinProbabilitiesRequest(positions=packed(positions), model="random")
    response = stub.BatchGetWinProbabilities(request, timeout=60)
    values = np.frombuffer(response.probabilities, "<f8").tolist()
    for (x, y, z), value in zip(positions.tolist(), values, strict=True):
        answer = ask(stub, f"chomp3:[{x},{y},{z}]", "random")
        exact = Fraction(int(answer.exact.numerator), int(answer.exact.denominator))
        assert abs(Fraction(value) - exact) <= Fraction(response.error_bound)


@pytest.mark.parametrize(
    ("text", "model", "code", "field"),
    [
        ("chomp3:[1,1,1]", "", grpc.StatusCode.INVALID_ARGUMENT, "model"),
        ("chomp3:[1,1,1]", "perfect", grpc.StatusCode.INVALID_ARGUMENT, "model"),
        ("chomp3:[1,1]", "random", grpc.StatusCode.INVALID_ARGUMENT, "position.text"),
    ],
)
def test_bad_questions(
    stub: PositionOracleStub, text: str, model: str, code: grpc.StatusCode, field: str | None
) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        ask(stub, text, model)
    assert caught.value.code() is code
    assert field_of(caught.value) == field


@pytest.mark.parametrize(
    ("game", "row", "model", "code", "field"),
    [
        ("chomp3", [1, 1, 1], "no", grpc.StatusCode.INVALID_ARGUMENT, "model"),
        (
            "chomp3",
            [1, -1, 1],
            "random",
            grpc.StatusCode.INVALID_ARGUMENT,
            "positions.coordinates",
        ),
    ],
)
def test_bad_batches(
    stub: PositionOracleStub,
    game: str,
    row: list[int],
    model: str,
    code: grpc.StatusCode,
    field: str | None,
) -> None:
    positions = packed(np.array([row], np.int32), game)
    request = pb.BatchGetWinProbabilitiesRequest(positions=positions, model=model)
    with pytest.raises(grpc.RpcError) as caught:
        stub.BatchGetWinProbabilities(request, timeout=PATIENCE)
    assert caught.value.code() is code
    assert field_of(caught.value) == field


def field_of(error: grpc.RpcError) -> str | None:
    """Return the field that the details of an error name, or None."""
    metadata = {entry.key: entry.value for entry in error.trailing_metadata()}
    status = Status.FromString(metadata["grpc-status-details-bin"])
    assert status.details
    violations = BadRequest()
    if any(detail.Unpack(violations) for detail in status.details):
        return str(violations.field_violations[0].field)
    return None
