"""Sums of games: golden cases, whole game trees, and what is refused."""

import json
from collections.abc import Sequence
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.theory.sums import (
    Component,
    Convention,
    Play,
    is_p_position,
    winning_moves,
)
from position_oracle.schema.errors import InvalidPositionError
from tests.reference import grundy_naive as naive
from tests.reference.grundy_naive import Board

GOLDEN = Path(__file__).parents[2] / "golden"
BOARDS: list[Board] = [(1,), (2,), (1, 1), (2, 1), (2, 2), (3, 1), (1, 1, 1), (3, 2, 1)]

Named = Component[Any]


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / name).read_text().splitlines()]


def component(board: Board, *, edible: bool, convention: Convention) -> Named:
    """A board with the values of its moves, from the reference; moves are named by the child."""
    children = naive.component_children((board, edible))
    return Component(
        convention,
        naive.component_value((board, edible)),
        [(child, naive.component_value((child, edible))) for child, _ in children],
    )


def chomp(board: Board, play: Play) -> Named:
    if play is Play.NORMAL:
        return component(board, edible=False, convention=Convention.CHOMP_RESTRICTED)
    return component(board, edible=True, convention=Convention.CHOMP_UNRESTRICTED)


def heap(size: int) -> Named:
    return component((size,) if size else (), edible=True, convention=Convention.NIM_HEAP)


def golden_components(case: dict[str, Any], play: Play) -> list[Named]:
    found = []
    for part in case["components"]:
        numbers = part["position"]
        if part["game"] == "nim":
            (size,) = numbers
            found.append(heap(size))
        elif part["game"] == "chomp3":
            rows = naive.from_xyz(*numbers)
            found.append(chomp(tuple(length for length in rows if length), play))
        else:
            found.append(chomp(tuple(numbers), play))
    return found


def golden_move(case: dict[str, Any], index: int, child: Board) -> list[Any]:
    """A move as the golden files write it."""
    game = case["components"][index]["game"]
    if game == "nim":
        return [index, [sum(child)]]
    if game == "chomp3":
        a, b, c = (*child, 0, 0)[:3]
        return [index, list(naive.to_xyz((a, b, c)))]
    return [index, list(child)]


@pytest.mark.parametrize(
    ("name", "text", "play"),
    [
        ("09_sums_normal.jsonl", "normal_1restricted", Play.NORMAL),
        ("09_sums_misere.jsonl", "misere_unrestricted", Play.MISERE),
    ],
)
def test_golden_sums(name: str, text: str, play: Play) -> None:
    for case in cases(name):
        assert case["play"] == text
        components = golden_components(case, play)
        moves = [
            golden_move(case, index, child) for index, child in winning_moves(components, play)
        ]
        assert is_p_position(components, play) == (case["outcome"] == "P"), case
        assert sorted(moves) == sorted(case["winning_moves"]), case


def check_against_the_game_tree(components: Sequence[Named], tree: naive.Sum, play: Play) -> None:
    misere = play is Play.MISERE
    assert is_p_position(components, play) == naive.sum_is_p(tuple(sorted(tree)), misere), tree
    expected = {
        (index, child)
        for index, (child, _), rest in naive.sum_children(tree)
        if naive.sum_is_p(tuple(sorted(rest)), misere)
    }
    assert set(winning_moves(components, play)) == expected, tree


@pytest.mark.parametrize("play", list(Play))
def test_sums_of_boards_and_a_heap_by_their_game_tree(play: Play) -> None:
    for boards in combinations_with_replacement(BOARDS, 2):
        for size in range(4):
            components = [*(chomp(board, play) for board in boards), heap(size)]
            tree = (
                *((board, play is Play.MISERE) for board in boards),
                ((size,) if size else (), True),
            )
            check_against_the_game_tree(components, tree, play)


