"""Values, series, lists of positions of any games, and graphs, over the network."""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import grpc
import numpy as np
import pytest
from google.rpc.error_details_pb2 import ErrorInfo

from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server import ServerSettings
from position_oracle.oracle.server.errors import FieldError
from position_oracle.oracle.server.requests import (
    MAX_COLUMNS,
    MAX_ESTIMATED,
    MAX_WINDOW_CELLS,
    read_columns,
    read_estimates_question,
    read_graph,
    read_series,
    read_window,
)
from position_oracle.schema.answerer import MAX_SERIES
from position_oracle.schema.errors import InvalidPositionError, ResourceLimitError
from position_oracle.schema.graphs import MAX_GRAPH_MOVES, MAX_NODES
from position_oracle.schema.positions import MAX_MIXED_POSITIONS
from position_oracle.schema.proto.position_oracle.v1 import (
    catalog_pb2,
    geometry_pb2,
    graph_pb2,
    sheet_pb2,
)
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from position_oracle.schema.proto.position_oracle.v1.answer_pb2 import OUTCOME_N, OUTCOME_P
from position_oracle.schema.proto.position_oracle.v1.game_pb2 import Game, HeapPosition, Position
from position_oracle.schema.proto.position_oracle.v1.service_pb2_grpc import PositionOracleStub
from tests.clock import PATIENCE, takes_at_most
from tests.serving import running_server

SETTINGS = ServerSettings(address="127.0.0.1:0")


def packed(game: str, rows: list[list[int]]) -> pb.PackedPositions:
    coordinates = np.array(rows, "<i4").tobytes()
    return pb.PackedPositions(game=Game(text=game), width=len(rows[0]), coordinates=coordinates)


def refused(call: Any, request: Any) -> tuple[str, str]:
    with pytest.raises(grpc.RpcError) as caught:
        call(request, timeout=30)
    return caught.value.code().name, caught.value.details() or ""


@pytest.mark.parametrize("kind", ["grundy", "remoteness"])
def test_values_are_those_of_the_oracle(
    stub: PositionOracleStub, oracle: Oracle, kind: Any
) -> None:
    rows = [[3, 5], [4, 4], [0, 0]]
    number = pb.ValueKind.Value(f"VALUE_KIND_{kind.upper()}")
    request = pb.BatchGetValuesRequest(positions=packed("nim", rows), kind=number)
    response = stub.BatchGetValues(request, timeout=30)
    assert (
        np.frombuffer(response.values, "<i8").tolist() == oracle.values("nim", rows, kind).tolist()
    )
    assert response.tables.version == oracle.tables().version


@pytest.mark.parametrize(
    ("game", "code"), [("chomp3", "OUT_OF_RANGE"), ("kayles", "FAILED_PRECONDITION")]
)
def test_sheets_beyond_the_tables_and_sheets_of_no_game(
    stub: PositionOracleStub, game: str, code: str
) -> None:
    losers = sheet_pb2.GetLosersRequest(game=Game(text=game), x=50_000, size_y=10)
    assert refused(stub.GetLosers, losers)[0] == code
    winners = sheet_pb2.GetInstantWinnersRequest(
        game=Game(text=game), x=50_000, size_y=10, size_z=10
    )
    assert refused(stub.GetInstantWinners, winners)[0] == code


def test_values_of_no_kind_are_refused(stub: PositionOracleStub) -> None:
    request = pb.BatchGetValuesRequest(positions=packed("nim", [[3, 5]]))
    code, says = refused(stub.BatchGetValues, request)
    assert (code, says.startswith("kind: ")) == ("INVALID_ARGUMENT", True)


def test_a_series_of_values(stub: PositionOracleStub) -> None:
    request = pb.GetValueSeriesRequest(game=Game(text="kayles"), first=1, size=12)
    values = np.frombuffer(stub.GetValueSeries(request, timeout=30).values, "<i8")
    assert values.tolist() == [1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4]  # Winning Ways, chapter 4


@pytest.mark.parametrize(
    ("first", "size", "field"),
    [
        (1, 0, "size"),
        (1, -3, "size"),
        (1, 1_000_001, "size"),
        (-1, 5, "first"),
        (2**31, 1, "first"),
    ],
)
def test_invalid_series_are_refused(
    stub: PositionOracleStub, first: int, size: int, field: str
) -> None:
    request = pb.GetValueSeriesRequest(game=Game(text="kayles"), first=first, size=size)
    code, says = refused(stub.GetValueSeries, request)
    assert (code, says.partition(":")[0]) == ("INVALID_ARGUMENT", field)


@pytest.mark.parametrize("size", [1, 2, MAX_SERIES, MAX_SERIES + 1])
@pytest.mark.parametrize("last", [0, 1, MAX_SERIES, 2**31 - 2, 2**31 - 1, 2**31])
def test_a_request_takes_every_series_that_the_oracle_takes(last: int, size: int) -> None:
    first = last - size + 1
    message = pb.GetValueSeriesRequest(game=Game(text="nim"), first=first, size=size)
    try:
        Oracle().plan("series", "nim", first, last)
    except (InvalidPositionError, ResourceLimitError):
        with pytest.raises(FieldError):
            read_series(message)
    else:
        assert read_series(message)[1:] == (first, last)


