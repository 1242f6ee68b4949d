"""Loser sheets of three-row Chomp have the published and independently recomputed facts."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from position_oracle.engine.solvers.three_row.build import estimate, iter_blocks, solve
from position_oracle.schema.sheets import CUT, STOPS, LoserSheets

FACTS: dict[str, Any] = json.loads((Path(__file__).parents[2] / "golden/facts.json").read_text())
LIMIT = 10_001


@pytest.fixture(scope="module")
def sheets() -> LoserSheets:
    return solve(LIMIT)


def values_of_rows(sheets: LoserSheets, longest: int) -> list[int]:
    """Return the longest row a of every P-position with a <= longest."""
    found = []
    for x in range(min(longest + 1, len(sheets))):
        for y in range(longest - x + 1):
            z = sheets.z_at(x, y)
            if z is not None and x + y + z <= longest:
                found.append(x + y + z)
    return found


def test_census_of_tail_periods_to_10000(sheets: LoserSheets) -> None:
    census = FACTS["census"]
    assert sheets.census() == {int(period): n for period, n in census["10000"].items()}
    assert np.flatnonzero(sheets.tail_period == 3).tolist() == census["period3_to_10000"]


@pytest.mark.slow
def test_census_of_tail_periods_to_50000() -> None:
    census = FACTS["census"]
    found: Counter[int] = Counter()
    where: dict[int, list[int]] = {6: [], 8: [], 9: []}
    for block in iter_blocks(50_001):
        found.update(block.census())
        for period, xs in where.items():
            xs.extend((block.first_x + np.flatnonzero(block.tail_period == period)).tolist())
    assert found == {int(period): n for period, n in census["50000"].items()}
    assert where == {6: census["period6"], 8: census["period8"], 9: census["period9"]}


def test_number_of_p_positions_with_a_bounded_first_row(sheets: LoserSheets) -> None:
    counts = Counter(values_of_rows(sheets, 400))
    cumulative = np.cumsum([counts[a] for a in range(401)])
    terms = FACTS["A029899"]["terms"]
    assert cumulative[: len(terms)].tolist() == terms
    for longest, number in FACTS["A029899"]["more"].items():
        assert cumulative[int(longest)] == number


def test_p_positions_with_equal_lower_rows(sheets: LoserSheets) -> None:
    terms = FACTS["A029900"]["terms"]
    assert [x + (sheets.z_at(x, 0) or 0) for x in range(len(terms))] == terms


def test_p_positions_with_equal_upper_rows(sheets: LoserSheets) -> None:
    stopping = np.flatnonzero(sheets.tail_period == STOPS)
    last_rows = stopping + sheets.prefix_length[stopping] - 1
    for name, found in (("A029901", last_rows), ("A029902", stopping)):
        terms = FACTS[name]["terms"]
        assert found[: len(terms)].tolist() == terms
    assert all(sheets.prefix_z[sheets.prefix_offset[stopping + 1] - 1] == 0)


def test_constant_tails(sheets: LoserSheets) -> None:
    constant = np.flatnonzero(sheets.tail_period == 1)
    starts = constant + sheets.prefix_length[constant]
    values = sheets.tail_z[sheets.tail_offset[constant]]
    for name, found in (("A029903", values), ("A029904", starts), ("A029905", constant)):
        terms = FACTS[name]["terms"]
        assert found[: len(terms)].tolist() == terms


def test_longer_tails(sheets: LoserSheets) -> None:
    terms = FACTS["A147983"]["terms"]
    assert np.flatnonzero(sheets.tail_period > 1)[: len(terms)].tolist() == terms
    for x, row, period, values in FACTS["tails"]["rows"]:
        assert sheets.tail_period[x] == period
        assert x + sheets.prefix_length[x] == row
        assert sheets.tail_z[sheets.tail_offset[x] : sheets.tail_offset[x + 1]].tolist() == values


def test_size_of_the_table(sheets: LoserSheets) -> None:
    measured = FACTS["measured"]["p_positions_in_prefixes_and_one_tail_period_x<=10000"]
    assert len(sheets.prefix_z) + len(sheets.tail_z) == measured
    assert not np.any(sheets.tail_period == CUT)


@pytest.mark.parametrize("limit", [1000, 4000, 10_000])
def test_estimate_of_positions_is_close(sheets: LoserSheets, limit: int) -> None:
    positions, size = estimate(limit)
    assert positions == pytest.approx(int(sheets.prefix_offset[limit]), rel=2e-3)
    assert size > 4 * positions


def test_loser_lines_have_the_slopes_of_renormalization(sheets: LoserSheets) -> None:
    """Sheets end, or their tails begin, at y = gamma x with gamma = sqrt 2 - 1."""
    last = slice(LIMIT - 2000, LIMIT)
    gamma = sheets.prefix_length[last] / np.arange(LIMIT)[last]
    assert gamma.mean() == pytest.approx(2**0.5 - 1, abs=5e-4)
