"""Values, series, lists of positions of any games, and graphs, from both clients."""

import time
from collections.abc import Callable
from itertools import repeat
from typing import Any

import numpy as np
import pytest

from position_oracle import (
    Answer,
    InvalidQuestionError,
    OracleClientError,
    Outcome,
    ServerLimitError,
    UnknownGameError,
    rules,
)
from position_oracle.oracle.core import Oracle
from tests.clients.conftest import Connect
from tests.clock import takes_at_most

TEXTS = ["nim:[3,5]", "chomp3:[4,3,2]", "kayles:[5,5]", "chomp:3/2 + nim:[2]", "toads:TT.FF"]


@pytest.fixture
def asked(connect: Connect, port: int) -> Any:
    return connect(port, timeout=60)


@pytest.mark.parametrize("kind", ["grundy", "remoteness"])
def test_values_are_those_of_an_oracle(asked: Any, oracle: Oracle, kind: Any) -> None:
    for game, rows in {
        "nim": [[3, 5, 6], [7, 7], [2**31 - 1]],
        "chomp3": [[4, 3, 2], [0, 0, 1], [0, 0, 0]],
        "kayles": [[5], [2, 9, 40]],
    }.items():
        expected = oracle.values(game, rows, kind)
        found = asked.values(game, rows, kind)
        assert (found.tolist(), found.dtype) == (expected.tolist(), np.int64)


def test_values_of_many_rows_take_several_requests(
    connect: Connect, port: int, oracle: Oracle
) -> None:
    rows = np.random.default_rng(3).integers(0, 99, (50, 3))
    client = connect(port, batch_positions=7)
    assert client.values("nim", rows).tolist() == oracle.values("nim", rows).tolist()


def test_series(asked: Any, oracle: Oracle) -> None:
    found = asked.series("kayles", 5, 300)
    assert found.tolist() == oracle.series("kayles", 5, 300).tolist()
    assert asked.series("nim", 7, 7).tolist() == [7]


def test_lists_of_positions_of_any_games(asked: Any, oracle: Oracle) -> None:
    given = [*TEXTS, rules.position("nim", (1, 2)), "nim:[", "go:[1]", "nim:[3,5]"]
    found = asked.answers(given)
    for text, answer in zip([*TEXTS, "nim:[1,2]"], found, strict=False):
        assert isinstance(answer, Answer)
        alone = asked.outcome(text)
        assert answer == alone
        assert answer.outcome is oracle.outcome(text).outcome
    broken, unknown, again = found[-3:]
    assert isinstance(broken, InvalidQuestionError)
    assert isinstance(unknown, UnknownGameError)
    assert isinstance(unknown, OracleClientError)
    assert unknown.code == "NOT_FOUND"
    assert again == found[0]
    assert asked.answers([]) == ()


def test_a_graph_is_solved_as_by_an_oracle(asked: Any, oracle: Oracle) -> None:
    moves = [[4, 3], [4, 1], [3, 2], [2, 1], [2, 0], [2, 0]]
    for options in (
        {},
        {"misere": True},
        {"nodes": 7},
        {"results": {0: Outcome.N, 1: Outcome.P}},
    ):
        found = asked.solve_graph(moves, **options)
        expected = oracle.solve_graph(moves, **options)
        for name in ("outcomes", "remoteness", "random", "perfect", "grundy"):
            mine, other = getattr(found, name), getattr(expected, name)
            assert (mine is None) == (other is None), name
            assert mine is None or (mine.tolist(), mine.dtype) == (other.tolist(), other.dtype)


def test_graphs_and_lists_that_are_refused(asked: Any) -> None:
    with pytest.raises(InvalidQuestionError, match="0 -> 1 -> 0"):
        asked.solve_graph([[0, 1], [1, 0]])
    with pytest.raises(InvalidQuestionError, match="n_nodes: has node 0, which has moves"):
        asked.solve_graph([[0, 1]], results={0: Outcome.N})
    with pytest.raises(InvalidQuestionError, match="node_count: is 2000000; the limit is 1000000"):
        asked.solve_graph([[0, 1]], nodes=2_000_000)
    with pytest.raises(InvalidQuestionError, match="there is no node"):
        asked.solve_graph([[0, 1]], nodes=0)
    with pytest.raises(ServerLimitError, match="the answer has 18000000 bytes or more"):
        asked.solve_graph([[0, 1]], nodes=1_000_000)  # before it is solved


REFUSED: list[Callable[[Any], object]] = [
    lambda asked: asked.solve_graph([[0.5, 1]]),
    lambda asked: asked.solve_graph([[0, 1, 2]]),
    lambda asked: asked.solve_graph([[0, 1]], nodes=2**40),
    lambda asked: asked.solve_graph([[0, 1]], results={1: Outcome.UNKNOWN}),
    lambda asked: asked.answers([3]),
    lambda asked: asked.answers(3),
    lambda asked: asked.answers(repeat("nim:[1]")),
    lambda asked: asked.series("nim", 3, 1),
    lambda asked: asked.series("nim", "x", 1),
    lambda asked: asked.series("nim", 0, 2**70),
    lambda asked: asked.values("nim", [[3]], "outcome"),
]


@pytest.mark.parametrize("ask", REFUSED, ids=range(len(REFUSED)))
def test_arguments_that_are_refused(asked: Any, ask: Callable[[Any], object]) -> None:
    with pytest.raises(OracleClientError):
        ask(asked)


@pytest.mark.slow
def test_a_thousand_positions_and_a_hundred_thousand_moves_in_one_request(asked: Any) -> None:
    texts = [
        f"{game}:[{a},{b}]"
        for a in range(1, 26)
        for b in range(1, 11)
        for game in ("nim", "kayles", "wythoff", "euclid")
    ]
    assert len(asked.answers(texts)) == len(texts) == 1000
    assert takes_at_most(5.0, lambda: asked.answers(texts), clock=time.process_time)
    nodes = np.random.default_rng(1).integers(0, 20_000, (100_000, 2))
    moves = np.stack((nodes.max(axis=1) + 1, nodes.min(axis=1)), axis=1)
    assert takes_at_most(5.0, lambda: asked.solve_graph(moves), clock=time.process_time)
