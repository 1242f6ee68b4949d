"""Compute the next block while the last one is written."""

import queue
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, TypeVar

from position_oracle.engine.budget import Budget, current

_T = TypeVar("_T")
_POLL_SECONDS: Final = 0.05
_PATIENCE_SECONDS: Final = 5.0
"""Seconds that a cancelled producer has to end. One that never checks its budget is abandoned."""


@dataclass(frozen=True, slots=True)
class _End:
    """The end of a stream, with the error that ended it, if there was one."""

    error: BaseException | None = None


def computed_ahead(produce: Callable[[], Iterator[_T]]) -> Generator[_T, None, None]:
    """Yield the items of an iterator that runs in its own thread, one item ahead.

    Args:
        produce: makes the iterator, which runs under a budget of its own. That budget is cancelled
            with the current one, and when the consumer stops early.

    Raises:
        Whatever the iterator raises.
    """
    budget = current()
    inner = Budget(budget.limit, budget.deadline)
    budget.when_cancelled(inner.cancel)
    ready: queue.Queue[_T | _End] = queue.Queue(maxsize=1)

    def put(item: _T | _End) -> None:
        while not inner.flag[0]:
            with suppress(queue.Full):
                ready.put(item, timeout=_POLL_SECONDS)
                break

    def work() -> None:
        end = _End()
        try:
            with inner.active():
                for item in produce():
                    put(item)
        except BaseException as error:
            end = _End(error)
        put(end)

    worker = threading.Thread(target=work, name="solver", daemon=True)
    worker.start()
    try:
        while True:
            budget.check()
            try:
                item = ready.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                continue
            if isinstance(item, _End):
                break
            yield item
        if item.error is not None:
            raise item.error
    finally:
        inner.cancel()
        worker.join(_PATIENCE_SECONDS)
