"""Blocks computed ahead arrive in order; errors, stops and giving up end the producer."""

import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from engine.jobs.ahead import computed_ahead
from engine.jobs.progress import StopFlag


def solver_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "solver"]


def test_items_arrive_in_order() -> None:
    assert list(computed_ahead(lambda _: iter(range(100)), threading.Event())) == list(range(100))
    assert not solver_threads()


def test_no_more_than_two_items_wait() -> None:
    made: list[int] = []

    def produce(_: StopFlag) -> Iterator[int]:
        for number in range(10):
            made.append(number)
            yield number

    with closing(computed_ahead(produce, threading.Event())) as items:
        for number in items:
            assert len(made) <= number + 3


def test_an_error_of_the_producer_reaches_the_consumer() -> None:
    def produce(_: StopFlag) -> Iterator[int]:
        yield 1
        raise ZeroDivisionError("in the solver")

    items = computed_ahead(produce, threading.Event())
    assert next(items) == 1
    with pytest.raises(ZeroDivisionError, match="in the solver"):
        next(items)
    assert not solver_threads()


def endless(stop: StopFlag) -> Iterator[int]:
    number = 0
    while not stop.is_set():
        yield number
        number += 1


def test_a_consumer_that_gives_up_stops_the_producer() -> None:
    with closing(computed_ahead(endless, threading.Event())) as items:
        next(items)
    assert not solver_threads()


def test_the_stop_flag_reaches_the_producer() -> None:
    stop = threading.Event()
    with closing(computed_ahead(endless, stop)) as items:
        next(items)
        stop.set()
        assert len(list(items)) <= 3
    assert not solver_threads()
