"""Bounds on positions, which admit a search, are never too small; actions are counted."""

import sys
from itertools import chain, islice, zip_longest
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle.engine.games import choices, divisors, nodekayles, solid, transfinite
from position_oracle.engine.games.moves import children
from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.registry import FAMILIES, rules_of
from position_oracle.engine.games.rules import EndlessError, HullRules
from position_oracle.engine.games.tree import is_of_words, tree_of, words_of
from position_oracle.engine.games.unordered import UnorderedHeaps
from position_oracle.engine.solvers.graph import build
from position_oracle.schema.errors import ResourceLimitError
from tests.engine.games.test_actions import STARTS

MORE = (
    "chomp:3x3x2;1",
    "divisors:2^4*3^4;1",
    "divisors:2^2*3^2 + chomp:2x2x2",
    "misere{divisors:2^2*3^2 + kayles:[5]}",
    "transfinite:2x2x2;2",
    "nim{declared=[1,2,3,4,5]}:[5,5,5,5,5]",
    "nim{declared=[0,1,3]}:[4,4,4;1]",
    "wythoff{rule=all,declared=[0,1,3]}:[4,4,4]",
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
    arrays = (graph.first, graph.child, graph.gives_up, graph.won)
    for array in arrays:
        assert getattr(array.base, "nbytes", 0) <= 2 * array.nbytes
    held = sum(array.nbytes for array in arrays)
    if isinstance(graph.number, dict):
        held += sys.getsizeof(graph.number) + sum(map(sys.getsizeof, graph.number))
    assert held <= graph.nbytes <= 3 * held


@pytest.mark.parametrize("text", ["kayles:[17]", "divisors:2^2*3*5", "chomp:9/9/9/9", "nim:[30,9]"])
def test_a_graph_as_large_as_allowed_is_built(text: str) -> None:
    """Node by node, by sets of cookies, or by compiled code; one position or move more is not."""
    tree = tree_of(parse(text))
    node = tree.node(parse(text))
    graph = build(tree, node)
    positions, moves = graph.positions, graph.moves
    again = build(tree, node, max_positions=positions, max_moves=moves, max_bound=inf)
    assert again.child.tolist() == graph.child.tolist()
    with pytest.raises(ResourceLimitError, match=f"more than {positions - 1:,} positions"):
        build(tree, node, max_positions=positions - 1, max_bound=inf)
    with pytest.raises(ResourceLimitError, match=f"more than {moves - 1:,} moves"):
        build(tree, node, max_moves=moves - 1, max_bound=inf)


FEW = 1_000


@pytest.mark.parametrize(
    "text", [*chain(*STARTS.values()), *MORE, "moore{k=3}:[0,2,3,1,4]", "moore{k=9}:[2,2]"]
)
def test_actions_are_counted(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few are counted exactly. Many are counted up to a limit, and may be as many as allowed."""
    position = parse(text)
    value, game, rules = position.value, position.game, rules_of(position.game.family)
    try:
        number = len(list(islice(rules.actions(value, game), FEW)))
    except EndlessError:
        assert rules.count(value, game, FEW) == FEW
        return
    assert rules.count(value, game, 2) == min(number, 2)
    if number < FEW:
        assert rules.count(value, game, 5 * FEW) == number
    for module in (choices, divisors, nodekayles, solid, transfinite):
        monkeypatch.setattr(module, "MAX_COUNTED", 4)
    for most in (3, 4, 5, number, number + 1):
        assert min(most, number) <= rules.count(value, game, most) <= most


def test_too_many_positions_of_a_poset_are_not_listed() -> None:
    tree = tree_of(parse("divisors:2*3*5*7*11*13"))  # 7,828,354, by Dedekind
    node = tree.node(parse("divisors:2*3*5*7*11*13"))
    assert is_of_words(tree)
    assert tree.bound(node) == inf
    with pytest.raises(ResourceLimitError, match="more than 524,288"):
        words_of(tree.kept, node)


HULLS = [family for family in FAMILIES if isinstance(rules_of(family), HullRules)]


@pytest.mark.parametrize("family", HULLS)
def test_play_from_the_hull_reaches_each_position(family: str) -> None:
    """Heaps without order may not be reached, but are no larger than those of the hull."""
    rules = rules_of(family)
    assert isinstance(rules, HullRules)
    for start in map(parse, STARTS[family]):
        group = list(islice(children(start), 0, 60, 7))
        group = [each for each in group if each.game == group[0].game]
        hull = rules.hull(group)
        assert (hull is None) == (family.endswith("_heap_pass") or bool(start.game.declared))
        if hull is None:
            continue
        if isinstance(rules, UnorderedHeaps):
            heaps = [each.value[::-1] for each in group]
            largest = tuple(max(column) for column in zip_longest(*heaps, fillvalue=0))
            assert hull.value[::-1] == largest
            continue
        tree = tree_of(hull)
        reached = build(tree, tree.node(hull)).number
        assert all(tree.node(each) in reached for each in group)


@pytest.mark.parametrize("counted", [1, 3, 1_000])
@given(st.sets(st.tuples(st.integers(1, 8), st.integers(1, 8)), min_size=1))
def test_independent_sets_of_vertices_are_not_more_than_the_bound(
    counted: int, pairs: set[tuple[int, int]]
) -> None:
    """Few are counted; more are bounded by cliques."""
    vertices, closed = nodekayles._closed(tuple(vertex for pair in pairs for vertex in pair))
    sets = sum(
        all(not chosen & closed[bit] & ~(1 << bit) for bit in nodekayles._bits(chosen))
        for chosen in range(1 << len(vertices))
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nodekayles, "MAX_COUNTED", counted)
        bound = nodekayles._independent_sets(closed, (1 << len(vertices)) - 1)
    assert bound >= sets
    assert counted < 1_000 or bound == sets
