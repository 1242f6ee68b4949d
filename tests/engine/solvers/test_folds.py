"""Folds over graphs equal their definitions, also with passes, declared positions and misere."""

from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.games.notation import parse
from position_oracle.engine.games.tree import (
    Tree,
    plain_tree,
    sum_tree,
    tree_of,
    with_declared,
    with_passes,
)
from position_oracle.engine.solvers import folds
from position_oracle.engine.solvers import graph as graphs
from position_oracle.engine.solvers.graph import Graph, build
from position_oracle.schema.errors import ResourceLimitError
from tests.reference.game_naive import NaiveGame

TENTH = Fraction(1, 10)


def from_lists(moves: Sequence[Sequence[int]], won: list[bool]) -> Graph[int]:
    """Make a graph from lists of children: each position is a number, its children are smaller."""
    degrees = np.array([len(children) for children in moves])
    return Graph(
        {number: number for number in range(len(moves))},
        np.concatenate(([0], np.cumsum(degrees))),
        np.array([child for children in moves for child in children], np.int32),
        np.zeros(len(moves), np.bool_),
        np.array(won, np.bool_) & (degrees == 0),
    )


@st.composite
def games(draw: st.DrawFn) -> list[tuple[int, ...]]:
    """Draw lists of children, all smaller than their position; a child may occur twice."""
    count = draw(st.integers(1, 12))
    return [
        tuple(draw(st.lists(st.integers(0, number - 1), max_size=5))) if number else ()
        for number in range(count)
    ]


def naive(moves: list[tuple[int, ...]], won: frozenset[int]) -> NaiveGame:
    return NaiveGame(dict(enumerate(moves)), frozenset(won))


def check(graph: Graph[Any], number: dict[int, Hashable], game: NaiveGame) -> None:
    """Compare every fold at every position with its definition."""
    wins, values = folds.wins(graph), folds.grundy(graph)
    plies = folds.remoteness(graph)
    random = folds.exact_random_chance(graph)
    near, turns = folds.random_chance(graph), folds.expected_turns(graph)
    for epsilon in (Fraction(1), TENTH):
        loss, risk = folds.exact_perfect_chances(graph, epsilon)
        floats = folds.perfect_chances(graph, float(epsilon))
        for place, position in number.items():
            assert 1 - loss[place] == game.perfect(position, epsilon)
            assert risk[place] == game.fallible(position, epsilon)
            bound = folds.error_bound(graph) + 1e-15
            assert floats[0][place] == pytest.approx(float(loss[place]), abs=bound)
            assert floats[1][place] == pytest.approx(float(risk[place]), abs=bound)
    for place, position in number.items():
        assert wins[place] == game.wins(position)
        assert values[place] == game.grundy(position)
        assert plies[place] == game.remoteness(position)
        assert random[place] == game.random(position)
        assert near[place] == pytest.approx(float(random[place]), abs=1e-12)
        mean = sum(turn * chance for turn, chance in enumerate(game.turns(position)))
        assert turns[place] == pytest.approx(float(mean))


@given(games(), st.sets(st.integers(0, 11)))
def test_folds_are_their_definitions(moves: list[tuple[int, ...]], won: set[int]) -> None:
    graph = from_lists(moves, [number in won for number in range(len(moves))])
    check(graph, {number: number for number in range(len(moves))}, naive(moves, frozenset(won)))


