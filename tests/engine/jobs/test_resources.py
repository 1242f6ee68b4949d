"""Sizes as text, limits of this machine, and refusals."""

import subprocess
import sys
from pathlib import Path

import pytest

from position_oracle.engine.amounts import size_text
from position_oracle.engine.jobs.resources import (
    ResourceEstimate,
    check_resources,
    free_disk,
    memory_limit,
    parse_size,
)
from position_oracle.schema.errors import NotationError, ResourceLimitError

NEEDS_2_GB = ResourceEstimate(rows=10**9, seconds=120, memory_bytes=2 * 10**9, disk_bytes=10**6)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1000000", 10**6),
        ("512M", 512 << 20),
        ("3G", 3 << 30),
        ("1.5GiB", 3 << 29),
        (" 2 kb ", 2048),
        ("1T", 1 << 40),
    ],
)
def test_sizes_are_read(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "much", "-1G", "1X", "1e9", "9" * 40, "G", "nan"])
def test_other_texts_are_not_read_as_sizes(text: str) -> None:
    with pytest.raises(NotationError, match="is not a size in bytes"):
        parse_size(text)


def test_the_environment_sets_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORACLE_MEMORY_LIMIT", "3G")
    assert memory_limit() == 3 << 30
    monkeypatch.setenv("ORACLE_MEMORY_LIMIT", "plenty")
    with pytest.raises(NotationError):
        memory_limit()


def test_what_fits_is_not_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORACLE_MEMORY_LIMIT", "2G")
    check_resources("a build", NEEDS_2_GB, tmp_path)


def test_too_little_memory_is_a_refusal_with_the_estimate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORACLE_MEMORY_LIMIT", "1G")
    with pytest.raises(ResourceLimitError) as caught:
        check_resources("chomp3 sheets up to 7", NEEDS_2_GB, tmp_path)
    for part in ("chomp3 sheets up to 7", "1,000,000,000 rows", "2 min", "2 GB", "1.1 GB"):
        assert part in str(caught.value)
    assert isinstance(caught.value, MemoryError)


@pytest.mark.parametrize(("disk_bytes", "carried"), [(10**18, 0), (10**6, 10**18)])
def test_too_little_disk_is_a_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, disk_bytes: int, carried: int
) -> None:
    monkeypatch.setenv("ORACLE_MEMORY_LIMIT", "1G")
    estimate = ResourceEstimate(rows=1, seconds=1, memory_bytes=1, disk_bytes=disk_bytes)
    with pytest.raises(ResourceLimitError, match="does not fit on disk"):
        check_resources("a build", estimate, tmp_path / "not" / "there", carried)


def test_the_disk_of_a_folder_to_come_is_that_of_its_parent(tmp_path: Path) -> None:
    assert free_disk(tmp_path / "a" / "b") == pytest.approx(free_disk(tmp_path), rel=0.1)


def test_sizes_for_people() -> None:
    assert [size_text(n) for n in (0, 999, 1000, 2_500_000, 10**18)] == [
        "0 bytes",
        "999 bytes",
        "1 kB",
        "2.5 MB",
        "1 EB",
    ]


def test_a_build_sees_the_limit_of_its_process(tmp_path: Path) -> None:
    """The environment variable is unset, because it would take precedence."""
    program = "from position_oracle.engine.jobs.resources import memory_limit as m; print(m())"
    command = f"unset ORACLE_MEMORY_LIMIT; ulimit -v 3000000; {sys.executable} -c '{program}'"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 3_000_000 << 10
