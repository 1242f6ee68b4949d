"""The six constraints of Friedman and Landsberg (2007), section III E, and equation (5)."""

from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle.engine.theory.renormalization import Constants, closed_form
from position_oracle.oracle.reproduce.shape.constraints import constants_of, residuals, solve

EQUATION_5 = {
    "alpha": 0.70710678,
    "slope_lower": -1.70710678,
    "density_lower": 0.29289322,
    "slope_upper": -0.29289322,
    "density_upper": 0.70710678,
    "gamma": 0.41421356,
}


@pytest.mark.parametrize(("name", "value"), EQUATION_5.items())
def test_the_closed_form_is_equation_5(name: str, value: float) -> None:
    assert getattr(closed_form(), name) == pytest.approx(value, abs=1e-8)


def test_the_closed_form_meets_every_constraint() -> None:
    assert np.abs(residuals(closed_form())).max() < 1e-14


def test_the_constraints_alone_lead_to_the_closed_form() -> None:
    assert np.abs(np.array(astuple(solve())) - np.array(astuple(closed_form()))).max() < 1e-12


@given(st.lists(st.floats(-0.05, 0.05), min_size=6, max_size=6))
def test_every_start_nearby_leads_there(shift: list[float]) -> None:
    start = constants_of(np.array(astuple(closed_form())) + np.array(shift))
    assert np.abs(np.array(astuple(solve(start))) - np.array(astuple(closed_form()))).max() < 1e-9


def test_no_constraint_is_idle() -> None:
    """Each constraint is broken by a change of some constant; each change breaks a constraint."""
    broken = np.zeros(6, bool)
    for place in range(6):
        values = np.array(astuple(closed_form()))
        values[place] += 1e-3
        left = np.abs(residuals(constants_of(values))) > 1e-5
        assert left.any()
        broken |= left
    assert broken.all()


def test_a_hopeless_start_is_an_error() -> None:
    with pytest.raises(ArithmeticError, match="no solution"):
        solve(Constants(1e9, 5.0, 1e9, 7.0, -1e9, 1e9))


def test_where_lines_end_and_tails_lie() -> None:
    """The flat line begins at the end of the lower line: y = (sqrt 2 - 1) x, z = (2 - sqrt 2) x."""
    assert closed_form().line_end == pytest.approx(2**0.5 - 1)
    assert closed_form().tail_height == pytest.approx(2 - 2**0.5)
