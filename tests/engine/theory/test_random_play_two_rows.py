"""Random Chomp on two rows and on hooks: Theorems 1.3 and 1.4, the closed form of hooks."""

import json
from fractions import Fraction
from itertools import islice
from math import factorial, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.theory.random_play.two_rows import (
    BATCH_ERROR,
    MAX_SECOND_ROW,
    Coefficients,
    _scaled_coefficients,
    coefficients,
    hook_of,
    hook_win_probability,
    iterate_coefficients,
    shortfall,
    two_rows_of,
    win_probability,
    win_probability_batch,
)
from position_oracle.schema.errors import ResourceLimitError
from tests.reference import boards_naive
from tests.reference import random_play_naive as naive

FACTS = json.loads((Path(__file__).parents[2] / "golden" / "facts.json").read_text())["random_play"]
HALF = Fraction(1, 2)

TABLE_1 = {
    1: (1, -1),
    2: (4, -4),
    3: (68, -76),
    4: (2576, -3248),
    5: (171920, -243152),
    6: (17808448, -28013888),
    7: (2643253312, -4585857472),
    8: (531994564864, -1010163390208),
}
"""The published α_k and β_k."""


def by_recursion(limit: int) -> dict[tuple[int, int], Fraction]:
    """Return P(n, k) for n <= limit by equation (2.2) alone, with running sums."""
    found: dict[tuple[int, int], Fraction] = {}
    diagonal = [Fraction(0)]  # sums of P(j, j), j < k
    columns = [Fraction(0)] * (limit + 1)  # sums of P(j, k), k <= j < n
    for n in range(limit + 1):
        row = Fraction(0)  # sum of P(n, j), j < k
        for k in range(n + 1):
            total = diagonal[k] + columns[k] + row
            value = 1 - total / (n + k) if n else Fraction(1)
            found[n, k] = value
            row += value
            columns[k] += value
        diagonal.append(diagonal[n] + found[n, n])
    return found


def test_table_1_as_published() -> None:
    for k, published in TABLE_1.items():
        assert (coefficients(k).alpha, coefficients(k).beta) == published


def test_coefficients_to_200_from_the_recursion() -> None:
    """Read α_k and β_k off two values of the recursion: (1/2 - P) times the denominator."""
    chances = by_recursion(202)
    for row in islice(iterate_coefficients(), 200):
        k = row.k
        first, second = (
            (HALF - chances[n, k]) * row.factorial * (n + k) * (n + k - 1) * (n + k - 2)
            for n in (k + 1, k + 2)
        )
        assert second - first == row.alpha
        assert first - (k + 1) * row.alpha == row.beta


def test_coefficients_to_200_by_the_matrix() -> None:
    vector = [1, -1]
    for k in range(1, 201):
        assert [coefficients(k).alpha, coefficients(k).beta] == vector
        matrix = [[k * (4 * k + 1), 1], [-k * (k + 1), 4 * k * k - k - 1]]
        vector = [sum(a * b for a, b in zip(line, vector, strict=True)) for line in matrix]


def test_scaled_coefficients_are_the_exact_ones_rounded_once() -> None:
    alpha, beta = _scaled_coefficients(2000)
    assert alpha[0] == beta[0] == 0.0
    for row in islice(iterate_coefficients(), 2000):
        assert alpha[row.k] == row.alpha / row.factorial
        assert beta[row.k] == row.beta / row.factorial


def test_theorem_1_3_is_the_recursion() -> None:
    for (n, k), value in by_recursion(40).items():
        assert win_probability(n, k) == value
        assert shortfall(n, k) == HALF - value


def test_published_chances() -> None:
    for n, text in enumerate(FACTS["2xn_n=1..6"], start=1):
        assert win_probability(n, n) == Fraction(text)
    assert win_probability(5, 3) == Fraction(FACTS["rows_5_3"])


@given(st.integers(2, 2**63), st.integers(1, 60))
def test_any_first_row(n: int, k: int) -> None:
    """The paper's formula for k = 4; and for all k, P(n, k) is below 1/2."""
    assert win_probability(n + 4, 4) == HALF - Fraction(
        2576 * (n + 4) - 3248, 720 * (n + 8) * (n + 7) * (n + 6)
    )
    assert win_probability(n + k + 1, k) < HALF


