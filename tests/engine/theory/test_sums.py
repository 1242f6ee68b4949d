"""Sums of games: golden cases, and whole game trees."""

import json
from collections.abc import Sequence
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.theory.sums import is_p_position
from tests.reference import grundy_naive as naive
from tests.reference.grundy_naive import Board

GOLDEN = Path(__file__).parents[2] / "golden"
BOARDS: list[Board] = [(1,), (2,), (1, 1), (2, 1), (2, 2), (3, 1), (1, 1, 1), (3, 2, 1)]

Named = tuple[int, list[tuple[Board, int]]]
"""The value of a component, and for each move the child and its value."""


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / name).read_text().splitlines()]


def component(board: Board, *, edible: bool) -> Named:
    """Return the value of a board, and its moves with their values, from the naive reference."""
    children = naive.component_children((board, edible))
    value = naive.component_value((board, edible))
    return value, [(child, naive.component_value((child, edible))) for child, _ in children]


def chomp(board: Board, *, misere: bool) -> Named:
    return component(board, edible=misere)


def heap(size: int) -> Named:
    return component((size,) if size else (), edible=True)


def is_p(components: Sequence[Named], *, misere: bool) -> bool:
    return is_p_position([value for value, _ in components], misere=misere)


def winning_moves(components: Sequence[Named], *, misere: bool) -> list[tuple[int, Board]]:
    values = [value for value, _ in components]
    return [
        (index, child)
        for index, (_, options) in enumerate(components)
        for child, value in options
        if is_p_position([*values[:index], value, *values[index + 1 :]], misere=misere)
    ]


def golden_components(case: dict[str, Any], *, misere: bool) -> list[Named]:
    found = []
    for part in case["components"]:
        numbers = part["position"]
        if part["game"] == "nim":
            (size,) = numbers
            found.append(heap(size))
        elif part["game"] == "chomp3":
            rows = naive.from_xyz(*numbers)
            found.append(chomp(tuple(length for length in rows if length), misere=misere))
        else:
            found.append(chomp(tuple(numbers), misere=misere))
    return found


def golden_move(case: dict[str, Any], index: int, child: Board) -> list[Any]:
    """Return a move in the form of the golden files."""
    game = case["components"][index]["game"]
    if game == "nim":
        return [index, [sum(child)]]
    if game == "chomp3":
        a, b, c = (*child, 0, 0)[:3]
        return [index, list(naive.to_xyz((a, b, c)))]
    return [index, list(child)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("09_sums_normal.jsonl", "normal_1restricted"),
        ("09_sums_misere.jsonl", "misere_unrestricted"),
    ],
)
def test_golden_sums(name: str, text: str) -> None:
    misere = text.startswith("misere")
    for case in cases(name):
        assert case["play"] == text
        components = golden_components(case, misere=misere)
        moves = [
            golden_move(case, index, child)
            for index, child in winning_moves(components, misere=misere)
        ]
        assert is_p(components, misere=misere) == (case["outcome"] == "P"), case
        assert sorted(moves) == sorted(case["winning_moves"]), case


def check_against_the_game_tree(
    components: Sequence[Named], tree: naive.Sum, *, misere: bool
) -> None:
    assert is_p(components, misere=misere) == naive.sum_is_p(tuple(sorted(tree)), misere), tree
    expected = {
        (index, child)
        for index, (child, _), rest in naive.sum_children(tree)
        if naive.sum_is_p(tuple(sorted(rest)), misere)
    }
    assert set(winning_moves(components, misere=misere)) == expected, tree


@pytest.mark.parametrize("misere", [False, True])
def test_sums_of_boards_and_a_heap_by_their_game_tree(misere: bool) -> None:
    for boards in combinations_with_replacement(BOARDS, 2):
        for size in range(4):
            components = [*(chomp(board, misere=misere) for board in boards), heap(size)]
            tree = (
                *((board, misere) for board in boards),
                ((size,) if size else (), True),
            )
            check_against_the_game_tree(components, tree, misere=misere)


@settings(deadline=None, max_examples=60)
@given(
    boards=st.lists(st.sampled_from([(), *BOARDS[:6]]), max_size=4),
    sizes=st.lists(st.integers(0, 3), max_size=2),
)
def test_misere_sums_by_their_game_tree(boards: list[Board], sizes: list[int]) -> None:
    components = [*(chomp(b, misere=True) for b in boards), *(heap(size) for size in sizes)]
    tree = tuple((b, True) for b in [*boards, *((size,) if size else () for size in sizes)])
    check_against_the_game_tree(components, tree, misere=True)


values = st.lists(st.integers(0, 2**70), max_size=6)


@given(values=values)
def test_misere_differs_from_normal_play_exactly_where_all_values_are_small(
    values: list[int],
) -> None:
    differs = is_p_position(values, misere=True) != is_p_position(values, misere=False)
    assert differs == all(value <= 1 for value in values)


@pytest.mark.parametrize("misere", [False, True])
@given(values=values, other=st.integers(0, 2**70))
def test_two_equal_components_cancel_next_to_a_large_one(
    misere: bool, values: list[int], other: int
) -> None:
    large = [2, *values]
    expected = is_p_position(large, misere=misere)
    assert is_p_position([*large, other, other], misere=misere) == expected


def test_no_components_at_all() -> None:
    assert is_p_position([], misere=False)
    assert not is_p_position([], misere=True)


def test_grundy_values_do_not_decide_misere_play_of_restricted_chomp() -> None:
    """The paper's example: two legs of two cookies each beside the poison, and the poison alone."""
    legs, poison = ((3, 1, 1), False), ((1,), False)
    assert naive.component_value(legs) == naive.component_value(poison) == 0
    assert naive.sum_is_p((legs,), True)
    assert not naive.sum_is_p((poison,), True)
