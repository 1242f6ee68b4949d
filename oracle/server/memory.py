"""A limit on the memory of a process, for questions that take more than was expected."""

import os
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from position_oracle.engine.machine import memory_limit
from position_oracle.oracle.cache import MAX_BYTES

SPARE_BYTES: Final = 2 << 30
"""For messages, kernels being compiled, and what questions leave behind."""

LEAST_BYTES: Final = 256 << 20
"""Least memory that a process may take beyond what it has."""

_STATM: Final = Path("/proc/self/statm")
_DATA: Final = 5
"""Index of the pages of data and stacks."""


def limit_memory(question_bytes: int, processes: int = 1) -> None:
    """Limit this process to its present memory, that of questions, of caches, and a spare.

    Nor does it take more than its share of what the machine, control groups and its own limits
    allow. A question that allocates more fails with MemoryError. Without a limit the system would
    end the process with the questions of all callers. Nothing is done on systems other than Linux.
    """
    if (now := _data_bytes()) is None:
        return
    allowed = memory_limit() // processes
    bound = max(min(now + question_bytes + MAX_BYTES + SPARE_BYTES, allowed), now + LEAST_BYTES)
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    allowed = min(bound, sys.maxsize if hard == resource.RLIM_INFINITY else hard)
    resource.setrlimit(resource.RLIMIT_DATA, (allowed, hard))


@contextmanager
def unlimited_memory() -> Iterator[None]:
    """Lift the limit, e.g. while new tables are loaded beside the old ones."""
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
