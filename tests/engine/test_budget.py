import time
from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from position_oracle.engine.budget import Budget, Cost, current, first_of, largest, watched
from position_oracle.schema.errors import ResourceLimitError, StoppedError


def test_work_goes_on_until_cancelled() -> None:
    budget = Budget()
    budget.check()
    budget.cancel()
    assert budget.flag[0] == 1
    assert budget.is_stopped
    with pytest.raises(StoppedError):
        budget.check()


def test_a_deadline_stops_the_work() -> None:
    Budget(deadline=time.monotonic() + 60).check()
    with pytest.raises(StoppedError, match="deadline"):
        Budget(deadline=time.monotonic()).check()


@pytest.mark.parametrize("cost", [Cost(1.0, 100), Cost(0.5, 50), Cost()])
def test_a_cost_up_to_the_limit_is_admitted(cost: Cost) -> None:
    Budget(Cost(1.0, 100)).admit(cost, "a search")


@pytest.mark.parametrize(
    ("cost", "sentence"),
    [
        (Cost(1.0001, 0), "takes slightly more than 1 s; the limit is 1 s"),
        (Cost(0.0, 250), "takes about 250 bytes; the limit is 100 bytes"),
        (Cost(12.3, 2**30), "takes about 12 s and about 1.1 GB; the limit is 1 s and 100 bytes"),
        (Cost(1000.0, 0), "takes about 17 min; the limit is 1 s"),
        (Cost(float("inf"), 0), "takes about weeks; the limit is 1 s"),
    ],
)
def test_a_higher_cost_is_refused_with_what_exceeds_the_limit(cost: Cost, sentence: str) -> None:
    with pytest.raises(ResourceLimitError) as caught:
        Budget(Cost(1.0, 100)).admit(cost, "a search")
    assert str(caught.value) == f"a search {sentence}"


def test_shared_work_counts_once_in_a_sum() -> None:
    table, look_up = Cost(2.0, 5).once("table", 7), Cost(0.5, 1)
    other, known = Cost(4.0).once("table", 8), Cost(2.0).once("table", 7, is_cached=True)
    assert table + look_up + table == Cost(2.5, 11)
    assert table + other == Cost(6.0, 5)
    assert known + known == Cost(2.0, 0, saved_seconds=2.0)
    assert table.after((look_up + table).shared) == Cost(0.0, 5)


def test_works_that_share_all_cost_as_much_as_the_largest() -> None:
    """Now, too: a cached result of one does not make another cheaper."""
    costs = Cost(3.0, 5, saved_seconds=2.5), Cost(2.0, 9), Cost(1.0, 1, saved_seconds=1.0)
    for each in (costs, costs[::-1]):
        found = largest(*each)
        assert (found.seconds, found.memory_bytes, found.seconds_now) == (3.0, 9, 2.0)


@given(st.integers(0, 50), st.integers(0, 50))
def test_the_first_of_some_items(items: int, most: int) -> None:
    assert first_of(range(items), most) == list(range(min(items, most)))
    assert list(watched(range(items), every=most + 1)) == list(range(items))


@pytest.mark.parametrize(
    ("listed", "before"),
    [(lambda items: first_of(items, 10**9), 16), (lambda items: list(watched(items, every=5)), 5)],
)
def test_items_are_listed_no_longer_than_the_budget_lasts(
    listed: Callable[[Iterable[int]], Any], before: int
) -> None:
    budget, seen = Budget(), list[int]()

    def items() -> Iterable[int]:
        for number in count():
            if number == 40:
                budget.cancel()
            seen.append(number)
            yield number

    with budget.active(), pytest.raises(StoppedError):
        listed(items())
    assert 40 < len(seen) <= 40 + before + 1


def test_a_cost_is_readable() -> None:
    assert [str(Cost(*each)) for each in ((0.25, 12_000_000), (10.0, 2**30), (1e-5, 0))] == [
        "0.25 s and 12 MB",
        "10 s and 1.1 GB",
        "0.01 ms and 0 bytes",
    ]


def test_the_current_budget_is_that_of_the_innermost_block() -> None:
    outer, inner = Budget(), Budget()
    with outer.active():
        with inner.active():
            assert current() is inner
        assert current() is outer
    assert current() is not outer


def test_callbacks_are_called_once_even_when_late() -> None:
    budget, seen = Budget(), []
    budget.when_cancelled(lambda: seen.append("early"))
    budget.cancel()
    budget.cancel()
    budget.when_cancelled(lambda: seen.append("late"))
    assert seen == ["early", "late"]
