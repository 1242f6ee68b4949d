"""The mex, of numbers and of bits."""

from hypothesis import given
from hypothesis import strategies as st

from position_oracle.engine.theory.mex import mex, mex_of_bits


@given(st.sets(st.integers(0, 80)))
def test_the_least_number_that_is_missing(values: set[int]) -> None:
    expected = min(set(range(82)) - values)
    assert mex(values) == expected
    assert mex_of_bits(sum(1 << value for value in values)) == expected
