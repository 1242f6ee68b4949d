"""Chances beyond the tables: learned from some openings and sheets, and judged on others."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from position_oracle.engine.games.game_text import parse_game
from position_oracle.engine.solvers.row_sweep.driver import census
from position_oracle.engine.solvers.three_row_games import solve_game
from position_oracle.engine.theory.openings import BY_ROW_3, openings
from position_oracle.oracle.families.chomp3.beyond import CANDIDATES, ColumnEstimates
from position_oracle.oracle.reproduce.shape import judging
from position_oracle.oracle.reproduce.shape.judging import (
    columns_without_phases,
    judge_kinds,
    judge_moves,
    judge_z,
)
from position_oracle.oracle.reproduce.shape.learning import learn_columns, learn_openings
from position_oracle.oracle.reproduce.shape.scores import calibration_error, reliability, score
from position_oracle.oracle.reproduce.shape.sequence import Sequence
from position_oracle.schema.sheets import LoserSheets

SHEETS = 3_001
SQRT_2 = 2**0.5


@pytest.fixture(scope="module")
def sheets() -> LoserSheets:
    return solve_game(parse_game("chomp3"), SHEETS)


@pytest.fixture(scope="module")
def sequence() -> Sequence:
    found = census(10_000)
    return Sequence.of(openings(found.diagonal_z, found.prefix_length, found.tail_period))


@pytest.fixture(scope="module")
def columns(sheets: LoserSheets) -> ColumnEstimates:
    return learn_columns(sheets, 800, 2_000)


def test_a_score_by_hand() -> None:
    chances = np.array([[0.5, 0.5, 0.0], [0.25, 0.0, 0.75], [0.25, 0.0, 0.75]])
    found = score(chances, np.array([0, 2, 0]), best=2)
    assert found.bits == pytest.approx((1 - np.log2(0.75) + 2) / 3)
    assert found.best == (2 / 3, 1.0)
    assert found.best[0] == 2 / 3
    assert score(chances, np.array([-1, -1, -1])).bits == pytest.approx(-np.log2(1e-6))


def test_a_reliability_table_by_hand() -> None:
    chances = np.array([0.72, 0.78, 0.15, 0.15])
    true = np.array([True, False, False, False])
    table = np.array(reliability(chances, true))
    assert table == pytest.approx(np.array([[0.15, 0.0, 2], [0.75, 0.5, 2]]))
    assert calibration_error(chances, true) == pytest.approx(0.2)


@pytest.mark.parametrize("last_x", [40, 199, 200])
def test_words_name_the_openings_that_are_judged(
    monkeypatch: pytest.MonkeyPatch, last_x: int
) -> None:
    """The first opening after n is the first one that is judged."""
    monkeypatch.setattr(judging, "LAST_OPENING", 50)
    monkeypatch.setattr(judging, "openings_without_phases", lambda known: known)
    monkeypatch.setattr(judging, "judge_kinds", lambda _, judged: judged)
    monkeypatch.setattr(judging, "judge_moves", lambda _, judged: judged)
    known: Any = SimpleNamespace(openings=None)
    judged: Any = judging.judge_openings(known, census(last_x))[0]
    scores: Any = SimpleNamespace(count=1, bits=1.0, base_bits=1.0, calibration=0.0)
    columns: Any = SimpleNamespace(columns=scores, base=scores, cells=scores)
    words = judging.calibrations(scores, scores, columns, last_x)["opening"].judged_on
    assert words == f"1 openings of n > {judged.first - 1}"


def test_chances_of_openings_add_up(sequence: Sequence) -> None:
    estimates = learn_openings(sequence)
    assert estimates.of(np.arange(100, 10_000)).sum(axis=1) == pytest.approx(1)
    candidates = estimates.candidates(10**9)
    assert len(candidates) == len(CANDIDATES)
    assert sum(chance for _, _, chance in candidates) == pytest.approx(1)
    for kind, place, _ in candidates:
        factor = 1 / SQRT_2 if kind == BY_ROW_3 else 2 - SQRT_2
        assert abs(place - factor * 10**9) < 2


def test_openings_that_were_not_learned_from(sequence: Sequence) -> None:
    """Better than base rates: 0.98 bits for the kind, 1.72 for the move; and well calibrated."""
    estimates = learn_openings(sequence.between(50, 7_000))
    judged = sequence.between(7_001, 14_000)
    move, kind = judge_moves(estimates, judged), judge_kinds(estimates, judged)
    assert move.bits < 1.29
    assert move.best[1] > 0.86
    assert move.best[3] > 0.99
    assert kind.bits < 0.90
    assert kind.best[0] > 0.64
    assert move.calibration < 0.02
    assert kind.calibration < 0.03


def test_columns_that_were_not_learned_from(sheets: LoserSheets, columns: ColumnEstimates) -> None:
    random = np.random.default_rng(3)
    x = random.integers(2_200, SHEETS, 4_000)
    y = (random.random(len(x)) * x * (SQRT_2 - 1)).astype(np.int64)
    found = judge_z(columns, x, y, sheets.look_up(x, y))
    assert found.bits < 2.6
    assert found.best[0] > 0.44
    assert found.best[7] > 0.94
    assert found.calibration < 0.01


def test_columns_beyond_the_lines_are_in_a_tail_or_empty(
    sheets: LoserSheets, columns: ColumnEstimates
) -> None:
    random = np.random.default_rng(4)
    x = random.integers(2_200, SHEETS, 3_000)
    y = (x * (0.5 + random.random(len(x)))).astype(np.int64)
    found = judge_z(columns, x, y, sheets.look_up(x, y))
    assert found.bits < 1.2
    assert (
        found.bits
        < judge_z(columns_without_phases(columns), x, y, sheets.look_up(x, y)).bits - 0.15
    )
    empty = [dict(columns.ranked(x, 2_000))[None] for x in range(2_400, 2_500)]
    assert np.mean(empty) == pytest.approx(2 - SQRT_2, abs=0.05)


def test_chances_of_a_column_add_up(columns: ColumnEstimates) -> None:
    for x, y in ((50_000, 0), (50_000, 3), (50_000, 12_345), (50_000, 20_711), (50_000, 90_000)):
        z, chances = columns.of(np.array([x]), np.array([y]))
        assert chances.sum() == pytest.approx(1)
        assert (chances >= 0).all()
        ranked = columns.ranked(x, y, 4)
        assert ranked == sorted(ranked, key=lambda one: -one[1])
        top, chance = ranked[0]
        if top is not None:
            assert columns.chance(x, y, top) == pytest.approx(chance)
        assert columns.chance(x, y, 10**6) < 1e-100
        assert z.shape == chances.shape


def test_the_diagonal_is_near_its_line(sheets: LoserSheets, columns: ColumnEstimates) -> None:
    x = np.arange(2_200, SHEETS)
    y = np.zeros_like(x)
    found = judge_z(columns, x, y, sheets.look_up(x, y))
    assert found.bits < 1.2
    assert found.best[2] > 0.97


@pytest.mark.slow
def test_estimates_from_larger_sheets() -> None:
    """f(b, c) takes at most 2.45 bits."""
    sheets = solve_game(parse_game("chomp3"), 10_001)
    estimates = learn_columns(sheets, 2_000, 7_000)
    random = np.random.default_rng(1)
    x = random.integers(8_000, 10_001, 20_000)
    y = (random.random(len(x)) * x * (SQRT_2 - 1)).astype(np.int64)
    cells = judge_z(estimates, x, y, sheets.look_up(x, y))
    assert cells.bits < 2.45
    assert cells.calibration < 0.01