def losers(**numbers: int) -> sheet_pb2.GetLosersRequest:
    return sheet_pb2.GetLosersRequest(game=Game(text="nim"), **numbers)


def window(**numbers: int) -> sheet_pb2.GetInstantWinnersRequest:
    return sheet_pb2.GetInstantWinnersRequest(game=Game(text="nim"), **numbers)


def column(**numbers: int) -> geometry_pb2.GetEstimatesRequest:
    asked = geometry_pb2.SheetColumn(**({"x": 1, "y": 0} | numbers))
    return geometry_pb2.GetEstimatesRequest(column=asked)


LARGEST_INT32 = 2**31 - 1
LIMITS: list[tuple[Callable[[Any], object], Callable[[int], Any], int, int]] = [
    (read_columns, lambda n: losers(x=n), 0, LARGEST_INT32),
    (read_columns, lambda n: losers(first_y=n), 0, LARGEST_INT32),
    (read_columns, lambda n: losers(size_y=n), 0, MAX_COLUMNS),
    (read_window, lambda n: window(x=n), 0, LARGEST_INT32),
    (read_window, lambda n: window(first_y=n), 0, LARGEST_INT32),
    (read_window, lambda n: window(first_z=n), 0, LARGEST_INT32),
    (read_window, lambda n: window(size_y=n), 0, MAX_WINDOW_CELLS),
    (read_window, lambda n: window(size_z=n), 0, MAX_WINDOW_CELLS),
    (read_window, lambda n: window(size_y=n, size_z=2), 0, MAX_WINDOW_CELLS // 2),
    (read_estimates_question, lambda n: column(x=n), 1, MAX_ESTIMATED),
    (read_estimates_question, lambda n: column(y=n), 0, MAX_ESTIMATED),
    (
        read_estimates_question,
        lambda n: geometry_pb2.GetEstimatesRequest(opening=n),
        2,
        MAX_ESTIMATED,
    ),
]


@pytest.mark.parametrize(("read", "request_of", "least", "most"), LIMITS)
def test_the_least_and_the_largest_number_of_a_request_are_read(
    read: Callable[[Any], object], request_of: Callable[[int], Any], least: int, most: int
) -> None:
    for number in (least, most):
        read(request_of(number))
    for number in (least - 1, most + 1):
        try:
            asked = request_of(number)
        except ValueError:  # protocol buffers have no such number
            continue
        with pytest.raises(FieldError):
            read(asked)


def reason_of(result: pb.PositionResult) -> str:
    info = ErrorInfo()
    assert result.error.details[0].Unpack(info)
    return str(info.reason)


def test_positions_of_any_games_are_answered_or_refused_on_their_own(
    stub: PositionOracleStub,
) -> None:
    positions = [
        Position(text="nim:[3,5,7]"),
        Position(text="chomp:2/3"),
        Position(text="go:[1]"),
        Position(),
        Position(heaps=HeapPosition(sizes=[4, 4]), game=Game(text="nim")),
        Position(text="kayles:[7] + chomp3:[2,1,0]"),
    ]
    response = stub.BatchGetAnswers(pb.BatchGetAnswersRequest(positions=positions), timeout=30)
    found = [
        result.answer.outcome if result.HasField("answer") else reason_of(result)
        for result in response.results
    ]
    assert found[:5] == [
        OUTCOME_N,
        "INVALID_POSITION",
        "UNKNOWN_GAME",
        "INVALID_REQUEST",
        OUTCOME_P,
    ]
    single = stub.GetOutcome(pb.GetOutcomeRequest(position=positions[5]), timeout=30)
    assert response.results[5].answer == single.answer
    assert response.results[1].error.message.startswith("positions[1].text: ")


def test_a_thousand_mixed_positions_come_in_one_request(stub: PositionOracleStub) -> None:
    games = ("nim:[{},5]", "kayles:[{}]", "wythoff:[{},9]", "chomp3:[{},1,1]", "wrong:[{}]")
    positions = [Position(text=games[n % 5].format(n % 100)) for n in range(1000)]
    request = pb.BatchGetAnswersRequest(positions=positions)
    results = stub.BatchGetAnswers(request, timeout=30).results
    assert [result.HasField("answer") for result in results] == [n % 5 != 4 for n in range(1000)]


def test_an_expensive_position_is_refused_alone() -> None:
    settings = replace(SETTINGS, call_seconds=0.05)
    large = "chomp:" + "12/" * 11 + "11"
    positions = [Position(text="nim:[3,5]"), Position(text=large)]
    with (
        running_server(Oracle(), settings) as port,
        grpc.insecure_channel(f"127.0.0.1:{port}") as channel,
    ):
        call = PositionOracleStub(channel).BatchGetAnswers
        results = call(pb.BatchGetAnswersRequest(positions=positions), timeout=60).results
    assert results[0].answer.outcome == OUTCOME_N
    assert reason_of(results[1]) == "TOO_EXPENSIVE"


def test_too_many_positions_are_refused(stub: PositionOracleStub) -> None:
    positions = [Position()] * (MAX_MIXED_POSITIONS + 1)
    code, says = refused(stub.BatchGetAnswers, pb.BatchGetAnswersRequest(positions=positions))
    assert (code, says) == (
        "INVALID_ARGUMENT",
        "positions: has 10001 positions; the limit is 10000",
    )


def test_the_limits_are_announced(stub: PositionOracleStub) -> None:
    limits = stub.ListGames(catalog_pb2.ListGamesRequest(), timeout=30).limits
    assert limits.mixed_positions == MAX_MIXED_POSITIONS
    assert limits.series_values == 1_000_000
    assert limits.graph_nodes == MAX_NODES
    assert limits.graph_moves == MAX_GRAPH_MOVES


GRAPH = graph_pb2.SolveGraphRequest(move_from=[0, 0, 1, 2], move_to=[1, 2, 3, 3])
"""Two paths of two moves each from 0 to 3."""


def test_a_graph_is_solved(stub: PositionOracleStub) -> None:
    found = stub.SolveGraph(GRAPH, timeout=60)
    assert list(found.outcomes) == [OUTCOME_P, OUTCOME_N, OUTCOME_N, OUTCOME_P]
    assert list(found.grundy) == [0, 1, 1, 0]
    assert list(found.remoteness) == [2, 1, 1, 0]
    assert list(found.random_chances) == [0, 1, 1, 0]
    assert list(found.perfect_chances) == [0, 1, 1, 0]


def test_a_graph_in_misere_play_and_with_results(stub: PositionOracleStub) -> None:
    misere = graph_pb2.SolveGraphRequest(play=graph_pb2.GAME_PLAY_MISERE)
    misere.MergeFrom(GRAPH)
    found = stub.SolveGraph(misere, timeout=60)
    assert list(found.outcomes) == [OUTCOME_N, OUTCOME_P, OUTCOME_P, OUTCOME_N]
    assert not found.grundy
    given = graph_pb2.SolveGraphRequest(n_nodes=[3], node_count=5)
    given.MergeFrom(GRAPH)
    found = stub.SolveGraph(given, timeout=60)
    assert list(found.outcomes) == [OUTCOME_N, OUTCOME_P, OUTCOME_P, OUTCOME_N, OUTCOME_P]


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"move_from": [0, 1], "move_to": [1, 0]}, "0 -> 1 -> 0"),
    ({"move_from": [0], "move_to": [7], "node_count": 3}, "nodes are numbered 0 to 2"),
    ({"move_from": [0], "move_to": []}, "move_from has 1"),
    ({"move_from": [-1], "move_to": [0]}, "move_from: has node -1; nodes are numbered 0 to 0"),
    ({"move_from": [0], "move_to": [1], "n_nodes": [0]}, "n_nodes: has node 0, which has moves"),
    ({"node_count": 2, "p_nodes": [2]}, "p_nodes: has node 2; nodes are numbered 0 to 1"),
    ({"node_count": 2, "play": 7}, "play: is 7; allowed are GAME_PLAY_UNSPECIFIED"),
    ({"move_from": [0], "move_to": [1], "n_nodes": [1], "p_nodes": [1]}, "node 1"),
    ({}, "no node"),
    ({"node_count": -4}, "node_count: is -4; it may not be negative"),
]


