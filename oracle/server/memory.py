"""A bound on the memory of a serving process, for questions that take more than was foreseen."""

import os
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from position_oracle.oracle.cache import MAX_BYTES
from position_oracle.oracle.server.settings import ServerSettings

SPARE_BYTES: Final = 2 << 30
"""For messages, kernels being compiled, and what questions leave behind."""

_STATM: Final = Path("/proc/self/statm")
_DATA: Final = 5
"""Place of the pages of data and stacks."""


def bound_memory(settings: ServerSettings) -> None:
    """Let this process take what it has now, what its threads may take for questions, and a spare.

    What asks for more fails with MemoryError, and its caller is told so. Without a bound the system
    would end the process, and the questions of everybody else with it. Nothing is done on systems
    other than Linux.
    """
    if (now := _data_bytes()) is None:
        return
    threads = settings.search_threads + settings.batch_threads + settings.long_threads
    bound = now + threads * settings.call_bytes + MAX_BYTES + SPARE_BYTES
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    allowed = min(bound, sys.maxsize if hard == resource.RLIM_INFINITY else hard)
    resource.setrlimit(resource.RLIMIT_DATA, (allowed, hard))


@contextmanager
def unbounded_memory() -> Iterator[None]:
    """Without that bound, as while new tables are loaded beside the old ones."""
    before = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (before[1], before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def _data_bytes() -> int | None:
    try:
        return int(_STATM.read_text().split()[_DATA]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None
