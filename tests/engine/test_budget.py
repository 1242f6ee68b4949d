import time

import pytest

from position_oracle.engine.budget import Budget, Cost, current
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


@pytest.mark.parametrize("price", [Cost(1.0, 100), Cost(0.5, 50), Cost()])
def test_a_price_up_to_the_limit_is_admitted(price: Cost) -> None:
    Budget(Cost(1.0, 100)).admit(price, "a search")


@pytest.mark.parametrize("price", [Cost(1.0001, 0), Cost(0.0, 101)])
def test_a_higher_price_is_refused_with_both_numbers(price: Cost) -> None:
    with pytest.raises(ResourceLimitError, match=r"a search takes about .* allowed are 1 s"):
        Budget(Cost(1.0, 100)).admit(price, "a search")


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
