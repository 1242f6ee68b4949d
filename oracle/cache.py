"""One cache for all families: results that were computed on demand.

The cache is bounded in bytes; the least recently used result is dropped first. Each result is
computed once, by the first caller, without holding the lock: other callers of the same result wait
for it, and callers of other results do not wait. A computation continues until no caller waits for
it.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from threading import Event, Lock
from typing import Any, Final, TypeVar
from weakref import ref

from position_oracle.engine.budget import Budget, current
from position_oracle.schema.errors import StoppedError

T = TypeVar("T")

MAX_BYTES: Final = 512 << 20
"""Bytes of memory for results, unless a cache is made with another bound."""

MAX_RESULTS: Final = 16_384
"""Maximum number of results in the cache, because each takes a kilobyte besides its declared
size."""

_LOOKED_THROUGH: Final = 1024
"""Number of latest results that are checked for use with another key."""

_POLL_SECONDS: Final = 0.02
"""Seconds between two checks of a waiting caller whether its budget has ended."""


@dataclass(slots=True, weakref_slot=True, eq=False)
class _Entry:
    """A result, or a computation in progress.

    Attributes:
        work: the budget of the computation, which ends when nobody waits for it.
        waiting: the budgets of the callers that wait for the result.
        done: set when there is a result or an error.
    """

    work: Budget
    waiting: set[int] = field(default_factory=set)
    done: Event = field(default_factory=Event)
    result: Any = None
    error: BaseException | None = None
    size: int = 0


class Cache:
    """Results by key, bounded in bytes; threads may share it."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self.max_bytes = max_bytes
        self._entries: OrderedDict[tuple[str, Hashable], _Entry] = OrderedDict()
        self._held = 0
        self._lock = Lock()

    @property
    def nbytes(self) -> int:
        """Bytes of memory of the results."""
        with self._lock:
            return self._held

    def has(self, kind: str, key: Hashable) -> bool:
        """Return whether a result for exactly this key is stored; takes no lock."""
        entry = self._entries.get((kind, key))
        return entry is not None and entry.done.is_set()

    def find(
        self,
        kind: str,
        key: Hashable,
        make: Callable[[], T],
        size: Callable[[T], int],
        serves: Callable[[Any], bool] | None = None,
    ) -> T:
        """Return the result for a key, computed now if there is none.

        Args:
            kind: the kind of result; keys of different kinds are distinct.
            key: the key of the result.
            make: computes the result under a budget that ends when no caller waits.
            size: returns the bytes of a result.
            serves: returns whether the result of another key of the same kind can be used.

        Raises:
            StoppedError: the budget of the caller has ended. Errors of `make` are raised, too; the
                next caller tries again.
        """
        caller = current()
        with self._lock:
            found = self._found(kind, key, serves)
            mine = found is None
            if found is None:
                found = (kind, key)
                self._entries[found] = _Entry(Budget(caller.limit, caller.deadline))
            entry = self._entries[found]
            entry.waiting.add(id(caller))
            if entry.done.is_set():
                self._entries.move_to_end(found)
        if not entry.done.is_set():
            # A weak reference: the caller's budget would hold all results until its question ends.
            caller.when_cancelled(partial(self._gone_from, ref(entry), caller))
        try:
            if mine:
                self._compute(found, entry, make, size)
            while not entry.done.wait(_POLL_SECONDS):
                caller.check()
        finally:
            self._gone(entry, caller)
        if entry.error is not None:
            if isinstance(entry.error, StoppedError) and not caller.is_stopped:
                return self.find(kind, key, make, size, serves)  # other callers have left
            raise entry.error
        result: T = entry.result
        return result

    def _found(
        self, kind: str, key: Hashable, serves: Callable[[Any], bool] | None
    ) -> tuple[str, Hashable] | None:
        if (kind, key) in self._entries:
            return kind, key
        if serves is None:
            return None
        latest = islice(reversed(self._entries), _LOOKED_THROUGH)
        return next((each for each in latest if each[0] == kind and serves(each[1])), None)

    def _gone(self, entry: _Entry, caller: Budget) -> None:
        """Record that a waiting caller has left; the work ends with the last one.

        This runs on the event loop at the caller's deadline, so it must not wait for a lock that
        another thread may hold. A caller that begins to wait at this moment finds the work
        stopped, and asks again.
        """
        entry.waiting.discard(id(caller))
        if not entry.waiting and not entry.done.is_set():
            entry.work.cancel()

    def _gone_from(self, entry: "ref[_Entry]", caller: Budget) -> None:
        if (found := entry()) is not None:
            self._gone(found, caller)

    def _compute(
        self,
        key: tuple[str, Hashable],
        entry: _Entry,
        make: Callable[[], T],
        size: Callable[[T], int],
    ) -> None:
        try:
            with entry.work.active():
                entry.result = make()
            entry.size = size(entry.result)
        except BaseException as error:
            entry.error = error
        with self._lock:
            if entry.error is not None:
                self._entries.pop(key, None)
            else:
                self._held += entry.size
                self._forget(key)
        entry.done.set()

    def _forget(self, newest: tuple[str, Hashable]) -> None:
        for key in list(self._entries) if self._is_full() else ():
            if not self._is_full():
                break
            if self._entries[key].done.is_set() or key == newest:
                self._held -= self._entries.pop(key).size

    def _is_full(self) -> bool:
        return self._held > self.max_bytes or len(self._entries) > MAX_RESULTS
