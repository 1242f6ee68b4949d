"""Openings of 3 x n rectangles, found in the sheets."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle.engine.solvers.row_sweep.driver import census
from position_oracle.engine.theory.openings import Openings, openings
from tests.reference.three_row_naive import moves, p_positions

GOLDEN = Path(__file__).parents[2] / "golden" / "07_rectangles.jsonl"
LIMIT = 4_000


@pytest.fixture(scope="module")
def found() -> Openings:
    swept = census(LIMIT)
    return openings(swept.diagonal_z, swept.prefix_length, swept.tail_period)


def test_the_winning_bites_of_small_rectangles(found: Openings) -> None:
    """Return every bite of the 3 x n rectangle to a P-position of the naive game tree."""
    longest = 25
    lost = p_positions(longest)[0]
    for n in range(1, longest + 1):
        (left,) = [rows for rows in moves((n, n, n)) if rows in lost]
        row = 3 if left[1] == n else 2
        assert (found.row[n], found.column[n], found.count[n]) == (row, left[2] + 1, 1)


def test_golden_rectangles(found: Openings) -> None:
    checked = 0
    for line in GOLDEN.read_text().splitlines():
        case = json.loads(line)
        if case["kind"] != "rectangle" or len(case["position"]) != 3:
            continue
        n = case["position"][0]
        assert [[found.row[n], found.column[n]]] == case["winning_bites"]
        checked += 1
    assert checked > 3


def test_exactly_one_bite_wins_as_far_as_the_sheets_reach(found: Openings) -> None:
    """A147983 and its remark: no known 3 x n rectangle has two winning bites."""
    assert 1.41 * LIMIT - 100 < found.complete_to <= len(found.row)
    assert np.all(found.count[1 : found.complete_to + 1] == 1)
    assert set(np.unique(found.row[1 : found.complete_to + 1])) == {2, 3}


def test_no_sheets_and_arrays_of_different_lengths() -> None:
    none = np.zeros(0, np.int32)
    assert not openings(none, none, none).count.any()
    with pytest.raises(ValueError, match="different lengths"):
        openings(none, none, np.zeros(1, np.int32))


SHEETS = 30


@given(
    st.permutations(range(2 * SHEETS)), st.permutations(range(2 * SHEETS)), st.sets(st.integers(0))
)
def test_bites_of_any_sheets(by_row_2: list[int], by_row_3: list[int], tails: set[int]) -> None:
    """At most one bite of each kind wins; of two, the one in rows 2 and 3 is named."""
    x = np.arange(SHEETS)
    bitten = [np.array(rows[:SHEETS]) for rows in (by_row_2, by_row_3)]
    period = np.isin(x, [number % SHEETS for number in tails]).astype(np.int32)
    found = openings((bitten[0] - x).astype(np.int32), (bitten[1] - x + 1).astype(np.int32), period)
    wins: dict[int, list[tuple[int, int]]] = {}
    for row, rows in zip((2, 3), bitten, strict=True):
        for sheet, n in enumerate(rows.tolist()):
            if n > sheet and (row == 2 or not period[sheet]):
                wins.setdefault(n, []).append((row, sheet + 1))
    for n in range(len(found.row)):
        expected = wins.get(n, [(0, 0)])
        assert (found.row[n], found.column[n]) == expected[0]
        assert found.count[n] == len(wins.get(n, ()))
