"""Games whose positions have ranks: compiled code lists the same moves as the rules."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.tree import tree_of
from position_oracle.engine.solvers import folds, ranked
from position_oracle.engine.solvers import graph as graphs
from position_oracle.engine.solvers.graph import Graph, build, ranked_of
from position_oracle.engine.solvers.ranked import Ranked
from position_oracle.engine.solvers.shape import heaps
from tests.reference.heaps_naive import NaiveHeaps

TEXTS = (
    "chomp:5/4/4/1",
    "chomp:4/3/2;2",
    "chomp{misere}:4/3;1",
    "chomp3:[2,3,4]",
    "chomp3:[2,1,2;1]",
    "chomp3:[0,0,9]",
    "nim:[3,5,5;2]",
    "nim:[0,4,4]",
    "nim{misere}:[2,3,3]",
    "wythoff:[5,9]",
    "wythoff{rule=both}:[3,4,6]",
    "wythoff{rule=pairs,misere}:[3,4,4;1]",
)


def graph(text: str) -> Graph[Any]:
    position = parse(text)
    tree = tree_of(position)
    return build(tree, tree.node(position), max_bound=float("inf"))


@pytest.mark.parametrize("text", TEXTS)
def test_graphs_are_those_of_the_rules(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranked, "MAX_PLAIN", -1)
    monkeypatch.setattr(ranked, "_STEP", 20)
    fast = graph(text)
    monkeypatch.setattr(graphs, "ranked_of", lambda *_: None)
    plain = graph(text)
    assert set(fast.number) == set(plain.number)
    assert len(fast.number) == fast.positions == plain.positions
    names, others = ({number: node for node, number in g.number.items()} for g in (fast, plain))
    for node, number in plain.number.items():
        place = fast.number[node]
        children = [names[child] for child in fast.children(place)]
        assert children == [others[child] for child in plain.children(number)]
        assert (fast.won[place], fast.gives_up[place]) == (
            plain.won[number],
            plain.gives_up[number],
        )
    assert names[fast.positions - 1] == others[plain.positions - 1]


def test_what_is_outside_has_no_number() -> None:
    number = graph("nim:[40,40,40;1]").number
    assert ((1, 2, 41), 0) not in number
    assert ((1, 2, 3), 2) not in number


def test_what_is_too_large_or_has_no_rows_has_no_ranks() -> None:
    for text in ("nim:[1000000000,1000000000]", "chomp:0", "kayles:[5]"):
        position = parse(text)
        tree = tree_of(position)
        assert ranked_of(tree, tree.node(position), 10**6) is None


@st.composite
def heap_games(draw: st.DrawFn) -> tuple[Ranked, NaiveHeaps]:
    """Heaps in any order, with declared positions."""
    count = draw(st.integers(1, 3))
    limits = draw(st.tuples(*[st.integers(0, 5)] * count))
    declared = draw(st.frozensets(st.tuples(*[st.integers(0, 5)] * count), max_size=3))
    sizes = tuple(sorted(draw(st.sets(st.integers(2, count), max_size=2)))) if count > 1 else ()
    naive = NaiveHeaps(sizes, declared, misere=draw(st.booleans()))
    lines: list[tuple[int, ...]] = [(heap,) for heap in range(count)]
    lines += [line for line in ((0, 1), (0, 2), (1, 2)) if 2 in sizes and max(line) < count]
    lines += [(0, 1, 2)] if 3 in sizes else []
    shape = heaps(limits, ordered=False)
    return Ranked(shape, tuple(lines), draw(st.integers(0, 2)), naive.misere, declared), naive


@settings(max_examples=60, deadline=None)
@given(heap_games(), st.booleans())
def test_folds_follow_the_rules(drawn: tuple[Ranked, NaiveHeaps], compiled: bool) -> None:
    game, naive = drawn
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranked, "MAX_PLAIN", -1 if compiled else 10**9)
        wins, plies, values = folds.wins(game), folds.remoteness(game), folds.grundy(game)
    levels = game.passes + 1
    assert len(wins) == game.positions == game.shape.count * levels
    for rank in range(game.shape.count):
        position = game.shape.unrank(rank)
        for passes in range(levels):
            number = rank * levels + passes
            assert wins[number] == naive.is_n(position, passes)
            assert plies[number] == naive.remoteness(position, passes)
            if not naive.misere and not naive.declared:
                assert values[number] == naive.grundy(position, passes)


def test_heaps_in_order_are_kept_once() -> None:
    ordered, every = heaps((7, 3, 3), ordered=True), heaps((3, 3, 7), ordered=False)
    rows = every.positions(0, every.count)
    places = ordered.ranks(rows)
    assert set(places.tolist()) == set(range(ordered.count))
    np.testing.assert_array_equal(places, ordered.ranks(rows[:, ::-1]))
