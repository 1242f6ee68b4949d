"""Ladders of tails: invented ones, those of plain three-row Chomp, and those of a census."""

import numpy as np
import pytest

from position_oracle.engine.solvers.row_sweep.driver import census
from position_oracle.engine.theory.geometry.fits import measure
from position_oracle.engine.theory.geometry.summary import SheetSums
from position_oracle.oracle.reproduce.shape.ladders import (
    Tails,
    ladder_of,
    rungs_before,
    threshold,
)
from position_oracle.schema.sheets import offsets_of


@pytest.fixture(scope="module")
def tails() -> Tails:
    found = census(7_000)
    return Tails(found.tail_period, found.tail_offset, found.tail_z)


def test_a_made_up_ladder() -> None:
    values = [[4], [5], [7, 4], [], [7, 7, 8], [3, 9], [1, 2, 8, 2]]
    period = np.array(list(map(len, values)), np.int32)
    tails = Tails(
        period, offsets_of(period), np.array([z for tail in values for z in tail], np.int32)
    )
    ladder = ladder_of(tails, 4)
    assert ladder.sheets == (2, 4, 6)
    assert ladder.periods == (2, 3, 4)
    assert ladder.shared == ((7,), (8,))
    assert ladder_of(tails, 5).sheets == (5,)
    assert rungs_before(tails, 3) == {2: 1}
    assert rungs_before(tails, 2) == {0: 1, 1: 1}
    assert rungs_before(tails, 1) == {}
    with pytest.raises(ValueError, match="sheet 1"):
        ladder_of(tails, 1)


def test_every_9_comes_two_after_a_3(tails: Tails) -> None:
    """The first tail of period 9 is that of x = 6541, after a 3 at 6539."""
    assert tails.with_period(9) == [6541]
    assert rungs_before(tails, 9) == {3: 1}
    assert ladder_of(tails, 6541).sheets == (6539, 6541)
    # {v, v + 3} in the tail below, and v + 4 as well here.
    assert ladder_of(tails, 6541).shared == ((3829, 3832),)
    assert set(tails.of(6541)) == {3829, 3832, 3833}


def test_every_4_comes_two_after_a_2_or_a_4(tails: Tails) -> None:
    """Up to x = 1,000,000 this holds for 99.7 % of them; up to this limit, for all."""
    assert set(rungs_before(tails, 4)) == {2, 4}
    assert set(rungs_before(tails, 2)) == {0}


def test_period_2_needs_a_phase_between_0_2_and_0_9(tails: Tails) -> None:
    phases = 2**0.5 * np.array(tails.with_period(2)) % 1
    assert len(phases) > 100
    assert phases.min() > 0.2
    assert phases.max() < 0.9


def test_constant_tails_lie_in_two_places(tails: Tails) -> None:
    """z = ceil((2 - sqrt 2) x) + {0, 1}; a threshold of the phase decides 99 % correctly."""
    x = np.array(tails.with_period(1))
    z = np.array([tails.of(sheet)[0] for sheet in x.tolist()])
    assert set((z - np.ceil((2 - 2**0.5) * x)).astype(int).tolist()) == {0, 1}
    phase, right = threshold(tails)
    assert phase == pytest.approx(0.36, abs=0.03)
    assert right > 0.985
    # Proved: no two constant tails have the same z.
    assert len(set(z.tolist())) == len(z)


def shape_of(limit: int) -> SheetSums:
    found = census(limit)
    return SheetSums.counted(
        diagonal_z=found.diagonal_z,
        prefix_length=found.prefix_length,
        tails=(found.tail_period, found.tail_offset, found.tail_z),
        upper=found.upper,
        lower=found.lower,
    )


def test_a_census_shows_all_six_constants() -> None:
    found = {one.quantity: one for one in measure(shape_of(4_000).between(2_000, 4_000))}
    for name in ("alpha", "slope_lower", "density_lower", "slope_upper", "density_upper", "gamma"):
        one = found[name]
        assert one.expected is not None
        assert one.standard_error is not None
        assert abs(one.value - one.expected) < max(4 * one.standard_error, 1e-4), name
    assert "upper_scatter" not in found