@pytest.mark.parametrize(("fields", "says"), WRONG)
def test_invalid_graphs_are_refused(
    stub: PositionOracleStub, fields: dict[str, Any], says: str
) -> None:
    code, message = refused(stub.SolveGraph, graph_pb2.SolveGraphRequest(**fields))
    assert (code, says in message) == ("INVALID_ARGUMENT", True)


def test_more_nodes_than_are_solved_are_refused(stub: PositionOracleStub) -> None:
    request = graph_pb2.SolveGraphRequest(node_count=MAX_NODES + 1)
    code, message = refused(stub.SolveGraph, request)
    assert code == "INVALID_ARGUMENT"
    assert f"node_count: is {MAX_NODES + 1}; the limit is {MAX_NODES}" in message


def test_more_moves_than_are_solved_are_refused() -> None:
    """The limit holds also if the server accepts longer messages than by default."""
    many = [1] * (MAX_GRAPH_MOVES + 1)
    with pytest.raises(FieldError, match=f"the limit is {MAX_GRAPH_MOVES}") as caught:
        read_graph(graph_pb2.SolveGraphRequest(move_from=many, move_to=many))
    assert caught.value.field == "move_from"


@pytest.mark.slow
def test_a_hundred_thousand_moves_take_a_second(stub: PositionOracleStub) -> None:
    chance = np.random.default_rng(3)
    starts = chance.integers(1, 30_000, 100_000)
    ends = (starts * chance.random(100_000)).astype(int)
    request = graph_pb2.SolveGraphRequest(move_from=starts.tolist(), move_to=ends.tolist())
    assert len(stub.SolveGraph(request, timeout=PATIENCE).outcomes) == 30_000
    solve = partial(stub.SolveGraph, request, timeout=PATIENCE)
    assert takes_at_most(1.0, solve, clock=time.process_time)
