"""Computing the next block while the last one is written."""

import queue
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from typing import Generic, TypeVar

from engine.jobs.progress import StopFlag

_T = TypeVar("_T")


class _End(Generic[_T]):
    """The end of a stream, with the error that ended it, if any."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


class _Either:
    """Set when either flag is."""

    def __init__(self, first: StopFlag, second: StopFlag) -> None:
        self._flags = (first, second)

    def is_set(self) -> bool:
        return any(flag.is_set() for flag in self._flags)


def computed_ahead(
    produce: Callable[[StopFlag], Iterator[_T]], stop: StopFlag
) -> Generator[_T, None, None]:
    """The items of an iterator that runs in a thread of its own, one item ahead.

    Args:
        produce: begins the iterator; it should end soon after the flag it gets is set.
        stop: passed on to it; the flag is also set when the consumer gives up.

    Raises:
        Whatever the iterator raises.
    """
    given_up = threading.Event()
    ready: queue.Queue[_T | _End[_T]] = queue.Queue(maxsize=1)

    def put(item: _T | _End[_T]) -> None:
        while not given_up.is_set():
            with suppress(queue.Full):
                ready.put(item, timeout=0.05)
                break

    def work() -> None:
        try:
            for item in produce(_Either(stop, given_up)):
                put(item)
        except BaseException as error:
            put(_End(error))
        else:
            put(_End(None))

    worker = threading.Thread(target=work, name="solver", daemon=True)
    worker.start()
    try:
        while not isinstance(item := ready.get(), _End):
            yield item
        if item.error is not None:
            raise item.error
    finally:
        given_up.set()
        worker.join()
