"""Graphs from callers: children come first, moves keep their order, and cycles are named."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle.engine.solvers.given import graph_of
from position_oracle.schema.errors import InvalidPositionError


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]], list[bool]]:
    """Nodes under any names, with moves from later to earlier ones, some twice; and winners."""
    nodes = draw(st.integers(1, 12))
    name = draw(st.permutations(range(nodes)))
    pairs = draw(st.lists(st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1))))
    moves = [(name[max(pair)], name[min(pair)]) for pair in pairs if pair[0] != pair[1]]
    return nodes, moves, draw(st.lists(st.booleans(), min_size=nodes, max_size=nodes))


@given(graphs())
def test_the_graph_has_the_given_moves(
    drawn: tuple[int, list[tuple[int, int]], list[bool]],
) -> None:
    nodes, moves, won = drawn
    graph, number = graph_of(nodes, np.array(moves, np.int64).reshape(-1, 2), np.array(won))
    assert sorted(number.tolist()) == list(range(nodes))
    for node in range(nodes):
        place = int(number[node])
        assert graph.number[node] == place
        targets = [target for source, target in moves if source == node]
        assert graph.children(place) == [int(number[target]) for target in targets]
        assert all(child < place for child in graph.children(place))
        assert bool(graph.won[place]) == (won[node] and not targets)
    assert not graph.gives_up.any()


@pytest.mark.parametrize("length", [1, 2, 10, 11, 12, 30])
def test_a_cycle_is_named_from_its_first_node_to_the_same(length: int) -> None:
    """A node leads into it, and nodes of it lead out. A long one is shown in part."""
    out = length + 1
    moves = [(0, 1), *((n, n % length + 1) for n in range(1, length + 1)), (1, out), (0, out)]
    names = [f"n{n}" for n in [*range(1, length + 1), 1]]
    if len(names) > 12:
        names = [*names[:10], "...", *names[-2:]]
    with pytest.raises(InvalidPositionError) as caught:
        graph_of(length + 2, np.array(moves), np.zeros(length + 2, np.bool_), "n{}".format)
    assert str(caught.value) == f"play need not end: {' -> '.join(names)}"
