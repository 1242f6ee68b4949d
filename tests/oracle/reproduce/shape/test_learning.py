"""The chances that the program contains: their origin and their quality."""

import numpy as np
import pytest

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.solvers.row_sweep.driver import census
from position_oracle.engine.solvers.row_sweep.query import Answers
from position_oracle.engine.solvers.three_row_games import solve_game
from position_oracle.oracle.families.chomp3 import estimates
from position_oracle.oracle.reproduce.shape.judging import (
    calibrations,
    judge_columns,
    judge_openings,
    judge_z,
)
from position_oracle.oracle.reproduce.shape.learning import LAST_SHEET, learn
from position_oracle.oracle.reproduce.shape.scores import score_cells


def test_cells_by_hand() -> None:
    chances, true = np.array([0.5, 0.25, 0.25, 0.25]), np.array([True, False, False, True])
    found = score_cells(chances, true)
    assert found.bits == pytest.approx((1 + 2 * -np.log2(0.75) + 2) / 4)
    assert found.base_bits == pytest.approx(1)
    assert found.count == 4


@pytest.mark.parametrize(
    ("name", "bits", "error"),
    [("opening", 1.21, 0.01), ("column", 2.45, 0.01), ("position", 0.08, 0.01)],
)
def test_the_scores_of_the_document(name: str, bits: float, error: float) -> None:
    said = estimates.calibration(name)
    assert said.bits < bits < said.base_bits
    assert said.calibration_error < error
    assert said.judged > 100_000


def test_stored_chances_hold_beyond_what_they_were_learned_from() -> None:
    """The sheets between 10,000 and 11,000 were not used for learning."""
    sheets = solve_game(parse_game("chomp3"), 11_001)
    random = np.random.default_rng(5)
    x = random.integers(LAST_SHEET + 1, 11_001, 4_000)
    y = (random.random(len(x)) * x * (2**0.5 - 1)).astype(np.int64)
    found = judge_z(estimates.columns(), x, y, sheets.look_up(x, y))
    said = estimates.calibration("column")
    assert found.bits == pytest.approx(said.bits, abs=0.1)
    assert found.calibration < 0.01


@pytest.mark.slow
def test_what_is_stored_is_what_is_learned() -> None:
    known = learn()
    with np.load(estimates.STORED, allow_pickle=False) as stored:
        assert set(stored.files) == set(known.arrays())
        for name, counts in known.arrays().items():
            assert np.array_equal(stored[name], counts), name


@pytest.mark.slow
def test_the_scores_hold_on_another_census() -> None:
    """This census is judged beyond 50,000; docs/geometry.md has scores beyond 500,000."""
    data: dict[int, bytes] = {}
    found = census(100_000, spacing=1_024, sink=lambda made: data.update({made.row: made.data}))
    known = learn()
    answers = Answers(found, lambda i: data[i * 1_024], len(data), 1_024)
    judged = judge_columns(known, answers, 100_000, sheets=150, seed=2)
    move, base, kind = judge_openings(known, found)
    assert kind.bits < 0.88
    for name, now in calibrations(move, base, judged, 100_000).items():
        said = estimates.calibration(name)
        assert now.bits == pytest.approx(said.bits, abs=0.03), name  # this is three standard errors
        assert now.base_bits == pytest.approx(said.base_bits, abs=0.03), name
        assert now.calibration_error < 0.01, name
    # Higher chances come from the tails of a few sheets, whose columns are similar.
    for chance, share, count in judged.table:
        assert count < 5_000 or share == pytest.approx(chance, abs=0.02)
