"""A census equals the sheets of the solver that keeps every P-position, and the published one."""

import time

import numpy as np
import pytest

from position_oracle.engine.budget import Budget
from position_oracle.engine.solvers.row_sweep.driver import census, estimate
from position_oracle.engine.solvers.three_row.build import iter_blocks
from position_oracle.schema.census import Census
from position_oracle.schema.errors import StoppedError
from position_oracle.schema.sheets import LoserSheets
from tests.engine.solvers.row_sweep.support import Swept, assert_equal


def assert_same_sheets(found: Census, block: LoserSheets) -> None:
    """Check everything that a census says of the sheets of a block."""
    part = slice(block.first_x, block.end_x)
    np.testing.assert_array_equal(found.tail_period[part], block.tail_period)
    np.testing.assert_array_equal(found.prefix_length[part], block.prefix_length)
    tails = slice(found.tail_offset[block.first_x], found.tail_offset[block.end_x])
    np.testing.assert_array_equal(found.tail_z[tails], block.tail_z)
    count = len(block)
    sheet = np.repeat(np.arange(count), block.prefix_length)
    y = np.arange(len(block.prefix_z)) - np.repeat(block.prefix_offset[:-1], block.prefix_length)
    diagonal = np.array([block.z_at(x, 0) for x in range(block.first_x, block.end_x)])
    np.testing.assert_array_equal(found.diagonal_z[part], diagonal)
    above = y + block.prefix_z - diagonal[sheet]
    np.testing.assert_array_equal(found.upper[part], np.bincount(sheet, above > 0, count))
    np.testing.assert_array_equal(found.lower[part], np.bincount(sheet, above < 0, count))
    largest = np.full(count, -1, np.int32)
    np.maximum.at(largest, sheet, block.prefix_z)
    tail_sheet = np.repeat(np.arange(count), np.maximum(block.tail_period, 0))
    np.maximum.at(largest, tail_sheet, block.tail_z)
    np.testing.assert_array_equal(found.max_z[part], largest)


def test_every_sheet_is_that_of_the_other_solver(swept: Swept, sheets: LoserSheets) -> None:
    assert_same_sheets(swept.census, sheets)


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_do_not_matter(swept: Swept, threads: int) -> None:
    limit = 3_000
    found = census(limit, threads=threads)
    for name in ("tail_period", "prefix_length", "diagonal_z", "max_z", "upper", "lower"):
        np.testing.assert_array_equal(
            getattr(found, name), getattr(swept.census, name)[: limit + 1], name
        )
    np.testing.assert_array_equal(found.tail_z, swept.census.tail_z[: len(found.tail_z)])


@pytest.mark.parametrize("limit", [0, 1, 2, 5, 130])
def test_small_limits(swept: Swept, limit: int) -> None:
    found = census(limit)
    assert found.tail_period.tolist() == swept.census.tail_period[: limit + 1].tolist()
    assert found.prefix_length.tolist() == swept.census.prefix_length[: limit + 1].tolist()


def test_a_prefix_is_its_first_value_and_two_lines(swept: Swept) -> None:
    found = swept.census
    begun = found.prefix_length > 0
    np.testing.assert_array_equal(found.lower + found.upper + begun, found.prefix_length)


def test_the_published_census_to_10_000() -> None:
    """Friedman and Landsberg's computation, as in docs/three-row-chomp.md and row-sweep.md."""
    found = census(10_000)
    assert found.counts() == {0: 5858, 1: 3939, 2: 141, 3: 7, 4: 54, 9: 2}
    assert found.positions == 20_723_777
    assert found.positions + len(found.tail_z) == 20_728_253


@pytest.mark.slow
def test_the_census_to_300_000() -> None:
    found = census(300_000)
    assert found.counts() == {
        0: 175736,
        1: 118571,
        2: 4220,
        3: 159,
        4: 1267,
        6: 1,
        8: 15,
        9: 29,
        27: 3,
    }
    assert found.positions + len(found.tail_z) == 18_640_133_083


@pytest.mark.slow
def test_every_sheet_to_100_000_is_that_of_the_other_solver() -> None:
    limit = 100_000
    found = census(limit)
    for block in iter_blocks(limit + 1, block_positions=8_000_000):
        assert_same_sheets(found, block)
    assert_equal(census(limit, threads=4), found)


def test_a_census_stops_on_request_and_says_how_far_it_is() -> None:
    budget = Budget()
    seen: list[tuple[int, int]] = []

    def look(done: int, rows: int) -> None:
        seen.append((done, rows))
        budget.cancel()

    begun = time.monotonic()
    with pytest.raises(StoppedError), budget.active():
        census(1_000_000, progress=look)
    assert time.monotonic() - begun < 60
    assert 0 <= seen[0][0] < seen[0][1]


def test_arguments_out_of_range() -> None:
    with pytest.raises(ValueError, match="limit = -1 is not in"):
        census(-1)
    with pytest.raises(ValueError, match="spacing = 200 is not a multiple"):
        census(10, spacing=200)


def test_estimates_grow_with_the_limit() -> None:
    small = estimate(100_000, spacing=1024)
    large = estimate(1_000_000, spacing=1024)
    assert 50 < large.cpu_seconds / small.cpu_seconds < 100
    assert large.checkpoint_bytes < 250_000_000
    assert large.memory_bytes < 250_000_000
    assert estimate(1_000_000).checkpoint_bytes == 0
