"""Blocks computed ahead arrive in order. Errors, stops and an early end also end the producer."""

import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from position_oracle.engine.budget import Budget, current
from position_oracle.engine.jobs.ahead import computed_ahead
from position_oracle.schema.errors import StoppedError


def solver_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "solver"]


def test_items_arrive_in_order() -> None:
    assert list(computed_ahead(lambda: iter(range(100)))) == list(range(100))
    assert not solver_threads()


def test_no_more_than_two_items_wait() -> None:
    made: list[int] = []

    def produce() -> Iterator[int]:
        for number in range(10):
            made.append(number)
            yield number

    with closing(computed_ahead(produce)) as items:
        for number in items:
            assert len(made) <= number + 3


def test_an_error_of_the_producer_reaches_the_consumer() -> None:
    def produce() -> Iterator[int]:
        yield 1
        raise ZeroDivisionError("in the solver")

    items = computed_ahead(produce)
    assert next(items) == 1
    with pytest.raises(ZeroDivisionError, match="in the solver"):
        next(items)
    assert not solver_threads()


def endless() -> Iterator[int]:
    number = 0
    while True:
        current().check()
        yield number
        number += 1


def test_a_consumer_that_gives_up_stops_the_producer() -> None:
    with closing(computed_ahead(endless)) as items:
        next(items)
    assert not solver_threads()


def test_a_budget_that_is_spent_stops_both() -> None:
    with Budget().active() as budget, closing(computed_ahead(endless)) as items:
        next(items)
        budget.cancel()
        with pytest.raises(StoppedError):
            list(items)
    assert not solver_threads()


def test_a_flag_that_is_set_without_a_word_stops_both() -> None:
    """A signal handler sets only the flag, because it may not take the lock of `Budget.cancel`."""
    with Budget().active() as budget, closing(computed_ahead(endless)) as items:
        next(items)
        budget.flag[0] = 1
        with pytest.raises(StoppedError):
            list(items)
    assert not solver_threads()


def test_the_consumer_does_not_wait_for_a_producer_that_says_nothing() -> None:
    freed = threading.Event()

    def silent() -> Iterator[int]:
        while not current().flag[0]:
            freed.wait(0.01)
        yield 1

    with Budget().active() as budget:
        threading.Timer(0.1, budget.cancel).start()
        with pytest.raises(StoppedError):
            list(computed_ahead(silent))
    assert not solver_threads()
