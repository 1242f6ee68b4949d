"""The bound on the positions of a game, which admits a search, is never too small."""

from itertools import chain

import pytest

from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.tree import tree_of
from position_oracle.engine.solvers.graph import build
from position_oracle.schema.errors import ResourceLimitError
from tests.engine.games.test_actions import STARTS

MORE = (
    "chomp:3x3x2;1",
    "divisors:2^4*3^4;1",
    "divisors:2^2*3^2 + chomp:2x2x2",
    "misere{divisors:2^2*3^2 + kayles:[5]}",
    "transfinite:2x2x2;2",
)


@pytest.mark.parametrize("text", [*chain(*STARTS.values()), *MORE])
def test_play_comes_to_no_more_positions_than_the_bound(text: str) -> None:
    position = parse(text)
    try:
        tree = tree_of(position)
        node = tree.node(position)
        graph = build(tree, node, max_positions=20_000, max_moves=200_000, max_bound=float("inf"))
    except ResourceLimitError:
        pytest.skip("larger than what is searched here")
    bound = tree.bound(node)
    if bound:  # 0 marks rules without a bound
        assert bound >= graph.positions
    if tree.bound_is_exact:
        assert bound >= graph.positions >= bound / 2


@pytest.mark.parametrize(
    "text", ["nim:[30,30,30]", "chomp:9/9/9/9;1", "kayles:[17]", "divisors:2^2*3"]
)
def test_a_graph_holds_no_more_memory_than_it_says(text: str) -> None:
    """Caches count its bytes. A part of an array would hold the whole array."""
    tree = tree_of(parse(text))
    graph = build(tree, tree.node(parse(text)))
    for array in (graph.first, graph.child, graph.gives_up, graph.won):
        assert getattr(array.base, "nbytes", 0) <= 2 * array.nbytes
