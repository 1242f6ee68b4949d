"""Octal and subtraction games, passes of heaps, and toads over a server: texts, forms, batches."""

import json
from pathlib import Path
from typing import Any

import grpc
import numpy as np
import pytest

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.position import Outcome
from position_oracle.engine.games.registry import rules_of
from position_oracle.oracle.core import Oracle
from position_oracle.schema.arrays import NO_MOVE, PASS_ONLY
from position_oracle.schema.messages.forms import fill_position, write_game
from position_oracle.schema.proto.position_oracle.v1 import game_pb2
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from position_oracle.schema.proto.position_oracle.v1.service_pb2_grpc import PositionOracleStub

GOLDEN = Path(__file__).parents[1] / "golden"
CASES = [
    case
    for name in ("11_octal", "12_subtraction", "13_passes", "14_toads")
    for case in map(json.loads, (GOLDEN / f"{name}.jsonl").read_text().splitlines()[::4])
]


def test_golden_cases_as_text(connect: Any, port: int) -> None:
    client = connect(port)
    for case in CASES:
        answer = client.winning_moves(case["position"], timeout=60)
        assert str(answer.outcome) == case["outcome"]
        assert {str(move) for move in answer.winning_moves} == set(case["winning_moves"])


def test_golden_cases_in_their_typed_form(port: int) -> None:
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        stub = PositionOracleStub(channel)
        for case in CASES:
            position = parse(case["position"])
            message = game_pb2.Position()
            fill_position(message, position)
            request = pb.ListWinningMovesRequest(position=message)
            response = stub.ListWinningMoves(request, timeout=30)
            assert response.answer.position.text == case["position"]
            assert response.answer.position == message
            moves = response.moves
            wins = {"pass" if move.action.HasField("pass") else move.child.text for move in moves}
            assert wins == set(case["winning_moves"])


def test_options_travel_as_a_map() -> None:
    game = parse("octal{code=0.77,heappass}:[3p]").game
    assert dict(write_game(game).spec.options) == {"code": "0.77", "heappass": ""}
    assert write_game(game).spec.family == "octal"
    game = parse("nim{take=1+3+4,misere}:[3]").game
    message = write_game(game).spec
    assert (message.family, dict(message.options), message.misere) == (
        "nim",
        {"take": "1+3+4"},
        True,
    )


def test_certificates_and_remoteness_come_over(connect: Any, port: int, oracle: Oracle) -> None:
    client = connect(port)
    for text in ("kayles:[1000000000000000,5]", "nim{max=3}:[9]", "toads:TT.FF;1"):
        here, there = oracle.analyze(text), client.analyze(text, timeout=60)
        assert there.answer.certificate == here.answer.certificate
        assert there.values == here.values
        assert there.as_json(50) == here.as_json(50)


BATCHES = [
    ("octal{code=0.77}", [[5, 7, 0], [3, 0, 0], [0, 0, 0], [4, 4, 0], [1, 2, 0]]),
    ("octal{code=0.77,passes=1}", [[5, 2, 0], [3, 0, 0], [1, 1, 0]]),
    ("octal{code=0.137,misere}", [[5, 2, 0], [3, 3, 0]]),
    ("nim{max=3}", [[10, 4], [4, 8], [2_000_000_000, 1]]),
    ("nim{take=1+3+4,misere}", [[10, 5], [0, 1]]),
    ("nim{take=2+5,passes=1}", [[9, 4], [7, 1]]),
    ("nim{heappass}", [[3, 1, 5, 0], [2, 1, 1, 0], [0, 0, 2, 1]]),
    ("octal{code=0.77,heappass}", [[3, 1, 0, 0], [2, 1, 0, 0]]),
    ("toads", [[1, 1, 0, 2, 2], [0, 1, 2, 0, 0]]),
    ("toads{passes=1}", [[1, 1, 0, 2, 2], [0, 0, 0, 0, 0]]),
    ("wythoff{heaps=2,passes=1}", [[1, 2], [3, 5]]),
    ("wythoff{heaps=2,misere}", [[1, 2], [3, 5]]),
    ("chomp{passes=1}", [[3, 2, 0], [2, 2, 2]]),
]


@pytest.mark.parametrize(("game", "rows"), BATCHES)
def test_a_batch_is_the_sum_of_its_rows(
    connect: Any, port: int, oracle: Oracle, game: str, rows: list[list[int]]
) -> None:
    client = connect(port)
    rules, spec = rules_of(parse_game(game).family), parse_game(game)
    outcomes = client.outcomes(game, rows, timeout=60)
    same, moves = client.winning_move_batch(game, rows, timeout=60)
    for number, row in enumerate(rows):
        answer = oracle.winning_moves(rules.position(spec, tuple(row)))
        assert outcomes[number] == same[number] == int(answer.outcome)
        move = moves[number].tolist()
        if answer.outcome is not Outcome.N or not answer.winning_moves:
            assert set(move) == {NO_MOVE}
        elif answer.winning_moves[0].is_pass:
            assert set(move) == {PASS_ONLY}
        else:
            child = answer.winning_moves[0].child.coordinates
            assert move == [*child, *[0] * (len(row) - len(child))]
    assert moves.dtype == np.int32


def test_children_that_do_not_fit_their_row_come_in_wider_rows(connect: Any, port: int) -> None:
    outcomes, moves = connect(port).winning_move_batch("octal{code=0.77}", [[5]])
    assert (outcomes.tolist(), moves.tolist()) == ([int(Outcome.N)], [[2, 2]])
