"""The memory and cores of a process: the least of the limits of system, groups and process."""

import resource
from pathlib import Path

import pytest

from position_oracle.engine.machine import (
    available_cores,
    available_memory,
    limit_memory,
    memory_limit,
    processor_name,
    unlimited_memory,
)

MEMINFO = "MemTotal:  16000000 kB\nMemAvailable:   8000000 kB\n"
TOTAL, FREE = 16_000_000 * 1024, 8_000_000 * 1024
GIB = 1 << 30


def system(root: Path, files: dict[str, str]) -> Path:
    for name, content in ({"proc/meminfo": MEMINFO} | files).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return root


V2 = {"proc/self/cgroup": "0::/system.slice/oracle.service\n"}
SLICE, UNIT = "sys/fs/cgroup/system.slice", "sys/fs/cgroup/system.slice/oracle.service"
V1 = {"proc/self/cgroup": "4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n0::/\n"}
MEMORY, CPU = "sys/fs/cgroup/memory", "sys/fs/cgroup/cpu,cpuacct"


@pytest.mark.parametrize(
    ("files", "limit", "free"),
    [
        ({}, TOTAL, FREE),
        (V2 | {f"{UNIT}/memory.max": "max\n"}, TOTAL, FREE),
        (V2 | {f"{UNIT}/memory.max": f"{4 * GIB}\n"}, 4 * GIB, 4 * GIB),
        (V2 | {f"{SLICE}/memory.max": f"{2 * GIB}\n"}, 2 * GIB, 2 * GIB),
        (V2 | {f"{SLICE}/memory.high": f"{GIB}", f"{UNIT}/memory.max": "max"}, GIB, GIB),
        (
            V2
            | {
                f"{UNIT}/memory.max": f"{4 * GIB}",
                f"{UNIT}/memory.current": f"{3 * GIB}",
                f"{UNIT}/memory.stat": f"anon {2 * GIB}\nfile {GIB}\n",
            },
            4 * GIB,
            2 * GIB,
        ),
        (
            V1
            | {
                f"{MEMORY}/docker/abc/memory.limit_in_bytes": f"{3 * GIB}",
                f"{MEMORY}/docker/abc/memory.usage_in_bytes": f"{2 * GIB}",
                f"{MEMORY}/docker/abc/memory.stat": f"cache 5\ntotal_cache {GIB}\n",
            },
            3 * GIB,
            2 * GIB,
        ),
        # A container sees its own group as the root, but reads the group's name outside it.
        (V1 | {f"{MEMORY}/memory.limit_in_bytes": f"{GIB}"}, GIB, GIB),
        (V1 | {f"{MEMORY}/memory.limit_in_bytes": "9223372036854771712"}, TOTAL, FREE),
    ],
)
def test_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], limit: int, free: int
) -> None:
    no_limit = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    monkeypatch.setattr("resource.getrlimit", lambda _: no_limit)
    place = system(tmp_path, files)
    assert (memory_limit(place), available_memory(place)) == (limit, free)


@pytest.mark.parametrize(
    ("files", "cores"),
    [
        (V2 | {f"{UNIT}/cpu.max": "100000 100000\n"}, 1),
        (V2 | {f"{SLICE}/cpu.max": "20000 100000\n"}, 1),
        (V2 | {f"{UNIT}/cpu.max": "150000 100000\n"}, 2),
        (V1 | {f"{CPU}/cpu.cfs_quota_us": "50000", f"{CPU}/cpu.cfs_period_us": "100000"}, 1),
    ],
)
def test_cores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], cores: int
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)))
    assert available_cores(system(tmp_path, files)) == cores


@pytest.mark.parametrize("quota", ["max 100000", "-1"])
def test_cores_without_a_quota(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quota: str) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)))
    files = {f"{UNIT}/cpu.max": quota, f"{CPU}/cpu.cfs_quota_us": quota}
    assert available_cores(system(tmp_path, V2 | files)) == 8


def test_a_system_that_tells_nothing_has_the_memory_it_has(tmp_path: Path) -> None:
    assert memory_limit(tmp_path) > 1 << 20
    assert available_memory(tmp_path) > 1 << 20
    assert available_cores(tmp_path) >= 1


def test_the_name_of_the_processor_has_what_code_is_compiled_for(tmp_path: Path) -> None:
    assert processor_name(tmp_path)  # of this machine, without information of the system
    facts = tmp_path / "proc/cpuinfo"
    facts.parent.mkdir()

    def name(speed: str, sets: str) -> str:
        one = f"model name\t: Example 9\ncpu MHz\t\t: {speed}\nflags\t\t: {sets}\n\n"
        facts.write_text(one * 2)
        return processor_name(tmp_path)

    assert name("2596.1", "sse avx2") == "Example 9; sse avx2"
    assert name("3001.5", "sse avx2") == name("2596.1", "sse avx2") != name("2596.1", "sse")


def test_a_limit_that_is_lifted_comes_back_unless_another_one_was_set_meanwhile() -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    if before[1] != resource.RLIM_INFINITY:
        pytest.skip("the memory of this process is limited for good")
    try:
        limit_memory(1 << 40)
        limited = resource.getrlimit(resource.RLIMIT_DATA)
        with unlimited_memory():
            assert resource.getrlimit(resource.RLIMIT_DATA) == (before[1], before[1])
        assert resource.getrlimit(resource.RLIMIT_DATA) == limited
        other = (limited[0] - 1, limited[1])
        with unlimited_memory():
            resource.setrlimit(resource.RLIMIT_DATA, other)
        assert resource.getrlimit(resource.RLIMIT_DATA) == other
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)