@given(games(), st.sets(st.integers(0, 11)))
@settings(max_examples=20)
def test_compiled_folds_are_the_plain_ones(moves: list[tuple[int, ...]], won: set[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graphs, "MAX_PLAIN", -1)
        test_folds_are_their_definitions.hypothesis.inner_test(moves, won)  # type: ignore[attr-defined]


@given(games())
def test_turns_are_their_definition(moves: list[tuple[int, ...]]) -> None:
    graph = from_lists(moves, [False] * len(moves))
    last = len(moves) - 1
    expected = naive(moves, frozenset()).turns(last)
    assert folds.exact_turn_distribution(graph) == expected
    assert folds.turn_distribution(graph) == pytest.approx([float(each) for each in expected])


def plain(moves: list[tuple[int, ...]], *, misere: bool = False) -> Tree[int]:
    def listed(number: int) -> Iterator[tuple[None, int]]:
        return ((None, child) for child in moves[number])

    return plain_tree(listed, lambda _: 12.0, misere=misere)


def reachable(tree: Any, start: Hashable) -> Iterator[Hashable]:
    seen, open_ = {start}, [start]
    while open_:
        position = open_.pop()
        yield position
        new = set(tree.options(position)) - seen
        seen |= new
        open_ += new


def compare(tree: Any, start: Hashable, game: NaiveGame) -> None:
    graph = build(tree, start, max_bound=float("inf"))
    check(graph, {number: node for node, number in graph.number.items()}, game)


@given(games(), st.integers(0, 3), st.booleans())
@settings(max_examples=40)
def test_passes_are_more_moves(moves: list[tuple[int, ...]], passes: int, misere: bool) -> None:
    expected = {
        (number, left): [(child, left) for child in children]
        + ([(number, left - 1)] if left and children else [])
        for number, children in enumerate(moves)
        for left in range(passes + 1)
    }
    ends = frozenset(each for each, children in expected.items() if misere and not children)
    start = (len(moves) - 1, passes)
    compare(with_passes(plain(moves, misere=misere)), start, NaiveGame(expected, ends))


@given(games(), st.sets(st.integers(0, 11)), st.integers(0, 2))
@settings(max_examples=40)
def test_declared_positions_are_won_on_arrival(
    moves: list[tuple[int, ...]], declared: set[int], passes: int
) -> None:
    kept = [() if number in declared else children for number, children in enumerate(moves)]
    expected = {
        (number, left): [(child, left) for child in children]
        + ([(number, left - 1)] if left and children else [])
        for number, children in enumerate(kept)
        for left in range(passes + 1)
    }
    won = frozenset((a, b) for a in declared for b in range(passes + 1))
    tree = with_passes(with_declared(plain(moves), declared.__contains__))
    compare(tree, (len(moves) - 1, passes), NaiveGame(expected, won))


@given(games(), games(), st.booleans())
@settings(max_examples=30)
def test_a_move_of_a_sum_is_one_in_a_component(
    one: list[tuple[int, ...]], other: list[tuple[int, ...]], misere: bool
) -> None:
    expected = {
        (a, b): [(child, b) for child in one[a]] + [(a, child) for child in other[b]]
        for a in range(len(one))
        for b in range(len(other))
    }
    ends = frozenset(each for each, children in expected.items() if misere and not children)
    tree = sum_tree((plain(one), plain(other)), lambda _: (), misere=misere)
    game = NaiveGame(expected, ends)
    compare(tree, (len(one) - 1, len(other) - 1), game)
    if not misere:
        apart = naive(one, frozenset()), naive(other, frozenset())
        values = [
            game.grundy(len(moves) - 1) for game, moves in zip(apart, (one, other), strict=True)
        ]
        assert game.grundy((len(one) - 1, len(other) - 1)) == values[0] ^ values[1]


@pytest.mark.parametrize(
    "text",
    [
        "chomp:4/3/1;1",
        "chomp3{declared=[1,0,1]}:[1,2,1;1]",
        "chomp{misere}:3/2;2",
        "nim:[2,2,3;1]",
        "wythoff{rule=both}:[2,2,3]",
        "kayles:[4,5;1]",
        "octal{code=0.77,heappass}:[5p,4p]",
        "toads:TT.F.F;1",
        "divisors:2^2*3*5;1",
        "transfinite:2x2x3",
        "misere{chomp:2/1 + kayles:[3;1] + divisors:6}",
        "divisors:12 + transfinite:2x2 + toads:T.F",
    ],
)
def test_trees_of_all_families(text: str) -> None:
    """A graph has exactly the positions of its tree, and each fold equals its definition."""
    position = parse(text)
    tree = tree_of(position)
    nodes = list(reachable(tree, tree.node(position)))
    game = NaiveGame(
        {node: list(tree.options(node)) for node in nodes},
        frozenset(node for node in nodes if tree.won(node)),
        frozenset(node for node in nodes if tree.gives_up(node)),
    )
    graph = build(tree, tree.node(position))
    assert set(graph.number) == set(nodes)
    assert graph.number[tree.node(position)] == graph.positions - 1
    check(graph, {number: node for node, number in graph.number.items()}, game)


def test_limits_are_kept() -> None:
    position = parse("kayles:[20,20]")
    tree = tree_of(position)
    node = tree.node(position)
    for limits in ({"max_positions": 100}, {"max_moves": 100}, {"max_bound": 100.0}):
        with pytest.raises(ResourceLimitError, match="100"):
            build(tree, node, **({"max_bound": 1e9} | limits))


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_exact_numbers_do_not_depend_on_pieces(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    position = parse("chomp:4/3/2")
    tree = tree_of(position)
    graph = build(tree, tree.node(position))
    expected = folds.exact_random_chance(graph)
    monkeypatch.setattr(folds, "_SORTED", size)
    monkeypatch.setattr(folds, "_LISTED", size)
    assert folds.exact_random_chance(graph) == expected


def test_exact_numbers_that_are_too_long_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folds, "MAX_BYTES", 100_000)
    moves = [tuple(range(number)) for number in range(200)]
    graph = from_lists(moves, [False] * len(moves))
    with pytest.raises(ResourceLimitError, match="bytes"):
        folds.exact_perfect_chances(graph, Fraction(1, 10**6 - 1))
    assert np.isfinite(folds.perfect_chances(graph, 1e-6)[0]).all()


def test_exact_distributions_need_longer_numbers_than_chances(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A number for each count of turns, of the length of a chance."""
    moves = [tuple(range(number)) for number in range(60)]
    graph = from_lists(moves, [False] * len(moves))
    length = folds.exact_random_chance(graph).unit.bit_length() // 8
    monkeypatch.setattr(folds, "MAX_BYTES", 4 * length * len(moves))
    assert folds.exact_random_chance(graph)[-1] >= 0
    with pytest.raises(ResourceLimitError, match="bytes"):
        folds.exact_turn_distribution(graph)


@given(games())
def test_the_bound_counts_every_rounding(moves: list[tuple[int, ...]]) -> None:
    """In each turn one for each child, and two for the division and the difference."""
    graph = from_lists(moves, [False] * len(moves))
    roundings: list[int] = []
    for children in moves:
        before = max((roundings[child] for child in children), default=-2)
        roundings.append(len(children) + 2 + before)
    assert folds.error_bound(graph) >= roundings[-1] * 2.0**-53


def test_values_of_all_graphs_have_one_type_so_that_one_kernel_folds_them() -> None:
    position = parse("nim:[3]")
    tree = tree_of(position)
    graph = build(tree, tree.node(position))
    assert folds.grundy(graph).dtype == folds.remoteness(graph).dtype == np.uint32
