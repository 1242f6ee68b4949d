"""The predicted places equal those computed with a hundred decimal digits."""

from decimal import Decimal, getcontext

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from position_oracle.engine.theory.renormalization import closed_form
from position_oracle.oracle.families.chomp3 import places

getcontext().prec = 100
ROOT = Decimal(2).sqrt()
NUMBERS = st.integers(1, 10_000) | st.integers(1, 1 << 60)


def check(found: places.Places, place: Decimal) -> None:
    assert 0 <= found.phase[0] < 1
    near = Decimal(int(found.whole[0])) + Decimal(float(found.phase[0]))
    assert abs(near - place) < Decimal("1e-4")


@given(NUMBERS, st.integers(0, 1 << 60))
def test_places(x: int, y: int) -> None:
    sheet, column = np.array([x]), np.array([y])
    check(places.sheet(sheet), x / ROOT)
    check(places.upper_line(sheet, column), x / ROOT + (1 / ROOT - 1) * y)
    check(places.lower_line(sheet, column), x / ROOT - (1 / ROOT + 1) * y)
    check(places.tail(sheet), (2 - ROOT) * x)
    check(places.line_end(sheet), (ROOT - 1) * x)


@given(st.integers((1 << 36) - 1000, (1 << 36) + 1000), st.booleans())
def test_both_ways_agree_where_they_meet(k: int, negative: bool) -> None:
    check(places.over_root_2(np.array([-k if negative else k])), (-k if negative else k) / ROOT)


def test_the_places_are_those_of_the_closed_form() -> None:
    x, y, constants = np.full(5, 1000), np.arange(0, 400, 80), closed_form()
    for found, place in (
        (places.upper_line(x, y), constants.alpha * x + constants.slope_upper * y),
        (places.lower_line(x, y), constants.alpha * x + constants.slope_lower * y),
        (places.tail(x), constants.tail_height * x),
        (places.line_end(x), constants.line_end * x),
    ):
        assert np.allclose(found.whole + found.phase, place)
