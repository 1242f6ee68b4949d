"""A perfect player against a random or fallible one, in exact fractions."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each import for_each
from tests.reference import boards_naive
from tests.reference import random_play_naive as naive
from tests.reference.graph_chances import chomp_chances, nim_chances

GOLDEN = Path(__file__).parents[2] / "golden"


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / name).read_text().splitlines()]


boards = st.lists(st.integers(1, 5), max_size=3).map(lambda r: tuple(sorted(r, reverse=True)))
epsilons = st.fractions(min_value=0, max_value=1, max_denominator=20)


@for_each("case", cases("08_optimal_chomp.jsonl"))
def test_golden_chomp(case: dict[str, Any]) -> None:
    chances = chomp_chances(case["position"])
    assert chances.to_move == Fraction(case["p_optimal_mover"])
    assert 1 - chances.waiting == Fraction(case["p_random_mover"])
    assert [list(child) for child in chances.best_moves] == case["best_moves"]


@pytest.mark.parametrize("misere", [False, True], ids=["normal", "misere"])
@for_each("case", cases("08_optimal_nim.jsonl"))
def test_golden_nim(case: dict[str, Any], misere: bool) -> None:
    name = "misere" if misere else "normal"
    chances = nim_chances(case["position"], misere=misere)
    assert chances.to_move == Fraction(case[f"p_optimal_mover_{name}"])
    assert 1 - chances.waiting == Fraction(case[f"p_random_mover_{name}"])
    best = {tuple(sorted(child)) for child in case[f"best_moves_{name}"]}
    assert set(chances.best_moves) == best


@given(boards, epsilons)
@settings(deadline=None, max_examples=60)
def test_fallible_opponent_in_chomp(board: tuple[int, ...], epsilon: Fraction) -> None:
    chances = chomp_chances(board, epsilon)
    arguments = (naive.chomp_moves, board, True, epsilon)
    assert chances.to_move == naive.maximiser_to_move(*arguments)
    assert chances.waiting == naive.maximiser_waiting(*arguments)
    assert list(chances.best_moves) == naive.best_moves(*arguments)


@given(st.lists(st.integers(0, 4), max_size=3), epsilons, st.booleans())
@settings(deadline=None, max_examples=60)
def test_fallible_opponent_in_nim(heaps: list[int], epsilon: Fraction, misere: bool) -> None:
    chances = nim_chances(heaps, epsilon, misere=misere)
    arguments = (naive.nim_moves, tuple(heaps), misere, epsilon)
    assert chances.to_move == naive.maximiser_to_move(*arguments)
    assert chances.waiting == naive.maximiser_waiting(*arguments)
    best = {tuple(sorted(child)) for child in naive.best_moves(*arguments)}
    assert set(chances.best_moves) == best


@given(boards.filter(bool), epsilons.filter(bool))
@settings(deadline=None, max_examples=60)
def test_a_perfect_player_loses_only_from_p_positions(
    board: tuple[int, ...], epsilon: Fraction
) -> None:
    """At N-positions the best moves are the winning ones."""
    chances = chomp_chances(board, epsilon)
    if boards_naive.is_p(board):
        assert chances.waiting == 1 > chances.to_move
        assert board == (1,) or chances.to_move > 0
    else:
        assert chances.to_move == 1 > chances.waiting
        winning = {child for _, child in boards_naive.bites(board) if boards_naive.is_p(child)}
        assert set(chances.best_moves) == winning


@given(boards.filter(bool), epsilons, epsilons)
@settings(deadline=None, max_examples=60)
def test_more_errors_of_the_other_help_the_perfect_player(
    board: tuple[int, ...], one: Fraction, other: Fraction
) -> None:
    fewer, more = (chomp_chances(board, e) for e in sorted((one, other)))
    assert fewer.to_move <= more.to_move
    assert fewer.waiting <= more.waiting


def test_against_a_perfect_opponent_the_outcome_decides() -> None:
    for board in boards_naive.boards_inside(3, 4)[1:]:
        chances = chomp_chances(board, Fraction(0))
        assert chances.to_move == (not boards_naive.is_p(board))
        assert chances.waiting == boards_naive.is_p(board)


def test_positions_without_a_move() -> None:
    assert chomp_chances(()).best_moves == ()
    assert (chomp_chances(()).to_move, chomp_chances(()).waiting) == (Fraction(1), Fraction(0))
    assert nim_chances((0, 0), misere=False).to_move == 0
    assert nim_chances((0, 0), misere=True).to_move == 1
