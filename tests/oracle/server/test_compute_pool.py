"""Long questions are answered by processes. Each is killed with its call, and fails alone."""

import dataclasses
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from position_oracle.engine.budget import Budget, Cost
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server.compute_pool import ComputePool, take_low_priority
from position_oracle.oracle.server.contract import CALLS, Request
from position_oracle.oracle.server.errors import (
    BusyError,
    FieldError,
    StatusError,
    TooExpensiveError,
    TooLargeError,
    TooManyError,
    error_status,
)
from position_oracle.oracle.server.settings import ServerSettings
from position_oracle.schema.errors import InvalidRowError, NotationError, StoppedError
from position_oracle.schema.messages.writing import fill_answer
from position_oracle.schema.proto.position_oracle.v1 import service_pb2 as pb
from tests.clock import until

SETTINGS = ServerSettings(address="127.0.0.1:0")
OUTCOME = CALLS["GetOutcome"]
SHORT = "chomp:4/4/4/2"
LONG = "octal{code=0.142}:[4000000]"


def question(text: str) -> Request:
    request = pb.GetOutcomeRequest()
    request.position.text = text
    return Request(OUTCOME, request.SerializeToString())


@pytest.fixture(scope="module")
def pool(store: Path) -> Iterator[ComputePool]:
    pool = ComputePool(SETTINGS, lambda: store)
    pool.start()
    yield pool
    pool.close()


def processes(pool: ComputePool) -> list[int | None]:
    return [worker.process.pid for worker in pool._idle]


def asked(
    pool: ComputePool, text: str, seconds: float = 60.0, deadline: float | None = None
) -> bytes:
    """Ask with a deadline that is that of the caller, if no other is given."""
    budget = Budget(SETTINGS.limit, time.monotonic() + (deadline or seconds))
    timer = threading.Timer(seconds, budget.cancel)
    timer.start()
    try:
        with budget.active():
            return pool.answer(question(text))[0]
    finally:
        timer.cancel()
        budget.cancel()


def test_a_worker_answers_as_the_oracle_does(pool: ComputePool, store: Path) -> None:
    expected = pb.GetOutcomeResponse()
    fill_answer(expected.answer, Oracle.open(store).outcome(SHORT))
    assert asked(pool, SHORT) == expected.SerializeToString()


def test_an_error_of_the_question_is_that_of_the_worker(pool: ComputePool) -> None:
    with pytest.raises(StatusError) as caught:
        asked(pool, "chomp:1/2")
    assert caught.value.status.reason == "INVALID_POSITION"
    assert caught.value.status.field == "position.text"


@pytest.mark.parametrize(
    "error",
    [
        NotationError("no position"),
        InvalidRowError(7, "a row"),
        FieldError("positions", TooManyError("many", "batch_positions", 9, 5)),
        TooLargeError("long", "response_bytes", 9, 5),
        TooExpensiveError(Cost(9.0, 1), Cost(1.0, 1)),
        BusyError("full", 3.0),
        MemoryError(),
        ValueError("a fault"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_of_another_process_has_the_status_of_one_of_this_process(
    error: Exception,
) -> None:
    there = StatusError(error_status(error))
    assert error_status(there, "an id") == error_status(error, "an id")
    assert error_status(there) == error_status(error)


@pytest.mark.skipif(sys.platform != "linux", reason="a thread has a priority of its own on Linux")
def test_a_worker_has_a_low_priority_even_if_the_server_has_a_high_one() -> None:
    found: list[int | str] = []

    def work() -> None:
        try:
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
        except PermissionError:
            found.append("this user may not take a high priority")
            return
        take_low_priority()
        found.extend(
            [os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, threading.get_native_id())]
        )

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if isinstance(found[0], str):
        pytest.skip(found[0])
    lowest = 19
    assert found == [os.SCHED_OTHER, min(os.getpriority(os.PRIO_PROCESS, 0) + 10, lowest)]


def test_a_worker_does_not_begin_what_the_deadline_does_not_leave_time_for(
    pool: ComputePool,
) -> None:
    with Budget(SETTINGS.limit, seconds=0.5).active():
        response = pb.GetOutcomeResponse.FromString(pool.answer(question(LONG))[0])
    assert "the deadline leaves 0.5 s" in response.answer.reason


def test_a_limit_of_the_service_is_not_a_lack_of_memory(store: Path) -> None:
    settings = dataclasses.replace(SETTINGS, max_response_bytes=1024)
    pool = ComputePool(settings, lambda: store)
    with pytest.raises(StatusError) as caught:
        asked(pool, "chomp:" + "/".join(["9"] * 400))
    pool.close()
    assert caught.value.status.reason == "TOO_LARGE"


def test_a_worker_is_killed_with_its_call_and_replaced(pool: ComputePool) -> None:
    asked(pool, SHORT)
    before = processes(pool)
    with pytest.raises(StoppedError):
        asked(pool, LONG, seconds=0.3, deadline=60)
    assert set(processes(pool)).isdisjoint(before)
    assert asked(pool, SHORT)


@pytest.mark.parametrize("seconds", [0.3, 60])
def test_the_deadline_ends_work_whoever_notices_it(pool: ComputePool, seconds: float) -> None:
    with pytest.raises(StoppedError):
        asked(pool, LONG, seconds=seconds, deadline=0.3)
    assert asked(pool, SHORT)


def test_a_worker_that_is_killed_fails_its_own_question(pool: ComputePool) -> None:
    asked(pool, SHORT)
    (worker,) = processes(pool)
    assert worker is not None

    def kill() -> None:
        until(lambda: not pool._idle)  # the question has the worker
        time.sleep(0.1)
        os.kill(worker, signal.SIGKILL)

    threading.Thread(target=kill).start()
    with pytest.raises(BusyError, match="has ended; retry in"):
        asked(pool, LONG)
    assert asked(pool, SHORT)


@pytest.mark.skipif(sys.platform != "linux", reason="the limit on memory is one of Linux")
@pytest.mark.parametrize(
    "loaded", [SHORT, "octal{code=0.144}:[400000]"], ids=["no kernel", "kernel"]
)
def test_a_question_without_memory_fails_alone_and_its_worker_is_replaced(
    pool: ComputePool, loaded: str
) -> None:
    asked(pool, loaded)
    (worker,) = processes(pool)
    assert worker is not None
    resource.prlimit(worker, resource.RLIMIT_DATA, (1, 1))
    with pytest.raises(StatusError) as caught:
        asked(pool, LONG)
    assert caught.value.status.reason == "OUT_OF_MEMORY"
    assert worker not in processes(pool)
    assert asked(pool, SHORT)
