"""The oracle that is served now, exchanged for a new one when new tables are published."""

from collections.abc import Callable
from pathlib import Path
from threading import Lock

from position_oracle.oracle.core import Oracle

Identity = tuple[Path, int, int, int]


class OracleSource:
    """Holds the oracle of the table file that is published.

    `current` may be called from any thread at any time: an oracle is exchanged by one assignment,
    and calls that have begun keep the oracle they began with.
    """

    def __init__(self, find: Callable[[], Path], load: Callable[[Path], Oracle]) -> None:
        """Load the oracle of the file published now.

        Args:
            find: the path of the file published now.
            load: opens it; whatever it raises is raised here.
        """
        self._find = find
        self._load = load
        self._lock = Lock()
        self._identity = _identity(find())
        self._oracle = load(self._identity[0])

    def current(self) -> Oracle:
        """The oracle to ask."""
        return self._oracle

    @property
    def is_loading(self) -> bool:
        """Whether a thread loads another oracle now."""
        return self._lock.locked()

    @property
    def path(self) -> Path:
        """The file that the oracle comes from."""
        return self._identity[0]

    def refresh(self) -> bool:
        """Load the file published now, if it is another one than before.

        Returns:
            Whether the oracle was exchanged. Where an error is raised it was not, and the next
            call tries again.
        """
        with self._lock:
            identity = _identity(self._find())
            if identity == self._identity:
                return False
            oracle = self._load(identity[0])
            oracle.warm_up()  # beside the old one, so that nobody waits for it
            self._oracle, self._identity = oracle, identity
            return True


def _identity(path: Path) -> Identity:
    status = path.stat()
    return path, status.st_ino, status.st_size, status.st_mtime_ns
