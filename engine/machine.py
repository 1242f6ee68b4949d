"""The memory and the processor cores that processes may use, and what they have used.

The limits are those of the machine, of the process (`setrlimit`), and of its Linux control groups
(both versions) with all parent groups.
"""

import math
import os
import platform
import re
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

LEAST_BYTES: Final = 256 << 20
"""Minimum of bytes that a limit leaves a process beyond its present memory."""

ROOT: Final = Path("/")
_GROUPS: Final = Path("sys/fs/cgroup")
_TEXT: Final = "utf-8"
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_SIZES: Final = Path("proc/self/statm")
_DATA: Final = 5
"""Index in `statm` of the pages of data and stacks."""

_PROCESSOR: Final = re.compile(
    r"^(?:vendor_id|cpu family|model(?: name)?|CPU \w+|flags|Features)\s*:\s*(.*)$", re.M
)


def memory_limit(system: Path = ROOT) -> int:
    """Return the bytes of memory that this process could ever have.

    Args:
        system: root of the system's `proc` and `sys` folders.
    """
    return min(limit for limit, _ in _memory(system))


def available_memory(system: Path = ROOT) -> int:
    """Return the bytes of memory that this process can still take now."""
    return max(0, min(limit - used for limit, used in _memory(system)))


def used_memory() -> int:
    """Return the bytes of memory of this process; memory shared by n processes counts 1/n (PSS)."""
    try:
        text = (ROOT / "proc/self/smaps_rollup").read_text("ascii")
    except OSError:  # not Linux
        return 0
    return sum(1024 * int(line.split()[1]) for line in text.splitlines() if line[:4] == "Pss:")


def processor_seconds(pid: int) -> float:
    """Return the processor time of a process; 0 if the system does not report it."""
    try:
        fields = (ROOT / f"proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def unlimited_memory() -> Iterator[None]:
    """Lift the limit, e.g. while new tables are loaded beside the old ones.

    A limit that is set inside the block stays.
    """
    before = resource.getrlimit(resource.RLIMIT_DATA)
    lifted = (before[1], before[1])
    resource.setrlimit(resource.RLIMIT_DATA, lifted)
    try:
        yield
    finally:
        if resource.getrlimit(resource.RLIMIT_DATA) == lifted:
            resource.setrlimit(resource.RLIMIT_DATA, before)


def limit_memory(more: int, processes: int = 1) -> None:
    """Limit the data of this process to its present size and more bytes.

    The limit is also at most the share of one of several processes in `memory_limit`. Work that
    allocates more fails with MemoryError. Without a limit the system would end the process. The
    function does nothing on systems other than Linux.
    """
    if not (sizes := _numbers(ROOT / _SIZES)):
        return
    now, hard = int(sizes[_DATA]) * _PAGE, resource.getrlimit(resource.RLIMIT_DATA)[1]
    with unlimited_memory():  # an earlier limit is no limit of the machine
        share = memory_limit() // processes
    most = max(min(now + more, share), now + LEAST_BYTES)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def available_cores(system: Path = ROOT) -> int:
    """Return the number of processor cores that threads of this process can use; at least 1."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    for folder in _groups(system, "cpu"):
        quota = _numbers(folder / "cpu.max") or (
            *_numbers(folder / "cpu.cfs_quota_us"),
            *_numbers(folder / "cpu.cfs_period_us"),
        )
        if len(quota) == 2:  # the time allowed in a period
            cores = min(cores, math.ceil(quota[0] / quota[1]))
    return max(1, cores)


def processor_name(system: Path = ROOT) -> str:
    """Return the name of the processor with its instruction sets, which machine code depends on."""
    try:
        first = (system / "proc/cpuinfo").read_text(_TEXT).partition("\n\n")[0]
    except OSError:  # not Linux
        return platform.processor() or platform.machine()
    return "; ".join(_PROCESSOR.findall(first)) or platform.machine()


def _memory(system: Path) -> Iterator[tuple[int, int]]:
    """Yield each limit of memory in bytes, and the memory that counts against it now."""
    facts = _facts(system / "proc/meminfo")
    total = facts.get("MemTotal:", 0) * 1024
    if not total:  # not Linux
        total = _PAGE * os.sysconf("SC_PHYS_PAGES")
    yield total, total - facts.get("MemAvailable:", total // 1024) * 1024
    for folder in _groups(system, "memory"):
        # The kernel can release cached files.
        files = _facts(folder / "memory.stat")
        kept = files.get("file", files.get("total_cache", 0))
        for limit, used in (
            ("memory.max", "memory.current"),
            ("memory.high", "memory.current"),
            ("memory.limit_in_bytes", "memory.usage_in_bytes"),
        ):
            for bound in _numbers(folder / limit):
                taken = next(iter(_numbers(folder / used)), 0)
                yield int(bound), int(max(taken - kept, 0))
    sizes = _numbers(system / _SIZES)
    for kind, place in ((resource.RLIMIT_AS, 0), (resource.RLIMIT_DATA, _DATA)):
        bound = resource.getrlimit(kind)[0]
        if bound != resource.RLIM_INFINITY:
            yield bound, int(sizes[place]) * _PAGE if len(sizes) > place else 0


def _groups(system: Path, controller: str) -> Iterator[Path]:
    """Yield the folders of this process's control groups, up to the mounted root."""
    try:
        lines = (system / "proc/self/cgroup").read_text(_TEXT).splitlines()
    except OSError:
        lines = ["0::/", f"1:{controller}:/"]
    for line in lines:
        _, controllers, name = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        mounts = {controllers, controller} if controllers else {"", "unified"}
        below = Path(name.strip("/"))
        for mount in mounts:
            for group in (below, *below.parents):
                yield system / _GROUPS / mount / group


def _numbers(file: Path) -> tuple[float, ...]:
    """Read the numbers of a file of one line; `max` means infinite, and is left out."""
    try:
        return tuple(float(word) for word in file.read_text(_TEXT).split() if word.isdigit())
    except OSError:
        return ()


def _facts(file: Path) -> dict[str, int]:
    """Read a file of lines that begin with a name and a number."""
    try:
        rows = [line.split() for line in file.read_text(_TEXT).splitlines()]
    except OSError:
        return {}
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdigit()}
