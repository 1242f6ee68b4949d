"""Costs, plans and budgets: the allowed cost of a question, and the end of its work.

A call of the service, a command or a build makes a budget, and makes it the current one with
`Budget.active`. Work that takes longer than a millisecond gets it with `current`, calls
`Budget.check` between steps, and passes `Budget.flag` to compiled kernels, which read it. Such work
raises StoppedError when the budget is spent; docstrings of the engine do not repeat it.

>>> with Budget().active():
...     current().check()
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Set
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from itertools import islice
from math import inf
from threading import Lock
from time import monotonic
from typing import Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from position_oracle.engine.amounts import duration_text, size_text
from position_oracle.schema.errors import ResourceLimitError, StoppedError

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class SharedWork:
    """Work whose result is cached, so that several questions together need it once.

    Attributes:
        key: identifies the work; works with equal keys are equal.
        seconds: CPU seconds of the work.
        saved_seconds: those that a cached result saves now: all or none.
    """

    key: Hashable
    seconds: float = field(compare=False)
    saved_seconds: float = field(compare=False)


@dataclass(frozen=True, slots=True)
class Cost:
    """Expected cost of work, if no result is cached.

    Attributes:
        seconds: CPU seconds on one core of about 3 GHz.
        memory_bytes: peak memory.
        saved_seconds: the part of `seconds` that cached results save now. It decides where the work
            runs, never whether the work is admitted.
        shared: the parts of `seconds` that a sum of costs counts once.
    """

    seconds: float = 0.0
    memory_bytes: int = 0
    saved_seconds: float = 0.0
    shared: frozenset[SharedWork] = field(default=frozenset(), compare=False)

    @property
    def seconds_now(self) -> float:
        """CPU seconds with the results that are cached now."""
        return self.seconds - self.saved_seconds

    def __str__(self) -> str:
        """Format the cost as one line, e.g. `0.25 s and 12 MB`."""
        return f"{duration_text(self.seconds)} and {size_text(self.memory_bytes)}"

    def __add__(self, other: "Cost") -> "Cost":
        """Return the cost of two works in sequence, if the memory of both is held."""
        rest = other.after(self.shared)
        return Cost(
            self.seconds + rest.seconds,
            self.memory_bytes + other.memory_bytes,
            self.saved_seconds + rest.saved_seconds,
            self.shared | other.shared if other.shared else self.shared,
        )

    def after(self, done: Set[SharedWork]) -> "Cost":
        """Return the cost if some shared work is done already."""
        again = [work for work in self.shared if work in done]
        if not again:
            return self
        return replace(
            self,
            seconds=self.seconds - sum(work.seconds for work in again),
            saved_seconds=self.saved_seconds - sum(work.saved_seconds for work in again),
            shared=self.shared - done,
        )

    def once(self, *key: Hashable, is_cached: bool = False) -> "Cost":
        """Return the cost of work whose result is cached by its key, now or when it is done."""
        saved = self.seconds if is_cached else 0.0
        work = SharedWork(key, self.seconds, saved)
        return replace(self, saved_seconds=saved, shared=frozenset((work,)))

    def fits(self, limit: "Cost") -> bool:
        """Return whether the cost is within a limit."""
        return self.seconds <= limit.seconds and self.memory_bytes <= limit.memory_bytes

    def excess(self, limit: "Cost") -> str:
        """Describe the excess over a limit, e.g. `takes about 12 s; the limit is 10 s`."""
        found = []
        for amount, most, text in (
            (self.seconds, limit.seconds, duration_text),
            (self.memory_bytes, limit.memory_bytes, size_text),
        ):
            if amount > most:
                about = "slightly more than " if text(amount) == text(most) else "about "
                found.append((about + text(amount), text(most)))
        taken, allowed = (" and ".join(column) for column in zip(*found, strict=True))
        return f"takes {taken}; the limit is {allowed}"


def largest(*costs: Cost) -> Cost:
    """Return the maximum of the seconds and of the memory: a bound for shared work."""
    seconds = max(cost.seconds for cost in costs)
    saved = seconds - max(cost.seconds_now for cost in costs)
    return Cost(seconds, max(cost.memory_bytes for cost in costs), saved)


UNLIMITED = Cost(inf, 2**63 - 1)


@dataclass(frozen=True, slots=True)
class Plan(Generic[T_co]):
    """A plan for the answer to a question.

    A caller makes a plan once. The plan selects the source that answers, so that its cost and its
    answer come from one decision.

    Attributes:
        cost: an upper bound of the time and memory, within a factor of 3.
        run: does the work under the current budget.
        is_sure: whether the result answers the question for certain. If not, the next source is
            planned, too.
    """

    cost: Cost
    run: Callable[[], T_co]
    is_sure: bool = True


class Budget:
    """Limits on the cost of one question, and its cancellation.

    Attributes:
        limit: the most expensive work that is admitted.
        deadline: the value of `time.monotonic` at which the work ends; infinite without a deadline.
            Compiled kernels see only `flag`, so the caller that sets a deadline must also call
            `cancel` at that time.
        seconds: the time that the caller allows for the answer. Sources do not begin work that
            costs more. Unlike the remaining time, this number does not depend on load.
        flag: int64 (1,), 0 while the work goes on; kernels return when they read another value.
    """

    __slots__ = ("_callbacks", "_lock", "deadline", "flag", "limit", "seconds")

    def __init__(
        self, limit: Cost = UNLIMITED, deadline: float = inf, seconds: float = inf
    ) -> None:
        self.limit = limit
        self.deadline = deadline
        self.seconds = seconds
        self.flag: NDArray[np.int64] = np.zeros(1, np.int64)
        self._callbacks: list[Callable[[], None]] = []
        self._lock = Lock()

    @property
    def is_stopped(self) -> bool:
        """Whether the work should end: it was cancelled, or its deadline has passed."""
        return bool(self.flag[0]) or monotonic() >= self.deadline

    def admit(self, cost: Cost, what: str) -> None:
        """Refuse work before it starts if it costs too much.

        Args:
            cost: the expected cost of the work.
            what: a name of the work, for the message.

        Raises:
            ResourceLimitError: the cost is above the limit; the message has both.
        """
        if not cost.fits(self.limit):
            raise ResourceLimitError(f"{what} {cost.excess(self.limit)}")

    def check(self) -> None:
        """End the work if it was cancelled or its deadline has passed.

        Raises:
            StoppedError: the work was cancelled, or its deadline has passed.
        """
        if self.flag[0]:
            raise StoppedError("stopped: the call was cancelled")
        if monotonic() >= self.deadline:
            raise StoppedError("stopped: the deadline has passed")

    def cancel(self) -> None:
        """Stop the work, from any thread: the caller has gone, or the deadline has passed."""
        with self._lock:
            self.flag[0] = 1
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def when_cancelled(self, callback: Callable[[], None]) -> None:
        """Call a function once when this budget is cancelled, or now if it is cancelled already."""
        with self._lock:
            if not self.flag[0]:
                self._callbacks.append(callback)
                return
        callback()

    @contextmanager
    def active(self) -> Iterator["Budget"]:
        """Make this budget the current one of the thread (or task) inside the block."""
        token = _CURRENT.set(self)
        try:
            yield self
        finally:
            _CURRENT.reset(token)


def watched(items: Iterable[T], every: int = 1) -> Iterator[T]:
    """Yield the items, and check the current budget before each group of `every` items.

    Raises:
        StoppedError: the budget is spent.
    """
    budget = current()
    for number, item in enumerate(items):
        if number % every == 0:
            budget.check()
        yield item


def first_of(items: Iterable[T], most: int) -> list[T]:
    """Return the first `most` items with checks of the current budget; faster than `watched`.

    Raises:
        StoppedError: the budget is spent.
    """
    left = iter(items)
    found = list(islice(left, min(most, _LISTED)))
    while len(found) < most and len(found) % _LISTED == 0 and found:
        current().check()
        before = len(found)
        found += islice(left, min(most - before, _LISTED))
        if len(found) == before:
            break
    return found


_LISTED: Final = 16
"""Number of items listed between two checks."""

_CURRENT: ContextVar[Budget] = ContextVar("oracle_budget")


def current() -> Budget:
    """Return the budget of the current question; an unlimited one if none was made."""
    found = _CURRENT.get(None)
    return Budget() if found is None else found
