"""Both players random, by recursion in whole numbers."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.solvers.random_play import (
    chomp_turn_distribution,
    chomp_win_probabilities,
    chomp_win_probability,
    nim_turn_distribution,
    nim_win_probability,
)
from position_oracle.engine.solvers.random_play.exact import chomp_graph, chomp_graph_up_to
from position_oracle.engine.theory.random_play import (
    expected_turns,
    nim,
    two_rows_of,
    win_probability,
)
from position_oracle.schema.errors import InvalidPositionError, ResourceLimitError
from tests.reference import boards_naive
from tests.reference import random_play_naive as naive

GOLDEN = Path(__file__).parents[2] / "golden"


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / name).read_text().splitlines()]


def fractions(texts: list[str]) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, texts))


boards = st.lists(st.integers(1, 6), max_size=4).map(lambda r: tuple(sorted(r, reverse=True)))


@pytest.mark.parametrize("case", cases("08_random_chomp.jsonl"), ids=lambda c: str(c["position"]))
def test_golden_chomp(case: dict[str, Any]) -> None:
    board = case["position"]
    assert chomp_win_probability(board) == Fraction(case["p_mover"])
    turns = chomp_turn_distribution(board)
    assert turns.mean == Fraction(case["e_turns"])
    assert turns.even_probability == Fraction(case["p_mover"])
    if "turns_dist" in case:
        assert turns.probabilities == fractions(case["turns_dist"])


@pytest.mark.parametrize("case", cases("08_random_nim.jsonl"), ids=lambda c: str(c["position"]))
def test_golden_nim(case: dict[str, Any]) -> None:
    heaps = case["position"]
    for misere, name in ((False, "p_mover_normal"), (True, "p_mover_misere")):
        chance = Fraction(case[name])
        assert nim_win_probability(heaps, misere=misere) == chance
        assert nim.win_probability(heaps, misere=misere) == chance
    turns = nim_turn_distribution(heaps)
    assert turns.mean == Fraction(case["e_turns"])
    if "turns_dist" in case:
        assert turns.probabilities == fractions(case["turns_dist"])


def test_golden_files_hold_distributions() -> None:
    """The two tests above would not miss them."""
    for name in ("08_random_chomp.jsonl", "08_random_nim.jsonl"):
        assert sum("turns_dist" in case for case in cases(name)) > 30


def test_published_chances() -> None:
    facts = json.loads((GOLDEN / "facts.json").read_text())["random_play"]
    for rows, name in ((2, "2xn_n=1..6"), (3, "3xn_n=1..5")):
        for n, text in enumerate(facts[name], start=1):
            assert chomp_win_probability([n] * rows) == Fraction(text)
    assert chomp_win_probability([3, 2, 1]) == Fraction(facts["rows_3_2_1"])
    assert chomp_win_probability([5, 3]) == Fraction(facts["rows_5_3"])
    assert chomp_turn_distribution([3, 3, 3]).mean == Fraction(facts["expected_turns_3x3"])


@given(boards)
@settings(deadline=None)
def test_distribution_has_the_mean_of_theorem_1_1(board: tuple[int, ...]) -> None:
    turns = chomp_turn_distribution(board)
    assert sum(turns.probabilities) == 1
    assert turns.mean == expected_turns(board)
    assert turns.even_probability == chomp_win_probability(board)
    assert len(turns.probabilities) == sum(board) + 1
    # The longest game eats cookie by cookie in one of the orders that leave boards all along.
    assert turns.probabilities[-1] > 0


def test_every_board_in_a_box_against_the_rules() -> None:
    chances = chomp_win_probabilities((5, 5, 5, 5))
    assert set(chances) == set(boards_naive.boards_inside(4, 5))
    for board, chance in chances.items():
        assert chance == naive.win_probability(naive.chomp_moves, board, won_at_end=True)
        turns = naive.turn_distribution(naive.chomp_moves, board)
        assert sum(board) > 12 or chomp_turn_distribution(board).probabilities == turns


def test_recursion_is_the_closed_form_on_two_rows_and_two_columns() -> None:
    for outer in ((14, 14), (2,) * 14):
        for board, chance in chomp_win_probabilities(outer).items():
            pair = two_rows_of(board)
            assert pair is not None
            assert chance == win_probability(*pair)


@given(boards)
@settings(deadline=None)
def test_transposed_boards_have_equal_chances(board: tuple[int, ...]) -> None:
    columns = [sum(length > j for length in board) for j in range(board[0] if board else 0)]
    assert chomp_turn_distribution(columns) == chomp_turn_distribution(board)


@given(st.lists(st.integers(0, 6), max_size=3))
@settings(deadline=None)
def test_the_length_of_nim_is_that_of_the_rules_and_of_theorem_1_7(heaps: list[int]) -> None:
    turns = nim_turn_distribution(heaps)
    assert turns.probabilities == naive.turn_distribution(naive.nim_moves, tuple(heaps))
    assert turns.mean == nim.expected_turns(heaps)
    assert turns.even_probability == nim.win_probability(heaps, misere=True)
    # Heaps are independent, and one heap of s has variance H_s less the sum of 1/j².
    variance = sum(Fraction(1, j) - Fraction(1, j * j) for s in heaps for j in range(1, s + 1))
    assert turns.variance == variance


@given(st.permutations([4, 3, 1, 0]))
def test_heaps_in_any_order(heaps: list[int]) -> None:
    assert nim_turn_distribution(heaps) == nim_turn_distribution([1, 3, 4])


@given(boards)
@settings(deadline=None)
def test_graphs_list_every_move_with_children_first(board: tuple[int, ...]) -> None:
    graph = chomp_graph(board)
    names = {number: name for name, number in graph.number.items()}
    assert names[0] == ()
    assert names[graph.positions - 1] == board
    for number, name in names.items():
        children = graph.children(number)
        assert all(child < number for child in children)
        assert sorted(names[child] for child in children) == sorted(naive.chomp_moves(name))


def test_graph_of_all_small_boards() -> None:
    graph = chomp_graph_up_to(9)
    assert set(graph.number) == {b for n in range(10) for b in boards_naive.partitions(n)}


@pytest.mark.parametrize("board", [(10**6,), (10**18, 10**18), (30,) * 30, (400, 300, 200)])
def test_too_large_a_board_is_refused_before_work_starts(board: tuple[int, ...]) -> None:
    for function in (chomp_win_probability, chomp_turn_distribution, nim_win_probability):
        with pytest.raises(ResourceLimitError, match="limit"):
            function(board)


def test_limits_can_be_set() -> None:
    moves = chomp_graph((4, 4)).moves
    assert chomp_win_probability((4, 4), max_moves=moves) == win_probability(4, 4)
    with pytest.raises(ResourceLimitError, match=f"{moves - 1} moves"):
        chomp_win_probability((4, 4), max_moves=moves - 1)
    with pytest.raises(ResourceLimitError):
        chomp_graph_up_to(10**6)
    # Few positions, but a distribution of 1500 numbers with 4000 digits for each of them.
    with pytest.raises(ResourceLimitError, match="bytes"):
        chomp_turn_distribution((1500,))


@pytest.mark.parametrize("rows", [(1, 2), (2, -1)])
def test_what_is_no_board(rows: tuple[int, ...]) -> None:
    for function in (chomp_win_probability, chomp_win_probabilities, chomp_turn_distribution):
        with pytest.raises(InvalidPositionError, match="row 2"):
            function(rows)


def test_what_is_no_heap_or_number_of_cookies() -> None:
    for function in (nim_win_probability, nim_turn_distribution):
        with pytest.raises(InvalidPositionError, match="-1"):
            function((3, -1))
    with pytest.raises(InvalidPositionError, match="-1"):
        chomp_graph_up_to(-1)
