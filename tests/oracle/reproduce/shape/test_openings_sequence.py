"""Kinds, residuals and patterns of openings, up to n = 2,800, in a slow test up to 14,000.

The figures were measured for sheets x <= 10,000 or are published bounds. All known openings are
unique and in six places.
"""

import numpy as np
import pytest

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.solvers.three_row_games import solve_game
from position_oracle.engine.theory.openings import BY_ROW_3, BY_ROWS_2_AND_3, openings
from position_oracle.oracle.reproduce.shape.opening_patterns import (
    JitteredBeatty,
    autocorrelation,
    binomial_deviation,
    discrepancy,
    kinds_of_diagonals,
    longest_runs,
    spectrum,
    words,
)
from position_oracle.oracle.reproduce.shape.sequence import Sequence
from position_oracle.schema.sheets import LoserSheets

SQRT_2 = 2**0.5


@pytest.fixture(scope="module")
def sheets() -> LoserSheets:
    return solve_game(parse_game("chomp3"), 2_001)


def sequence_of(sheets: LoserSheets) -> Sequence:
    found = openings(
        sheets.diagonal.astype(np.int32), sheets.prefix_length.astype(np.int32), sheets.tail_period
    )
    return Sequence.of(found)


def check_places(sequence: Sequence) -> None:
    """Openings are in six places; residuals are at most 1.770 (row 3) or 1.254 (rows 2 and 3)."""
    assert set(np.unique(sequence.candidate[10:]).tolist()) <= {-1, 0, 1}
    for kind, most in ((BY_ROW_3, 1.770), (BY_ROWS_2_AND_3, 1.254)):
        assert np.abs(sequence.residual[sequence.kind == kind]).max() <= most + 0.0005


def test_every_opening_is_in_one_of_six_places(sheets: LoserSheets) -> None:
    sequence = sequence_of(sheets)
    assert sequence.n[-1] > 2_700
    check_places(sequence)


def test_two_openings_are_refused(sheets: LoserSheets) -> None:
    found = openings(
        sheets.diagonal.astype(np.int32), sheets.prefix_length.astype(np.int32), sheets.tail_period
    )
    found.count[77] = 2
    with pytest.raises(ValueError, match="2 openings for n = 77"):
        Sequence.of(found)


def test_diagonals_alone_tell_the_kind(sheets: LoserSheets) -> None:
    """Proved: the opening is by rows 2 and 3 exactly if n is a diagonal value."""
    sequence = sequence_of(sheets)
    kinds = kinds_of_diagonals(sheets.diagonal)
    assert len(kinds) > sequence.n[-1] + 400
    assert np.array_equal(kinds[2 : len(sequence) + 2], sequence.kind)


def test_kinds_beyond_the_last_stop_are_those_of_larger_tables(sheets: LoserSheets) -> None:
    few = kinds_of_diagonals(sheets.diagonal[:1_000])
    assert len(few) > 1.414 * 1_000 + 200
    assert np.array_equal(few, kinds_of_diagonals(sheets.diagonal)[: len(few)])


def test_counts_hardly_vary(sheets: LoserSheets) -> None:
    """The discrepancy stays between -2 and 1. At the end, independent kinds would have 29."""
    kinds = kinds_of_diagonals(sheets.diagonal)[2:]
    off = discrepancy(kinds)
    assert off.min() > -2
    assert off.max() < 1
    assert off.std() == pytest.approx(0.35, abs=0.05)
    assert binomial_deviation(len(kinds)) > 28


def test_the_jittered_beatty_model_has_the_same_counts(sheets: LoserSheets) -> None:
    model = JitteredBeatty.fit(sheets.diagonal)
    assert model.offset == pytest.approx(0.977, abs=0.06)
    assert model.scatter == pytest.approx(0.497, abs=0.03)
    assert abs(model.memory) < 0.1
    made_up = model.simulate(2_000, seed=3)
    values = np.arange(2_000) + made_up
    assert len(np.unique(values)) == len(values)
    off = discrepancy(kinds_of_diagonals(made_up)[2:])
    assert off.std() == pytest.approx(0.35, abs=0.1)
    assert np.array_equal(made_up, model.simulate(2_000, seed=3))


def test_runs_of_openings_are_short(sheets: LoserSheets) -> None:
    """At most 2 openings by row 3 follow one another, and at most 4 by rows 2 and 3."""
    kinds = kinds_of_diagonals(sheets.diagonal)[2:]
    assert longest_runs(kinds) == {BY_ROW_3: 2, BY_ROWS_2_AND_3: 4}
    assert 100 < words(kinds, 10) <= 247


def test_words_of_a_sturmian_sequence() -> None:
    n = np.arange(20_000)
    sturmian = np.diff(np.floor((SQRT_2 - 1) * n)).astype(np.int8) + 2
    for length in (1, 5, 10):
        assert words(sturmian, length) == length + 1
    assert longest_runs(sturmian) == {2: 2, 3: 1}
    with pytest.raises(ValueError, match="words of length 0"):
        words(sturmian, 0)


def test_the_spectrum_has_its_peak_at_sqrt_2(sheets: LoserSheets) -> None:
    kinds = kinds_of_diagonals(sheets.diagonal)[2:]
    strength = spectrum(kinds, 3)
    assert strength[0] == pytest.approx(0.116, abs=0.02)
    assert strength[0] > 3 * strength[1] > 3 * strength[2]
    random = np.random.default_rng(1).integers(2, 4, len(kinds)).astype(np.int8)
    assert spectrum(random, 3).max() < 4 * 0.5 / len(kinds) ** 0.5


def test_autocorrelation() -> None:
    alternating = np.array([1.0, -1.0] * 50)
    assert autocorrelation(alternating, 1) == pytest.approx(-1)
    assert autocorrelation(alternating, 2) == pytest.approx(1)


@pytest.mark.slow
def test_openings_to_14000() -> None:
    sheets = solve_game(parse_game("chomp3"), 10_001)
    sequence = sequence_of(sheets)
    assert len(sequence) > 14_000
    check_places(sequence)
    # A share sqrt 2 - 1 of them is by row 3.
    assert np.mean(sequence.kind == BY_ROW_3) == pytest.approx(SQRT_2 - 1, abs=2e-4)
    stops = np.cumsum(sheets.tail_period == 0) - (2 - SQRT_2) * np.arange(1, len(sheets) + 1)
    # Mean -0.458, standard deviation 0.335, range -1.58 to 0.53 for x up to 1,000,000.
    assert stops.mean() == pytest.approx(-0.458, abs=0.02)
    assert stops.std() == pytest.approx(0.335, abs=0.01)
    assert stops.min() >= -1.58
    assert stops.max() <= 0.53