@settings(deadline=None, max_examples=60)
@given(
    boards=st.lists(st.sampled_from([(), *BOARDS[:6]]), max_size=4),
    sizes=st.lists(st.integers(0, 3), max_size=2),
)
def test_misere_sums_by_their_game_tree(boards: list[Board], sizes: list[int]) -> None:
    components = [*(chomp(b, Play.MISERE) for b in boards), *(heap(size) for size in sizes)]
    tree = tuple((b, True) for b in [*boards, *((size,) if size else () for size in sizes)])
    check_against_the_game_tree(components, tree, Play.MISERE)


values = st.lists(st.integers(0, 2**70), max_size=6)


@given(values=values)
def test_misere_differs_from_normal_play_exactly_where_all_values_are_small(
    values: list[int],
) -> None:
    components: list[Named] = [Component(Convention.NIM_HEAP, value) for value in values]
    differs = is_p_position(components, Play.MISERE) != is_p_position(components, Play.NORMAL)
    assert differs == all(value <= 1 for value in values)


@pytest.mark.parametrize("play", list(Play))
@given(values=values, other=st.integers(0, 2**70))
def test_two_equal_components_cancel_next_to_a_large_one(
    play: Play, values: list[int], other: int
) -> None:
    components: list[Named] = [Component(Convention.NIM_HEAP, value) for value in (2, *values)]
    pair: list[Named] = [Component(Convention.NIM_HEAP, other)] * 2
    assert is_p_position([*components, *pair], play) == is_p_position(components, play)


def test_no_components_at_all() -> None:
    assert is_p_position([], Play.NORMAL)
    assert not is_p_position([], Play.MISERE)
    assert winning_moves([], Play.NORMAL) == winning_moves([], Play.MISERE) == []


def test_reversible_moves_to_greater_values_are_named() -> None:
    row: Named = Component(Convention.OTHER, 0, [("up", 3), ("down", 1)])
    other: Named = Component(Convention.OTHER, 3, [("zero", 0), ("one", 1), ("two", 2)])
    assert winning_moves([row, other], Play.NORMAL) == [(0, "up"), (1, "zero")]


@pytest.mark.parametrize(
    ("play", "convention", "reason"),
    [
        (Play.NORMAL, Convention.CHOMP_UNRESTRICTED, "let the poison be eaten"),
        (Play.MISERE, Convention.CHOMP_RESTRICTED, "not tame"),
        (Play.MISERE, Convention.OTHER, "one by one"),
    ],
)
def test_mixed_conventions_are_refused_with_the_reason(
    play: Play, convention: Convention, reason: str
) -> None:
    mixed: list[Named] = [heap(2), Component(convention, 1, [("end", 0)])]
    for question in (is_p_position, winning_moves):
        with pytest.raises(InvalidPositionError, match=f"component 1 .* {play} play.*{reason}"):
            question(mixed, play)


def test_unrestricted_values_have_no_normal_sum() -> None:
    with pytest.raises(InvalidPositionError, match="let the poison be eaten"):
        is_p_position([chomp((2, 1), Play.MISERE)], Play.NORMAL)


def test_grundy_values_do_not_decide_misere_play_of_restricted_chomp() -> None:
    """The paper's example, two legs of two cookies each beside the poison, and the poison alone."""
    legs, poison = ((3, 1, 1), False), ((1,), False)
    assert naive.component_value(legs) == naive.component_value(poison) == 0
    assert naive.sum_is_p((legs,), True)
    assert not naive.sum_is_p((poison,), True)


def test_negative_values_are_refused() -> None:
    bad: Named = Component(Convention.NIM_HEAP, -1)
    with pytest.raises(InvalidPositionError, match="-1"):
        is_p_position([bad], Play.NORMAL)


def test_negative_values_of_options_are_refused() -> None:
    bad: Named = Component(Convention.NIM_HEAP, 1, [("below", -2)])
    with pytest.raises(InvalidPositionError, match="-2"):
        winning_moves([bad], Play.MISERE)
