"""Geometry of a census to 100,000 is that of docs/geometry.md, measured to 1,000,000."""

import numpy as np
import pytest

from position_oracle.engine.jobs.chomp3.census import shape_of
from position_oracle.engine.solvers.row_sweep.driver import census
from position_oracle.engine.theory.geometry.fits import measure
from position_oracle.engine.theory.openings import BY_ROW_3, BY_ROWS_2_AND_3, openings
from position_oracle.oracle.reproduce.shape.judging import judge_moves
from position_oracle.oracle.reproduce.shape.ladders import Tails, rungs_before
from position_oracle.oracle.reproduce.shape.learning import learn_openings
from position_oracle.oracle.reproduce.shape.opening_patterns import discrepancy, kinds_of_diagonals
from position_oracle.oracle.reproduce.shape.sequence import Sequence
from position_oracle.schema.census import Census

pytestmark = pytest.mark.slow

LIMIT = 100_000
ERRORS = 3.0
"""Number of standard errors. In one of fifty games, one of seven constants lies outside."""


@pytest.fixture(scope="module")
def found() -> Census:
    return census(LIMIT)


@pytest.fixture(scope="module")
def sequence(found: Census) -> Sequence:
    return Sequence.of(openings(found.diagonal_z, found.prefix_length, found.tail_period))


def test_constants_over_the_upper_half_are_those_of_equation_5(found: Census) -> None:
    sheets = shape_of(found).between(LIMIT // 2, LIMIT)
    measured = [one for one in measure(sheets) if one.expected is not None]
    assert len(measured) == 8
    for one in measured:
        assert one.standard_error is not None
        assert one.expected is not None
        off = abs(one.value - one.expected)
        assert off <= ERRORS * one.standard_error, one.quantity
        assert off <= 2e-6, one.quantity


def test_openings_have_six_places_and_kinds_of_diagonals(found: Census, sequence: Sequence) -> None:
    assert sequence.n[-1] >= 141_000
    assert set(sequence.candidate.tolist()) == {-1, 0, 1}
    for kind, most in ((BY_ROW_3, 1.7705), (BY_ROWS_2_AND_3, 1.2543)):
        assert np.abs(sequence.residual[sequence.kind == kind]).max() < most
    kinds = kinds_of_diagonals(found.diagonal_z)
    assert len(kinds) > 170_000
    np.testing.assert_array_equal(kinds[2 : sequence.n[-1] + 1], sequence.kind)
    off = discrepancy(kinds[2:])
    assert -1.205 < off.min() < off.max() < 0.663


def test_diagonal_values_hardly_fall(found: Census) -> None:
    values = np.arange(LIMIT + 1) + found.diagonal_z
    assert (np.maximum.accumulate(values) - values).max() == 1


def test_every_long_period_has_its_rung_below(found: Census) -> None:
    tails = Tails(found.tail_period, found.tail_offset, found.tail_z)
    assert set(rungs_before(tails, 9)) == {3}
    assert set(rungs_before(tails, 8)) == {4}
    assert set(rungs_before(tails, 4)) <= {0, 2, 4}


def test_chances_of_openings_learned_to_50_000(sequence: Sequence) -> None:
    learned = learn_openings(sequence.between(2, 50_000))
    judged = judge_moves(learned, sequence.between(70_000, 141_000))
    assert judged.bits <= 1.215
    assert judged.best[3] >= 0.999
    assert judged.calibration <= 0.01
