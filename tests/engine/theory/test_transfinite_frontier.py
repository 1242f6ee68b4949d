"""The frontier G(4 x a), G((4 x a) + (2 x w)): brute force, the theorems, the paper's set L."""

import numpy as np
import pytest

from position_oracle.engine.solvers.frontier import ABOVE, MAX_VALUE, estimate_bytes, solve
from position_oracle.engine.theory.supermex import loser_sheets
from position_oracle.engine.theory.transfinite.sheets import tail_rank
from tests.reference import transfinite_naive as naive


def test_boxes_by_brute_force() -> None:
    found = solve(9)
    assert found.boxes.tolist() == [naive.columns_grundy((a,) * 4) for a in range(9)]


def test_values_beside_infinite_columns_by_the_definition() -> None:
    """The least number that is no value of a lower side nor of any (h, h, c, d) with h < limit."""
    limit, tops = 14, 4
    found = solve(limit, tops)
    values: dict[tuple[int, int], int] = {}
    for c in range(tops):
        for d in range(c + 1):
            reached = {naive.columns_grundy((h, h, min(c, h), min(d, h))) for h in range(limit)}
            reached |= {values[k, min(d, k)] for k in range(c)}
            reached |= {values[c, k] for k in range(d)}
            values[c, d] = naive.mex(reached)
    assert found.side_tops.tolist() == [values[a, a] for a in range(tops)]


def test_the_side_top_theorem_agrees() -> None:
    """(2 x w) alone is P, so no side-top position above it has value 1."""
    assert tail_rank(loser_sheets(), 0) == 0
    found = solve(60, 20)
    assert found.side_tops[0] == 1
    assert 1 not in found.side_tops[1:]


def test_values_grow_with_the_scan_only() -> None:
    """A longer scan leaves the boxes as they are, and never lowers the values beside w."""
    short, long = solve(40, 10), solve(80, 10)
    assert np.array_equal(short.boxes, long.boxes[:40])
    assert np.all(short.latest <= long.latest)
    assert np.all(long.latest < 80)


def test_the_set_l() -> None:
    """Section 12: L contains all g < 46. This scan, shorter than the paper's, does not find 46."""
    found = solve(120, 60).found()
    assert found[:19].all()
    assert not found[46]
    assert found.shape == (MAX_VALUE + 1,)


@pytest.mark.slow
def test_the_set_l_further() -> None:
    found = solve(560, 280)
    assert found.found()[:46].all()
    assert not found.found()[46]


def test_limits() -> None:
    assert estimate_bytes(1000) > 2 << 30
    assert ABOVE == MAX_VALUE + 1
