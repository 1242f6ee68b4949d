"""Questions at the ends of their ranges take at most their cost, or get an error of the project."""

import numpy as np
import pytest

from position_oracle.engine.budget import Cost
from position_oracle.engine.theory import bounds
from position_oracle.oracle.families.rows import distinct_rows
from tests.extremes.measure import faults_of, measure, text_of, warm_up
from tests.extremes.questions import questions

QUICK = Cost(0.05, 1 << 28)


@pytest.mark.parametrize("seed", range(4))
def test_only_our_errors_are_raised(seed: int) -> None:
    """An `OverflowError` or `MemoryError` would be an internal error of the service."""
    for question in questions(60, seed):
        assert not measure(question, QUICK, stop=0.1).error, text_of(question)


@pytest.mark.slow
def test_costs_deadlines_and_checks_of_the_budget() -> None:
    """`make extremes` tries more questions."""
    warm_up()
    found = {text_of(question): faults_of(question) for question in questions(1_000, seed=7)}
    wrong = {text: faults for text, faults in found.items() if faults}
    assert len(wrong) <= 20, wrong  # a busy machine or garbage collection adds some


def test_products_saturate() -> None:
    assert bounds.product([]) == 1
    assert bounds.product([3, 4, 5]) == 60
    assert bounds.product([2**63 - 1] * 17) == bounds.LARGEST
    assert bounds.product([10**400, 10**400]) == bounds.LARGEST
    assert int(bounds.product([2**2000]) * 2)


@pytest.mark.parametrize("width", [1, 3, 70])
def test_distinct_rows_are_those_of_a_comparison(width: int) -> None:
    rows = np.random.default_rng(1).integers(-2, 3, (5_000, width), np.int32)
    rows[2_500:] = rows[:2_500]
    first, place = distinct_rows(rows)
    assert (rows[first][place] == rows).all()
    assert len(first) == len(np.unique(rows, axis=0))
    assert (np.diff(first) > 0).all()