def test_second_row_is_limited() -> None:
    with pytest.raises(ResourceLimitError, match=str(MAX_SECOND_ROW)):
        win_probability(10**9, MAX_SECOND_ROW + 1)


def test_two_rows_or_two_columns() -> None:
    for board in boards_naive.boards_inside(5, 5):
        pair = two_rows_of(board)
        assert (pair is not None) == (len(board) <= 2 or board[0] <= 2)
        if pair is not None:
            direct = naive.win_probability(naive.chomp_moves, board, won_at_end=True)
            assert win_probability(*pair) == direct


def test_the_sizes_that_the_error_bound_rests_on() -> None:
    """|beta_k| <= (k - 1) alpha_k except at k = 1, so n alpha + beta >= n alpha / (k + 1)."""
    for row in islice(iterate_coefficients(), 300):
        assert row.beta < 0 < row.alpha
        assert -row.beta <= max(row.k - 1, 1) * row.alpha
        least = max(row.k, 2)  # n of the shortest first row
        assert (row.k + 1) * (least * row.alpha + row.beta) >= least * row.alpha
    assert coefficients(1).beta == -coefficients(1).alpha


def test_batch_is_within_its_error_bound() -> None:
    pairs = [(n, k) for k in (*range(12), 50, 333) for n in (*range(k, k + 12), 1000, 10**15)]
    batch = win_probability_batch(np.array(pairs, np.int64))
    assert batch.shape == (len(pairs),)
    for pair, value in zip(pairs, batch.tolist(), strict=True):
        assert abs(Fraction(value) - win_probability(*pair)) <= BATCH_ERROR


def test_limits_of_batches() -> None:
    assert win_probability_batch(np.empty((0, 2), np.int64)).shape == (0,)
    with pytest.raises(ResourceLimitError):
        win_probability_batch(np.array([[2**60, 2**60]]))


def test_theorem_1_4_on_alpha_and_beta_to_200() -> None:
    for row in islice(iterate_coefficients(), 200):
        low = 4 ** (row.k - 1) * factorial(row.k - 1) ** 2
        assert low <= row.alpha <= row.k * low
        if row.k >= 2:
            assert 0 < row.alpha <= -row.beta <= (row.k - 1) * row.alpha


def test_theorem_1_4_on_chances() -> None:
    for n in range(2, 90):
        for k in range(2, n + 1):
            scale = (n + k) * (n + k - 1) * (n + k - 2)
            least, most = (n + 1 - k) * sqrt(k) / scale, 2 * n * k**1.5 / scale
            assert least - 1e-15 <= shortfall(n, k) <= most + 1e-15


def test_theorem_1_4_as_printed_fails_for_a_second_row_of_one() -> None:
    """At k = 1, (n + 1 - k) √k / ((n + k)(n + k - 1)(n + k - 2)) is rational."""
    for n in range(2, 50):
        printed = HALF - Fraction(n, (n + 1) * n * (n - 1))
        assert win_probability(n, 1) > printed
    assert win_probability(2, 1) == Fraction(1, 3)


@given(st.integers(1, 7), st.integers(1, 7))
@settings(deadline=None)
def test_hooks_are_the_recursion(p: int, q: int) -> None:
    board = (p + 1, *[1] * q)
    assert hook_of(board) == (p, q)
    assert hook_win_probability(p, q) == naive.win_probability(
        naive.chomp_moves, board, won_at_end=True
    )


@given(st.integers(1, 2**63))
def test_hooks_with_an_arm_of_one_are_two_rows(p: int) -> None:
    assert hook_win_probability(p, 1) == hook_win_probability(1, p) == win_probability(p + 1, 1)


def test_other_boards_are_not_hooks() -> None:
    hooks = [board for board in boards_naive.partitions(8) if hook_of(board)]
    assert hooks == [(n, *[1] * (8 - n)) for n in range(2, 8)]


def test_coefficients_say_which_row_they_are_of() -> None:
    assert coefficients(3) == Coefficients(3, 68, -76, 24)
