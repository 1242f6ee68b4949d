"""Sums along the lines of sheets, and the constants fitted to them."""

from dataclasses import fields

import numpy as np
import pytest
from numpy.typing import NDArray

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.solvers.sheet_geometry import sheet_sums
from position_oracle.engine.solvers.three_row_games import solve_game
from position_oracle.engine.theory.geometry.fits import jackknife, measure, ranges, ratio_of
from position_oracle.engine.theory.geometry.summary import BIN_WIDTH, BINS, FIRST_BIN, SheetSums
from position_oracle.engine.theory.renormalization import closed_form
from position_oracle.schema.geometry import QUANTITIES, Measure
from position_oracle.schema.sheets import LoserSheets

LIMIT = 1_000
Ints = NDArray[np.int64]
SIX = ("alpha", "slope_lower", "density_lower", "slope_upper", "density_upper", "gamma")


@pytest.fixture(scope="module")
def plain() -> LoserSheets:
    return solve_game(parse_game("chomp3"), LIMIT + 1)


def by_name(measures: list[Measure]) -> dict[str, Measure]:
    return {one.quantity: one for one in measures}


SUMS = ("count", "y", "z", "yy", "yz", "zz", "least", "most")


def lines_of(sheets: LoserSheets, x: int) -> tuple[list[float], list[float]]:
    """Return the `SUMS` of the upper and of the lower line of a sheet, by their definition."""
    constants = closed_form()
    z = sheets.prefix(x).astype(np.int64)
    y = np.arange(len(z))
    height = y + z
    below = np.flatnonzero(height < height[0]) if len(z) else y
    end = int(below[-1]) + 1 if len(below) else min(1, len(z))
    y, z, height = y[1:end], z[1:end], height[1:end]
    is_upper = height > sheets.prefix(x)[0] if end else np.zeros(0, bool)

    def sums(y: Ints, z: Ints, slope: float) -> list[float]:
        distance = z - (constants.alpha * x + slope * y)
        extremes = [distance.min(), distance.max()] if len(y) else [0.0, 0.0]
        return [len(y), y.sum(), z.sum(), y @ y, y @ z, z @ z, *extremes]

    return (
        sums(y[is_upper], z[is_upper], constants.slope_upper),
        sums(y[~is_upper], z[~is_upper], constants.slope_lower),
    )


@pytest.mark.parametrize(
    "game", ["chomp3", "chomp3{passes=1}", "chomp3{declared=[0,1,1]}", "chomp3{declared=[1,1,0]}"]
)
def test_sums_are_those_of_the_definition(game: str) -> None:
    sheets = solve_game(parse_game(game), 121)
    sums = sheet_sums(sheets)
    for x in range(121):
        for found, expected in zip((sums.upper, sums.lower), lines_of(sheets, x), strict=True):
            assert [getattr(found, name)[x] for name in SUMS] == pytest.approx(expected)


def test_every_p_position_before_the_tail_is_counted_once(plain: LoserSheets) -> None:
    sums = sheet_sums(plain)
    there = plain.prefix_length > 0
    counted = sums.upper.count + sums.lower.count + there
    assert np.array_equal(sums.line_length, counted)
    stops = plain.tail_period == 0
    assert np.array_equal(sums.line_length[stops], plain.prefix_length[stops])
    # A tail begins within a few columns of the end of the lines: at most 6, for x up to 10,000.
    after = plain.prefix_length - sums.line_length
    assert after.min() >= 0
    assert after.max() <= 6


def test_the_histogram_counts_distances(plain: LoserSheets) -> None:
    histogram = np.zeros((2, BINS), np.int64)
    sums = sheet_sums(plain, histogram)
    assert histogram.sum(axis=1).tolist() == [sums.upper.count.sum(), sums.lower.count.sum()]
    least = FIRST_BIN + BIN_WIDTH * np.flatnonzero(histogram[0])[0]
    assert least <= sums.upper.least.min() < least + BIN_WIDTH


def test_sums_of_parts_are_parts_of_sums(plain: LoserSheets) -> None:
    whole = sheet_sums(plain)
    joined = SheetSums.concatenate(
        [sheet_sums(plain.part(0, 300)), sheet_sums(plain.part(300, LIMIT + 1))]
    )
    cut = whole.between(300, LIMIT)
    assert (cut.first_x, len(cut)) == (300, LIMIT - 299)
    for line in ("upper", "lower"):
        for field in fields(whole.upper):
            values = getattr(getattr(whole, line), field.name)
            assert np.array_equal(values, getattr(getattr(joined, line), field.name))
            assert np.array_equal(values[300:], getattr(getattr(cut, line), field.name))


