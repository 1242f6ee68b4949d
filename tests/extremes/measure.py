"""Measure a question: its cost, its deadline, and the time between checks of its budget."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from threading import Timer
from time import process_time, thread_time
from types import FrameType
from typing import Any, Final
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from position_oracle.engine.budget import Budget, Cost
from position_oracle.oracle import cache
from position_oracle.oracle.core import Oracle
from position_oracle.oracle.server.garbage import exempt_present, free_exempt
from position_oracle.schema.errors import PositionOracleError
from tests.extremes.questions import Question

LIMIT: Final = Cost(10.0, 1 << 30)
"""The limit of a server."""

LONG_SECONDS: Final = 1.0
"""Questions with a higher cost are stopped early."""

TIMES: Final = 3
SLACK_SECONDS: Final = 0.03
LATE_SECONDS: Final = 0.1
GAP_SECONDS: Final = 0.02
SLACK_BYTES: Final = 64 << 20

ROOT: Final = Path(__file__).resolve().parents[2]


class Watch:
    """The longest processor time between two checks of the budgets of a question.

    Attributes:
        gap: that time in seconds, with where it began and ended. The time of a kernel that gets the
            flag is not counted: the kernel checks the flag itself.
    """

    def __init__(self) -> None:
        self.gap = (0.0, "")
        self.in_kernel = False
        self._last, self._place = thread_time(), "start"

    def look(self, frame: FrameType | None = None, *, in_kernel: bool = False) -> None:
        """Note the time since the last check."""
        now = thread_time()
        if now - self._last > self.gap[0] and not self.in_kernel:
            self.gap = (now - self._last, f"{self._place} to {_place(frame)}")
        self._last, self.in_kernel = thread_time(), in_kernel
        self._place = _place(frame)


class WatchedBudget(Budget):
    """A budget that tells a `Watch` about each check."""

    def __init__(self, watch: Watch, limit: Cost, deadline: float = inf) -> None:
        self._watch = watch
        self._array = np.zeros(1, np.int64)
        super().__init__(limit, deadline)

    @property
    def flag(self) -> npt.NDArray[np.int64]:
        """The flag. Code that gets it is assumed to check it."""
        self._watch.look(sys._getframe(1), in_kernel=True)
        return self._array

    @flag.setter
    def flag(self, array: npt.NDArray[np.int64]) -> None:
        self._array = array

    def check(self) -> None:
        """Do what `Budget.check` does."""
        self._watch.look(sys._getframe(1))
        if self._array[0]:
            super().check()

    def when_cancelled(self, callback: Callable[[], None]) -> None:
        """Do what `Budget.when_cancelled` does. The caller is no kernel."""
        super().when_cancelled(callback)
        self._watch.in_kernel = False


def _place(frame: FrameType | None) -> str:
    while frame is not None and frame.f_code.co_filename.endswith("budget.py"):
        frame = frame.f_back
    if frame is None:
        return "end"
    path = Path(frame.f_code.co_filename)
    return f"{path.parent.name}/{path.name}:{frame.f_lineno}"


@dataclass(frozen=True, slots=True)
class Measured:
    """The measurements of one question.

    Attributes:
        question: the question.
        cost: cost in its plan.
        planning: processor seconds of planning.
        seconds: seconds of planning and answering, until the stop.
        late: seconds from the stop to the end; 0 if the answer came before the stop.
        gap: the longest time between two checks of the budget, with its place.
        memory: bytes of the peak above the memory before the question.
        error: an error that is not the project's.
    """

    question: Question
    cost: Cost
    planning: float
    seconds: float
    late: float
    gap: tuple[float, str]
    memory: int
    error: str

    def faults(self) -> list[str]:
        """Return the measurements that are above the targets."""
        most = TIMES * self.cost.seconds + SLACK_SECONDS
        memory = 2 * self.cost.memory_bytes + SLACK_BYTES
        found = [self.error] * bool(self.error)
        if self.seconds > most:
            found.append(f"cost {self.cost.seconds:.3f} takes {self.seconds:.3f}")
        if self.planning > LATE_SECONDS:
            found.append(f"planning {self.planning:.3f}")
        if self.late > LATE_SECONDS:
            found.append(f"late {self.late:.3f}")
        if self.gap[0] > GAP_SECONDS:
            found.append(f"gap {self.gap[0]:.3f} {self.gap[1]}")
        if self.memory > memory:
            found.append(f"memory {self.memory >> 20} of {self.cost.memory_bytes >> 20} MB")
        return found


def measure(question: Question, limit: Cost, *, stop: float | None = None) -> Measured:
    """Ask a new oracle, with kernels loaded.

    Args:
        question: the question.
        limit: the largest cost that is admitted.
        stop: seconds after which the work is stopped; None for a time well above its cost.
    """
    watch, (name, arguments) = Watch(), question
    budget = WatchedBudget(watch, limit)
    cost, error, stopped, planning = Cost(), "", list[float](), 0.0

    def cancel() -> None:
        stopped.append(process_time())
        budget.cancel()

    exempt_present()  # as in a server, garbage of other questions costs nothing
    before, begin = _resident(reset=True), process_time()
    timer = None
    of_caches = patch.object(cache, "Budget", partial(WatchedBudget, watch))
    with budget.active(), of_caches:
        try:
            plan = Oracle().plan(name, *arguments)
            cost, planning = plan.cost, process_time() - begin
            watch.look()
            if cost.fits(limit):
                stop = stop or (0.4 if cost.seconds > LONG_SECONDS else TIMES * cost.seconds + 2)
                timer = Timer(stop, cancel)
                timer.start()
                plan.run()
        except PositionOracleError:
            planning = planning or process_time() - begin
        except Exception as caught:
            error = f"{type(caught).__name__}: {caught}"
        finally:
            watch.look()
            if timer is not None:
                timer.cancel()
    end = process_time()
    late = end - stopped[0] if stopped else 0.0
    seconds = (stopped[0] if stopped else end) - begin
    memory = _resident(reset=False) - before
    return Measured(question, cost, planning, seconds, late, watch.gap, memory, error)


def warm_up() -> None:
    """Load the kernels, and the data that only some questions need."""
    Oracle().warm_up()
    tidy()


def tidy() -> None:
    """Free the garbage of earlier questions, which `measure` leaves; it takes 0.2 s."""
    free_exempt()


def faults_of(question: Question, limit: Cost = LIMIT) -> list[str]:
    """Return the faults that a question shows in both of two runs; stopped work must end soon."""
    found = measure(question, limit)
    if faults := found.faults():
        faults = measure(question, limit).faults()
    if found.seconds > LATE_SECONDS and not found.late:
        stopped = [measure(question, limit, stop=found.seconds / 2) for _ in range(2)]
        if min(each.late for each in stopped) > LATE_SECONDS:
            faults.append(f"late {stopped[0].late:.3f}")
    return faults


def _resident(*, reset: bool) -> int:
    """Return the peak memory of this process since the last reset, and reset the peak."""
    status = Path("/proc/self/status").read_text()
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    name = "VmRSS:" if reset else "VmHWM:"
    return 1024 * next(
        int(line.split()[1]) for line in status.splitlines() if line.startswith(name)
    )


def text_of(question: Question, most: int = 110) -> str:
    """Return a question as one line of text."""

    def shown(argument: Any) -> str:
        if isinstance(argument, np.ndarray):
            return f"{argument.shape} {argument[:1].tolist()}"
        return str(getattr(argument, "text", argument))

    name, arguments = question
    return f"{name} {' '.join(map(shown, arguments))}"[:most]
