"""Three-row tables in double precision are within their error bounds of exact fractions."""

import sys
from fractions import Fraction
from math import log10

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from position_oracle.engine.solvers.random_play.three_row import (
    MAX_LIMIT,
    UNIT_ROUNDOFF,
    RandomTable,
    gamma,
    random_error_bound,
    solve_random,
    three_rows,
)
from position_oracle.engine.solvers.random_play.three_row_chances import (
    ChancesTable,
    chances_error_bound,
    solve_chances,
)
from position_oracle.engine.theory.random_play.two_rows import win_probability
from position_oracle.oracle.reproduce.random_games import chomp, gaps, graph_of
from position_oracle.schema.errors import (
    UnknownAnswerError,
)
from position_oracle.schema.values import board_count, boards
from tests.reference import random_play_naive as naive
from tests.reference.graph_chances import chomp_chances

LIMIT = 60
EPSILONS = (1.0, 0.25, 0.0)


@pytest.fixture(scope="module")
def random_table() -> RandomTable:
    return solve_random(LIMIT)


@pytest.fixture(scope="module")
def tables_of_chances() -> dict[float, ChancesTable]:
    return {epsilon: solve_chances(LIMIT, epsilon) for epsilon in EPSILONS}


triples = st.tuples(*[st.integers(0, LIMIT)] * 3).map(lambda r: tuple(sorted(r, reverse=True)))


def chance(table: RandomTable, *rows: int) -> float:
    """Return the win probability of one board."""
    return float(table.win_probability_batch(np.array([(*rows, 0, 0, 0)[:3]], np.int64))[0])


@pytest.mark.parametrize("roundings", [1, 30, 1_000])
def test_gamma_bounds_that_many_roundings(roundings: int) -> None:
    """Each may add one unit: together they multiply by (1 + u)^k."""
    largest = (1 + Fraction(UNIT_ROUNDOFF)) ** roundings
    assert Fraction(gamma(roundings)) >= largest - 1


def close(value: float, exact: Fraction, bound: float) -> bool:
    return abs(Fraction(value) - exact) <= Fraction(bound)


def test_table_is_the_recursion_within_its_bound(random_table: RandomTable) -> None:
    for board, gap in gaps(graph_of(chomp((12, 12, 12)))):
        exact = Fraction(1, 2) - gap
        assert close(chance(random_table, *board), exact, random_table.error_bound)


def test_table_is_the_closed_form_within_its_bound() -> None:
    table = solve_random(300)
    assert table.error_bound < 1e-12
    rows = np.array([(n, k, 0) for n in range(0, 301, 4) for k in range(0, n + 1, 5)], np.int64)
    for (n, k, _), value in zip(rows.tolist(), table.win_probability_batch(rows), strict=True):
        assert close(float(value), win_probability(n, k), table.error_bound)


def test_the_bound_grows_and_stays_small() -> None:
    """The bound grows with the table, and stays below 1e-12, so that it would show a lost digit."""
    bounds = [random_error_bound(limit) for limit in (1, 10, 100, MAX_LIMIT)]
    assert bounds == sorted(bounds)
    assert bounds[-1] < 1e-12
    assert chances_error_bound(300) < 1e-12


def test_transposes_are_looked_up() -> None:
    assert three_rows((3,) * 7 + (1,) * 9, 16) == (16, 7, 7)


def test_the_least_boards(random_table: RandomTable) -> None:
    assert chance(random_table) == 1.0
    assert chance(random_table, 1) == 0.0


@given(triples)
def test_a_position_is_minus_the_mean_of_its_children(rows: tuple[int, ...]) -> None:
    """Equation (2.2)."""
    table = solve_random(LIMIT)
    board = tuple(filter(None, rows))
    children = naive.chomp_moves(board)
    if children:
        mean = sum(1 - chance(table, *child) for child in children) / len(children)
        assert mean == pytest.approx(chance(table, *rows), abs=2 * table.error_bound)


