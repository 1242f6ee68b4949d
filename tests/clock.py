"""Time limits and processor time in tests, which must hold while the machine does other work.

Server processes of tests import this. So it leaves pytest out, which takes long to import.
"""

import threading
import time
from collections.abc import Callable
from typing import Final

from position_oracle.engine.budget import Budget
from position_oracle.schema.errors import StoppedError

PATIENCE: Final = 60.0
"""Seconds. Immediate work may take this long on a busy machine; work that hangs takes longer."""

LEAVING_SECONDS: Final = 0.05


def until(holds: Callable[[], bool], seconds: float = PATIENCE) -> None:
    """Wait until a condition holds, and fail if it does not hold after some seconds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"not within {seconds:g} s"
        time.sleep(0.02)


Clock = Callable[[], float]
"""`time.thread_time`, or `time.process_time` for the work of all threads of this process."""


def cpu_seconds(ask: Callable[[], object], clock: Clock = time.thread_time) -> float:
    """Return the processor time of a call."""
    begun = clock()
    ask()
    return clock() - begun


def takes_at_most(
    seconds: float, ask: Callable[[], object], tries: int = 3, clock: Clock = time.thread_time
) -> bool:
    """Return whether one of a few tries stays within the processor time; caches may be cold."""
    return any(cpu_seconds(ask, clock) <= seconds for _ in range(tries))


def ends_soon(seconds: float, search: Callable[[], object], tries: int = 3) -> bool:
    """Return whether a search ends within the processor time after its caller has gone.

    One of a few tries is enough, as in `takes_at_most`.
    """
    return any(_cpu_seconds_after_leaving(search) <= seconds for _ in range(tries))


def _cpu_seconds_after_leaving(search: Callable[[], object]) -> float:
    budget, gone = Budget(), list[float]()
    clock = time.pthread_getcpuclockid(threading.get_ident())

    def leave() -> None:
        gone.append(time.clock_gettime(clock))
        budget.cancel()

    timer = threading.Timer(LEAVING_SECONDS, leave)
    timer.start()
    try:
        with budget.active():
            search()
    except StoppedError:
        timer.join()
        return time.thread_time() - gone[0]
    raise AssertionError("the search ended before its caller left")
