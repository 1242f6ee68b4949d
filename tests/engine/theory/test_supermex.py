"""The supermex by its definition gives the sheets of golden cases, the kernel and the rules."""

from itertools import count

import numpy as np

from position_oracle.engine.solvers.three_row.build import solve
from position_oracle.engine.theory.supermex import loser_sheets
from tests.reference.three_row_naive import p_positions


def test_its_sheets_are_those_of_the_kernel() -> None:
    found, computed = loser_sheets(200), solve(200)
    for name in ("prefix_offset", "prefix_z", "tail_period", "tail_offset", "tail_z"):
        assert np.array_equal(getattr(found, name), getattr(computed, name)), name


def test_its_positions_are_those_of_the_rules() -> None:
    longest = 40
    sheets = loser_sheets(longest + 1)
    found = set()
    for x in range(longest + 1):
        for y in count():
            z = sheets.z_at(x, y)
            if z is None or x + y > longest:
                break
            if x + y + z <= longest:
                found.add((x + y + z, x + y, x))
    assert found == p_positions(longest)[0]


def test_no_sheet_and_one_sheet() -> None:
    assert len(loser_sheets(0)) == 0
    assert loser_sheets(1).z_at(0, 10**12) == 1