def test_ranks_are_the_lexicographic_order(random_table: RandomTable) -> None:
    rows = boards(0, board_count(LIMIT))
    assert rows.shape == (board_count(LIMIT), 3) == (len(random_table.excess), 3)
    triples = [tuple(row) for row in rows.tolist()]
    assert triples == sorted(set(triples))


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_chances_are_the_exact_ones(
    epsilon: float, tables_of_chances: dict[float, ChancesTable]
) -> None:
    table = tables_of_chances[epsilon]
    bound = Fraction(table.relative_error_bound)
    for rows in boards(0, board_count(6)).tolist():
        board = tuple(filter(None, rows))
        exact = chomp_chances(board, epsilon)
        losing_to_move = Fraction(float(table.losing(board, to_move=True)))
        losing_waiting = Fraction(float(table.losing(board, to_move=False)))
        assert abs(losing_to_move - (1 - exact.to_move)) <= bound * (1 - exact.to_move)
        assert abs(losing_waiting - (1 - exact.waiting)) <= bound * (1 - exact.waiting)
        assert table.best_moves(board) == exact.best_moves


@pytest.mark.parametrize("rows", [(13, 12, 5), (14, 8, 8), (15, 3, 1), (12, 12, 12)])
def test_chances_of_larger_boards(
    rows: tuple[int, ...], tables_of_chances: dict[float, ChancesTable]
) -> None:
    for epsilon, table in tables_of_chances.items():
        exact = chomp_chances(rows, epsilon)
        assert float(table.losing(rows, to_move=False)) == pytest.approx(
            float(1 - exact.waiting), rel=2 * table.relative_error_bound
        )
        assert float(table.losing(rows, to_move=True)) == pytest.approx(
            float(1 - exact.to_move), rel=2 * table.relative_error_bound
        )
        assert table.best_moves(rows) == exact.best_moves


def test_chances_below_the_least_double() -> None:
    """From (n, n) a random player must find the corner every time: ρ = 1 / (2 · 4 ··· 2n).

    The golden cases have it for n up to 8, 1 / 10321920.
    """
    table = solve_chances(200)
    expected = Fraction(1)
    for n in range(1, 201):
        expected /= 2 * n
        losing = table.losing((n, n), to_move=False)
        ratio = Fraction(losing.mantissa) * Fraction(2) ** losing.exponent / expected
        assert abs(ratio - 1) <= Fraction(table.relative_error_bound)
        assert losing.log10 == pytest.approx(-log10(expected.denominator), rel=1e-12)
    assert float(losing) == 0.0 < losing.mantissa
    assert losing.log10 < log10(sys.float_info.min)
    assert 1 - table.losing_batch(np.array([[200, 200, 0]]), to_move=False)[0] == 1.0
    # (n, n - 1) is P with two equally good moves. Both are found, though their chances are below
    # the least double.
    assert chomp_chances((8, 7)).best_moves == ((7, 7), (8, 6))
    assert table.best_moves((200, 199)) == ((199, 199), (200, 198))


@given(triples)
@settings(max_examples=50, deadline=None)
def test_batches_of_chances(rows: tuple[int, ...]) -> None:
    table = solve_chances(LIMIT, 0.5)
    board = tuple(filter(None, rows))
    batch = np.array([rows], np.int64)
    for to_move in (True, False):
        one = float(table.losing(board, to_move=to_move))
        assert table.losing_batch(batch, to_move=to_move).tolist() == [one]


def test_p_positions_are_those_of_chomp(tables_of_chances: dict[float, ChancesTable]) -> None:
    """A board is P if no board one move below is. Tables for each ε have the same P-positions."""
    first = tables_of_chances[1.0].is_p
    rows = [tuple(filter(None, row)) for row in boards(0, board_count(12)).tolist()]
    p_positions = {board for board, is_p in zip(rows, first, strict=False) if is_p}
    for board in rows:
        reached = any(child in p_positions for child in naive.chomp_moves(board))
        assert (board in p_positions) == (board != () and not reached)
    for table in tables_of_chances.values():
        assert np.array_equal(table.is_p, first)


def test_best_moves_of_transposes(tables_of_chances: dict[float, ChancesTable]) -> None:
    board = (3, 3, 2, 2, 1)
    assert tables_of_chances[1.0].best_moves(board) == chomp_chances(board).best_moves
    assert tables_of_chances[1.0].best_moves(()) == ()


def test_boards_outside_are_unknown(tables_of_chances: dict[float, ChancesTable]) -> None:
    for board in ((LIMIT + 1,), (4, 4, 4, 4), (1,) * (LIMIT + 1)):
        with pytest.raises(UnknownAnswerError, match=str(LIMIT)):
            tables_of_chances[1.0].losing(board, to_move=True)


def test_smallest_tables() -> None:
    assert chance(solve_random(0)) == 1.0
    assert float(solve_chances(0).losing((), to_move=False)) == 1.0
    assert float(solve_chances(1).losing((1,), to_move=True)) == 1.0
