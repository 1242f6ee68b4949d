"""Builds of sheets: blocks, progress, interruption, refused arguments."""

import _thread
import signal
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from position_oracle.engine.budget import Budget
from position_oracle.engine.solvers.three_row.build import (
    MAX_LIMIT,
    estimate,
    iter_blocks,
    solve,
)
from position_oracle.schema.errors import (
    InvalidPositionError,
    ResourceLimitError,
    StoppedError,
    UnknownAnswerError,
)
from position_oracle.schema.sheets import LoserSheets

LIMIT = 3001
ENDLESS = 80_000
"""A number of sheets that takes minutes, so that a build without interruption is noticed."""


@pytest.fixture(scope="module")
def sheets() -> LoserSheets:
    return solve(LIMIT)


def assert_equal(left: LoserSheets, right: LoserSheets) -> None:
    assert left.first_x == right.first_x
    assert left.closed_by == right.closed_by
    for name in ("prefix_offset", "prefix_z", "tail_period", "tail_offset", "tail_z"):
        one, other = getattr(left, name), getattr(right, name)
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other, err_msg=name)


@pytest.mark.parametrize("block_positions", [1, 5_000, 200_000, 10**9])
def test_blocks_make_no_difference(sheets: LoserSheets, block_positions: int) -> None:
    limit = 400 if block_positions == 1 else LIMIT
    blocks = list(iter_blocks(limit, block_positions=block_positions))
    assert len(blocks) == 1 or block_positions < 10**9
    assert all(len(block) > 0 for block in blocks)
    whole = LoserSheets.concatenate(blocks)
    assert_equal(whole, solve(limit))
    assert blocks[0].first_x == 0
    assert len(whole) == limit
    middle = blocks[len(blocks) // 2]
    for x in (middle.first_x, middle.end_x - 1):
        assert [middle.z_at(x, y) for y in range(300)] == [sheets.z_at(x, y) for y in range(300)]


def test_blocks_hold_about_as_many_positions_as_asked() -> None:
    sizes = [len(block.prefix_z) for block in iter_blocks(LIMIT, block_positions=200_000)]
    assert len(sizes) > 5
    assert max(sizes) < 220_000
    assert min(sizes[:-1]) > 150_000


@pytest.mark.parametrize("limit", [0, 1, 2, 7, 8, 9, 17, 256, 257])
def test_small_limits_are_beginnings_of_larger_ones(sheets: LoserSheets, limit: int) -> None:
    small = solve(limit)
    assert len(small) == limit
    end = sheets.prefix_offset[limit]
    np.testing.assert_array_equal(small.prefix_z, sheets.prefix_z[:end])
    np.testing.assert_array_equal(small.tail_period, sheets.tail_period[:limit])


def test_types_and_shapes(sheets: LoserSheets) -> None:
    assert sheets.prefix_offset.dtype == sheets.tail_offset.dtype == np.int64
    assert sheets.prefix_z.dtype == sheets.tail_period.dtype == sheets.tail_z.dtype == np.int32
    assert len(sheets) == LIMIT == sheets.end_x
    assert len(sheets.prefix_offset) == len(sheets.tail_offset) == LIMIT + 1
    assert sheets.prefix_offset[-1] == len(sheets.prefix_z)
    assert sheets.tail_offset[-1] == len(sheets.tail_z)


def test_progress_tells_sheets_and_positions(sheets: LoserSheets) -> None:
    told: list[tuple[int, ...]] = []

    def tell(*numbers: int) -> None:
        told.append(numbers)

    solve(LIMIT, progress=tell)
    assert told[-1] == (LIMIT, LIMIT, len(sheets.prefix_z))
    told.clear()
    for _ in iter_blocks(LIMIT, progress=tell, block_positions=500_000):
        pass
    assert len(told) > 3
    assert told == sorted(told)
    assert [found for *_, found in told] == sorted(found for *_, found in told)
    assert told[-1] == (LIMIT, LIMIT, len(sheets.prefix_z))


def test_a_cancelled_build_stops() -> None:
    budget = Budget()
    timer = threading.Timer(0.2, budget.cancel)
    timer.start()
    with pytest.raises(StoppedError), budget.active():
        for _ in iter_blocks(ENDLESS, block_positions=10**9):
            pass


def test_a_keyboard_interrupt_stops_a_build() -> None:
    """A build also stops if the tests run in the background, where interrupts are ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            for _ in iter_blocks(ENDLESS, block_positions=10**9):
                pass
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_error_in_the_progress_callback_is_raised() -> None:
    def fail(*_: int) -> None:
        raise LookupError("not mine")

    with pytest.raises(LookupError, match="not mine"):
        solve(LIMIT, progress=fail)


def test_a_tail_out_of_reach_is_an_error() -> None:
    with pytest.raises(ResourceLimitError, match="declared needs arrays of"):
        solve(3, declared=[(0, 10**9, 1)])


def test_more_exclusions_than_usual_only_need_larger_arrays() -> None:
    for row in (5_000, 60_000):
        sheets = solve(3, declared=[(0, row, 1), *((1, 0, z) for z in range(3000))])
        assert sheets.z_at(0, row) == 2
        assert sheets.z_at(1, 0) == 3000


REFUSED: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: solve(-1), ValueError, "count = -1 is not in"),
    (lambda: solve(MAX_LIMIT + 1), ValueError, "count = 1000001"),
    (lambda: estimate(-5), ValueError, "count = -5"),
    (lambda: solve(5, y_limit=-1), ValueError, "y_limit = -1"),
    (lambda: solve(5, exclusions=lambda *_: np.ones(99, np.int64)), ValueError, "need a y_limit"),
    (lambda: solve(5, declared=[(1, 2, -1)]), InvalidPositionError, "outside 0"),
    (lambda: solve(5).z_at(0, -1), InvalidPositionError, "y = -1"),
    (lambda: solve(5).z_at(5, 0), UnknownAnswerError, "sheet 5 is not among 0..4"),
    (lambda: solve(9, y_limit=1).z_at(5, 3), UnknownAnswerError, "known for y < 1"),
    (lambda: LoserSheets.concatenate([]), ValueError, "no blocks"),
    (lambda: LoserSheets.concatenate([solve(3), solve(3)]), ValueError, "do not follow"),
]


@pytest.mark.parametrize(("call", "error", "message"), REFUSED)
def test_refused(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
