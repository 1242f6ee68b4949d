"""Tables made when they are asked for, kept for a while."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Table = TypeVar("Table")


class TableCache(Generic[Key, Table]):
    """The tables used last; safe to use from many threads."""

    def __init__(self, kept: int) -> None:
        """Keep this many tables; the least recently used go first."""
        self._kept = kept
        self._tables: OrderedDict[Key, Table] = OrderedDict()
        self._lock = Lock()

    def find(
        self, key: Key, make: Callable[[], Table], fits: Callable[[Key], bool] | None = None
    ) -> Table:
        """The table of a key, or of another key that does as well; else a new one.

        Args:
            key: what the table is needed for.
            make: computes it.
            fits: whether the table of another key holds what is needed.
        """
        # The lock is held while computing: whoever asks meanwhile may need the same table.
        with self._lock:
            found = key if key in self._tables else None
            if found is None and fits is not None:
                found = next((other for other in reversed(self._tables) if fits(other)), None)
            if found is None:
                self._tables[key] = make()
                if len(self._tables) > self._kept:
                    self._tables.popitem(last=False)
                found = key
            self._tables.move_to_end(found)
            return self._tables[found]
