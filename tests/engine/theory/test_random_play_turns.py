"""Expected number of turns of random Chomp and Nim: Theorems 1.1, 1.2 and 1.7."""

import json
from fractions import Fraction
from math import log
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.theory.random_play import nim
from position_oracle.engine.theory.random_play.turns import (
    MAX_EXACT,
    expected_turns,
    expected_turns_float,
    harmonic_float,
    harmonic_multiples,
)
from position_oracle.schema.errors import ResourceLimitError
from tests.each import for_each
from tests.reference import boards_naive
from tests.reference import random_play_naive as naive

GOLDEN = Path(__file__).parents[2] / "golden"


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / name).read_text().splitlines()]


boards = st.lists(st.integers(1, 40), max_size=12).map(lambda r: tuple(sorted(r, reverse=True)))


@pytest.mark.parametrize("n", [0, 1, 2, 10, 127, 128, 129, 1000, MAX_EXACT])
def test_harmonic_numbers_exact_and_in_double_precision(n: int) -> None:
    unit, multiples = harmonic_multiples(n)
    exact = Fraction(multiples[n], unit)
    assert n > 1000 or exact == sum((Fraction(1, j) for j in range(1, n + 1)), Fraction(0))
    assert harmonic_float(n) == pytest.approx(float(exact), rel=4e-16)


def test_harmonic_numbers_of_any_size() -> None:
    n = 2**63 - 1
    assert harmonic_float(n) == pytest.approx(log(n) + 0.5772156649015329, rel=4e-16)
    with pytest.raises(ResourceLimitError, match=str(n)):
        harmonic_multiples(n)


@for_each("case", cases("08_random_chomp.jsonl"))
def test_golden_expected_turns_of_chomp(case: dict[str, Any]) -> None:
    assert expected_turns(case["position"]) == Fraction(case["e_turns"])
    assert expected_turns_float(case["position"]) == pytest.approx(float(Fraction(case["e_turns"])))


@for_each("case", cases("08_random_nim.jsonl"))
def test_golden_expected_turns_of_nim(case: dict[str, Any]) -> None:
    assert nim.expected_turns(case["position"]) == Fraction(case["e_turns"])


def test_published_length_of_three_by_three() -> None:
    facts = json.loads((GOLDEN / "facts.json").read_text())["random_play"]
    assert expected_turns((3, 3, 3)) == Fraction(facts["expected_turns_3x3"])


@given(boards)
@settings(deadline=None)
def test_theorem_1_1_is_the_sum_over_cookies(board: tuple[int, ...]) -> None:
    cookies = [(x, y) for x, length in enumerate(board, 1) for y in range(1, length + 1)]
    exact = sum((Fraction(1, x * y) for x, y in cookies), Fraction(0))
    assert expected_turns(board) == exact
    assert expected_turns((*board, 0, 0)) == exact
    assert expected_turns(columns_of(board)) == exact
    assert expected_turns_float(board) == pytest.approx(float(exact), rel=1e-15)


def columns_of(board: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sum(length > j for length in board) for j in range(board[0] if board else 0))


def test_theorem_1_1_solves_the_recursion() -> None:
    for board in boards_naive.boards_inside(4, 4):
        assert expected_turns(board) == naive.expected_turns(naive.chomp_moves, board)


def test_long_boards_have_only_floats() -> None:
    rows = (10**18, MAX_EXACT)
    with pytest.raises(ResourceLimitError):
        expected_turns(rows)
    assert expected_turns_float(rows) == harmonic_float(10**18) + harmonic_float(MAX_EXACT) / 2
    assert float(expected_turns((MAX_EXACT,) * 2)) == pytest.approx(
        1.5 * harmonic_float(MAX_EXACT), rel=1e-15
    )


@given(st.lists(st.integers(0, 6), max_size=3), st.booleans())
@settings(deadline=None)
def test_theorem_1_7_is_the_recursion(heaps: list[int], misere: bool) -> None:
    position = tuple(heaps)
    assert nim.win_probability(heaps, misere=misere) == naive.win_probability(
        naive.nim_moves, position, misere
    )
    assert nim.expected_turns(heaps) == naive.expected_turns(naive.nim_moves, position)


def test_theorem_1_7_for_heaps_of_any_size() -> None:
    assert nim.win_probability([2**63 - 1, 1]) == Fraction(1, 2)
    assert nim.win_probability([1] * 63) == 1
    assert nim.win_probability([1] * 63, misere=True) == 0
