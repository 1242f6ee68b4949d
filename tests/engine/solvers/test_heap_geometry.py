"""Sheets of heap games: factors of two in Nim, perturbed columns, golden-ratio lines of Wythoff."""

import numpy as np
import pytest
from numpy.typing import NDArray

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.solvers.heap_games import solve_sheets
from position_oracle.engine.theory.geometry.dynamics import box_density, distance
from position_oracle.engine.theory.nim import third_heap_table
from position_oracle.oracle.families.heaps.geometry import (
    PHI,
    doubling,
    golden_lines,
    two_heap_lines,
)

SIDE = 512


def sheets(text: str) -> NDArray[np.integer]:
    return solve_sheets(parse_game(text), SIDE - 1, SIDE - 1)


@pytest.fixture(scope="module")
def with_pass() -> NDArray[np.integer]:
    return sheets("nim{heaps=3,passes=1}")


@pytest.mark.parametrize("which", ["nim", "with a pass"])
def test_sheets_repeat_by_factors_of_two(which: str, with_pass: NDArray[np.integer]) -> None:
    z = third_heap_table(SIDE, SIDE) if which == "nim" else with_pass
    ((first, last, measures),) = doubling(z)
    assert (first, last) == (64, 127)
    double, half_more = measures
    assert double.quantity == "distance_double"
    assert half_more.quantity == "distance_three_halves"
    assert double.value < half_more.value / 3
    for one in measures:
        assert one.standard_error is not None
        assert 0 < one.standard_error < 0.03
        assert one.meaning


def test_a_doubled_sheet_by_hand() -> None:
    """On a grid of 16 x 16 boxes, z = y has density 1/16 in each box of the diagonal."""
    y = np.arange(64)
    shape = box_density(y, y, 64)
    assert np.array_equal(shape, np.eye(16) / 16)
    assert distance(shape, box_density(y, np.full(64, 99), 64)) == 0.5
    assert distance(shape, box_density(y, 63 - y, 64)) == 1


def mean_shape(z: NDArray[np.integer]) -> NDArray[np.float64]:
    shapes = [box_density(np.arange(2 * x), z[x, : 2 * x], 2 * x) for x in range(80, 91)]
    mean: NDArray[np.float64] = np.mean(shapes, axis=0)
    return mean


def test_perturbing_every_column_leaves_the_shape(with_pass: NDArray[np.integer]) -> None:
    """Fig. 11 of Morrison, Friedman and Landsberg: all perturbed games have the same shape."""
    nim = mean_shape(third_heap_table(SIDE, SIDE))
    generic = [
        mean_shape(with_pass),
        mean_shape(sheets("nim{heaps=3,declared=[0,1,1]+[2,3,9]}")),
        *(mean_shape(sheets(f"nim{{heaps=3,noise=normal(8),seed={seed}}}")) for seed in (1, 2, 3)),
    ]
    for i, one in enumerate(generic):
        assert distance(one, nim) > 0.5
        for other in generic[:i]:
            assert distance(one, other) < 0.25


@pytest.mark.parametrize("rule", ["pairs", "both"])
def test_golden_lines_of_three_heaps(rule: str) -> None:
    z = solve_sheets(parse_game(f"wythoff{{rule={rule}}}"), 63, 1023)
    ((first, last, measures),) = golden_lines(z)
    assert (first, last) == (32, 63)
    for one in measures:
        assert one.deviation == pytest.approx(0, abs=0.01), one.quantity


def test_the_lines_of_two_heaps_are_exact() -> None:
    exact = {one.quantity: one.value for one in two_heap_lines()}
    assert exact["slope_upper"] == pytest.approx(PHI)
    assert exact["slope_lower"] * exact["slope_upper"] == pytest.approx(1)
    assert exact["density_lower"] + exact["density_upper"] == pytest.approx(1)
    k = np.arange(1, 1_000)
    lower, upper = np.floor(k * PHI), np.floor(k * PHI * PHI)
    assert np.polyfit(lower, upper, 1)[0] == pytest.approx(exact["slope_upper"], abs=1e-4)