def test_the_constants_of_small_sheets_agree_with_equation_5(plain: LoserSheets) -> None:
    """Within four standard errors, and within a thousandth except gamma."""
    found = by_name(measure(sheet_sums(plain).between(500, LIMIT)))
    for name in SIX:
        one = found[name]
        assert one.expected is not None
        assert one.standard_error is not None
        assert abs(one.value - one.expected) < max(4 * one.standard_error, 2e-4)
        assert abs(one.value - one.expected) < (0.01 if name == "gamma" else 0.001)


def test_densities_add_up_to_one(plain: LoserSheets) -> None:
    """Constraint 1 holds exactly: every column before the end of the lines has a P-position."""
    found = by_name(measure(sheet_sums(plain).between(500, LIMIT)))
    assert found["density_upper"].value + found["density_lower"].value == pytest.approx(
        1, abs=1e-12
    )


@pytest.mark.slow
def test_the_constants_of_sheets_5000_to_10000() -> None:
    """Targets: within 0.0001 (gamma 0.0002); scatter 0.82 and 1.35, as in an earlier run."""
    sums = sheet_sums(solve_game(parse_game("chomp3"), 10_001))
    found = by_name(measure(sums.between(5_000, 10_000)))
    of_heaps = {"distance_double", "distance_three_halves"}
    assert set(found) == QUANTITIES.keys() - of_heaps
    for name in SIX:
        one = found[name]
        assert one.expected is not None
        assert abs(one.value - one.expected) < (2e-4 if name == "gamma" else 1e-4), name
    # 2,071 of 5,001 sheets have a tail: 9.6e-5 below sqrt 2 - 1.
    assert found["gamma"].value == 2_071 / 5_001
    # alpha lies 1.4e-5 above 1 / sqrt 2, with a standard error of 5e-6.
    assert found["alpha"].value - 2**-0.5 == pytest.approx(1.4e-5, abs=1e-6)
    assert found["upper_scatter"].value == pytest.approx(0.82, abs=0.01)
    assert found["lower_scatter"].value == pytest.approx(1.35, abs=0.01)
    assert found["upper_least"].value == pytest.approx(-12.2, abs=0.05)
    assert found["upper_most"].value == pytest.approx(3.1, abs=0.05)
    assert found["lower_most"].value == pytest.approx(22.6, abs=0.05)


def test_sheets_cut_by_a_limit_in_y_show_their_tails_too() -> None:
    """With noise no tail is proven. Tails are recognized beyond the end of the lines."""
    sheets = solve_game(parse_game("chomp3{noise=normal(8),seed=1}"), 301, 400)
    sums = sheet_sums(sheets)
    found = by_name(measure(sums.between(150, 300)))
    assert found["gamma"].value == pytest.approx(2**0.5 - 1, abs=0.06)
    assert found["alpha"].value == pytest.approx(2**-0.5, abs=0.02)
    assert found["tail_height"].value == pytest.approx(2 - 2**0.5, abs=0.02)


def test_sheets_cut_too_early_do_not_count_for_gamma() -> None:
    sheets = solve_game(parse_game("chomp3{noise=normal(8),seed=1}"), 301, 60)
    assert set(sheet_sums(sheets).ends[150:].tolist()) >= {-1}
    assert "gamma" not in by_name(measure(sheet_sums(sheets).between(150, 300)))


def test_a_closed_game_has_no_shape() -> None:
    sheets = solve_game(parse_game("chomp3{declared=[1,1,0]}"), 301)
    assert measure(sheet_sums(sheets).between(150, 300)) == []


@pytest.mark.parametrize(
    ("last_x", "expected"),
    [
        (1_000, [(62, 124), (125, 249), (250, 499), (500, 1_000)]),
        (119, [(60, 119)]),
        (117, []),
        (0, []),
    ],
)  # fmt: skip
def test_ranges_are_halves(last_x: int, expected: list[tuple[int, int]]) -> None:
    assert ranges(last_x) == expected


def slope(sums: list[float]) -> float:
    n, x, y, xx, xy = sums
    return ratio_of([n * xy - x * y, n * xx - x * x])


def test_a_jackknife_error_is_that_of_the_slope() -> None:
    """For independent noise, least squares gives sigma / sqrt(sum of (x - mean x)^2)."""
    random = np.random.default_rng(7)
    x = np.arange(2_000.0)
    errors = []
    for _ in range(30):
        y = 3 * x + 5 + random.normal(size=len(x))
        sums = np.stack([np.ones(len(x)), x, y, x * x, x * y], axis=1)
        value, error = jackknife(sums, slope)
        assert value == pytest.approx(3, abs=1e-3)
        errors.append(error)
    expected = 1 / np.sqrt(((x - x.mean()) ** 2).sum())
    assert np.mean(errors) == pytest.approx(expected, rel=0.15)
