"""Memory and disk that jobs need and that are available; jobs that need more are refused."""

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from position_oracle.engine.amounts import duration_text, size_text
from position_oracle.engine.machine import available_memory
from position_oracle.schema.errors import NotationError, ResourceLimitError

MEMORY_VARIABLE: Final = "ORACLE_MEMORY_LIMIT"

EMPTY_FILE_BYTES: Final = 3 << 20
"""Size in bytes of a table file without results."""

_UNITS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE: Final = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,6})?)\s*([KMGT]?)(?:I?B)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ResourceEstimate:
    """Expected cost of a build.

    Attributes:
        rows: rows that will be stored; for three-row games P-positions.
        seconds: time on one idle machine with two cores.
        memory_bytes: largest resident size of the process.
        disk_bytes: size of the results on disk.
    """

    rows: int
    seconds: float
    memory_bytes: int
    disk_bytes: int

    def __str__(self) -> str:
        """Format the estimate as one line."""
        return (
            f"{self.rows:,} rows, {duration_text(max(self.seconds, 1))},"
            f" {size_text(self.memory_bytes)} of memory, {size_text(self.disk_bytes)} on disk"
        )


def check_resources(
    what: str, estimate: ResourceEstimate, folder: Path, carried_bytes: int = 0
) -> None:
    """Refuse work that needs more memory or disk than there is.

    Args:
        what: a name of the work, for the message.
        estimate: the resources that it needs.
        folder: the folder of the results; it need not exist.
        carried_bytes: size of the current file, which is copied.

    Raises:
        ResourceLimitError: memory or disk is too small; the message has the estimate.
    """
    memory, disk = memory_limit(), free_disk(folder)
    if estimate.memory_bytes > memory:
        raise ResourceLimitError(
            f"{what} does not fit in memory: it needs {estimate}, and {size_text(memory)} of"
            f" memory are available (set {MEMORY_VARIABLE} to change that)"
        )
    if estimate.disk_bytes + carried_bytes > disk:
        raise ResourceLimitError(
            f"{what} does not fit on disk: it needs {estimate}, besides"
            f" {size_text(carried_bytes)} for a copy of the current file, and {size_text(disk)}"
            f" are free in {folder}"
        )


def memory_limit() -> int:
    """Return the bytes of memory that a job may use.

    The limit is `ORACLE_MEMORY_LIMIT` if set (bytes, or a number with K, M, G or T), else the
    memory that this process can still take now.

    Raises:
        NotationError: `ORACLE_MEMORY_LIMIT` is not a size.
    """
    text = os.environ.get(MEMORY_VARIABLE)
    return parse_size(text) if text else available_memory()


def parse_size(text: str) -> int:
    """Return the bytes that a text such as `3G`, `512MiB` or `1000000` means.

    Raises:
        NotationError: the text is not a size.
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise NotationError(f"{text!r} is not a size in bytes; write e.g. 2000000000, 512M or 3G")
    return int(float(match[1]) * _UNITS[match[2].upper()])


def free_disk(folder: Path) -> int:
    """Return the free bytes on the disk of a folder, which need not exist."""
    existing = folder.absolute()
    while not existing.exists():
        existing = existing.parent
    return shutil.disk_usage(existing).free
