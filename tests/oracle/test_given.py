"""Graphs given by callers as arrays: outcomes, values, remoteness and chances of every node."""

import json
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle.engine.games.given import read_given
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.given import solve
from position_oracle.schema.answers import Outcome
from position_oracle.schema.errors import (
    ArrayTypeError,
    InvalidPositionError,
    ResourceLimitError,
)
from position_oracle.schema.graphs import MAX_NODES
from tests.clock import takes_at_most

NODES = 9
PAIRS = st.lists(
    st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1)).filter(lambda p: p[0] != p[1]),
    max_size=20,
)


@given(
    PAIRS,
    st.permutations(range(NODES)),
    st.booleans(),
    st.dictionaries(st.integers(0, NODES - 1), st.sampled_from([Outcome.N, Outcome.P]), max_size=3),
)
def test_every_node_has_the_numbers_of_the_definition(
    pairs: list[tuple[int, int]], names: list[int], misere: bool, given_results: dict[int, Outcome]
) -> None:
    """Moves lead from larger to smaller numbers; then the nodes get other numbers."""
    moves = [(names[max(pair)], names[min(pair)]) for pair in pairs]
    children: dict[int, list[int]] = {node: [] for node in range(NODES)}
    for parent, child in moves:
        children[parent].append(child)
    results = {node: each for node, each in given_results.items() if not children[node]}

    @cache
    def wins(node: int) -> bool:
        if children[node]:
            return any(not wins(child) for child in children[node])
        return results[node] is Outcome.N if node in results else misere

    @cache
    def plies(node: int) -> int:
        after = [child for child in children[node] if not wins(child)]
        if after:
            return 1 + min(map(plies, after))
        return 1 + max(map(plies, children[node])) if children[node] else 0

    @cache
    def value(node: int) -> int:
        values = {value(child) for child in children[node]}
        return next(each for each in range(NODES + 1) if each not in values)

    @cache
    def chance(node: int, perfect: bool, to_move: bool) -> float:
        """Return the chance of the player to move, `perfect` or not, against a random player.

        `to_move` says whether the perfect player is to move.
        """
        if not children[node]:
            return float(wins(node))
        after = [1 - chance(child, perfect, not to_move) for child in children[node]]
        return max(after) if perfect and to_move else sum(after) / len(after)

    found = Oracle().solve_graph(
        np.array(moves, np.int64).reshape(-1, 2), nodes=NODES, results=results, misere=misere
    )
    nodes = range(NODES)
    assert found.outcomes.tolist() == [2 if wins(node) else 1 for node in nodes]
    assert found.remoteness.tolist() == [plies(node) for node in nodes]
    assert np.allclose(found.random, [chance(node, False, True) for node in nodes])
    assert np.allclose(found.perfect, [chance(node, True, True) for node in nodes])
    if misere or results:
        assert found.grundy is None
    else:
        assert found.grundy is not None
        assert found.grundy.tolist() == [value(node) for node in nodes]


def test_graphs_that_are_refused() -> None:
    oracle = Oracle()
    with pytest.raises(InvalidPositionError, match=r"play need not end: 1 -> 2 -> 4 -> 1"):
        oracle.solve_graph([[0, 1], [1, 2], [2, 3], [2, 4], [4, 1]])
    with pytest.raises(InvalidPositionError, match=r"move 1 is \[1, 3\]; nodes .* 0 to 2"):
        oracle.solve_graph([[0, 1], [1, 3]], nodes=3)
    with pytest.raises(InvalidPositionError, match=r"allowed is \(m, 2\)"):
        oracle.solve_graph([[0, 1, 2]])
    with pytest.raises(InvalidPositionError, match="node 0, which has moves"):
        oracle.solve_graph([[0, 1]], results={0: Outcome.N})
    with pytest.raises(InvalidPositionError, match="node 7, which is not there"):
        oracle.solve_graph([[0, 1]], results={7: Outcome.N})
    with pytest.raises(InvalidPositionError, match="not N or P"):
        oracle.solve_graph([[0, 1]], results={1: Outcome.UNKNOWN})
    with pytest.raises(InvalidPositionError, match="node 1 is 'N', not N or P"):
        oracle.solve_graph([[0, 1]], results={1: "N"})  # type: ignore[dict-item]
    with pytest.raises(InvalidPositionError, match="no node"):
        oracle.solve_graph([])
    with pytest.raises(ResourceLimitError, match="1,000,000"):
        oracle.solve_graph([[0, MAX_NODES]])
    with pytest.raises(ArrayTypeError, match="moves"):
        oracle.solve_graph([[0.5, 1]])


def test_results_may_be_the_numbers_of_outcomes() -> None:
    results: dict[int, Any] = {1: 2, 2: np.uint8(1)}
    assert Oracle().solve_graph([[0, 1]], nodes=3, results=results).outcomes.tolist() == [1, 2, 1]


@pytest.mark.parametrize(
    "given",
    [(10**5000,), "9" * 5000, [[1], [2]], np.arange(99), None],
    ids=["number", "text", "list", "array", "nothing"],
)
def test_a_wrong_result_is_told_in_one_short_line(given: Any) -> None:
    with pytest.raises(InvalidPositionError, match=r"the result of node 1 is .{1,60}, not N or P$"):
        Oracle().solve_graph([[0, 1]], results={1: given})


def test_a_node_without_moves_is_a_graph() -> None:
    assert Oracle().solve_graph([], nodes=1).outcomes.tolist() == [Outcome.P]
    assert Oracle().solve_graph([], nodes=1, misere=True).outcomes.tolist() == [Outcome.N]


def test_a_long_path_and_many_moves_take_what_they_cost() -> None:
    oracle, nodes = Oracle(), 50_000
    path = np.stack((np.arange(1, nodes), np.arange(nodes - 1)), axis=1)
    moves = np.concatenate((path, path[1:] - [0, 1], path[1:]))
    oracle.solve_graph(moves)  # loads the kernels
    plan = oracle.plan("solve_graph", moves)
    found = plan.run()
    assert takes_at_most(3 * plan.cost.seconds, plan.run)
    assert found.outcomes[:6].tolist() == [1, 2, 2, 1, 2, 2]
    assert found.grundy is not None
    assert found.grundy[:6].tolist() == [0, 1, 2, 0, 1, 2]


def test_facts_of_a_named_node_are_those_of_its_number() -> None:
    """The nodes are not in the order of play."""
    moves = {"c": ["a", "b", "e"], "e": ["a"], "a": [], "d": ["c", "e"], "b": ["e"]}
    names = list(moves)
    pairs = [(names.index(one), names.index(other)) for one in moves for other in moves[one]]
    found = Oracle().solve_graph(np.array(pairs), nodes=len(names))
    assert found.grundy is not None
    for number, facts in enumerate(solve(read_given(json.dumps({"moves": moves})))):
        assert facts.name == names[number]
        assert (facts.random, facts.perfect) == (found.random[number], found.perfect[number])
        assert facts.exact is not None
        assert float(facts.exact) == pytest.approx(facts.random)
        numbers = facts.outcome, facts.remoteness, facts.grundy
        assert numbers == (found.outcomes[number], found.remoteness[number], found.grundy[number])
        wins = [each for each in moves[facts.name] if found.outcomes[names.index(each)] == 1]
        assert list(facts.winning_moves) == wins
    assert len({*found.random.tolist(), *found.perfect.tolist()}) > 4
