"""Seconds and memory for Grundy values and remoteness of three-row Chomp.

Run with `python -m bench.grundy`. Every figure is the best of three in seconds of processor time on
one thread, after compilation; the plain reference is the one that the tests use, and is measured on
all positions with a first row of at most 40. The peak of memory is that of the whole process,
interpreter and libraries included, after the tables.
"""

import resource
import sys
import time
from collections.abc import Callable

import numpy as np

from position_oracle.engine.solvers.grundy3 import (
    estimate_grundy_bytes,
    estimate_remoteness_bytes,
    position_count,
    solve_grundy,
    solve_remoteness,
)
from tests.reference import grundy_naive as naive

RUNS = 3
LIMIT = 400
PLAIN_LIMIT = 40
MIB = 2**20


def seconds_of(action: Callable[[], object]) -> float:
    """Processor time of one run, in seconds."""
    start = time.process_time()
    action()
    return time.process_time() - start


def best_of(action: Callable[[], object]) -> float:
    """Least processor time of several runs, in seconds."""
    return min(seconds_of(action) for _ in range(RUNS))


def peak_bytes() -> int:
    """The most memory that this process has held so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def figure(what: str, seconds: float, remark: str = "") -> None:
    """Print one line."""
    print(f"{what:<44}{seconds:10.4f} s   {remark}", flush=True)


def compile_all() -> None:
    """Call everything once that is measured."""
    solve_grundy(3)
    solve_remoteness(3)


def table(
    what: str, solve: Callable[[int], object], estimate: int, plain: Callable[[int], object]
) -> None:
    """Time and ratio to the reference of one kind of table."""
    count = position_count(LIMIT)
    seconds = best_of(lambda: solve(LIMIT))
    figure(
        f"{what}, a <= {LIMIT}",
        seconds,
        f"{count} positions, {seconds / count * 1e9:.1f} ns each,"
        f" {estimate / MIB:.0f} MiB estimated",
    )
    few = position_count(PLAIN_LIMIT)
    slow = best_of(lambda: plain(PLAIN_LIMIT)) / few
    fast = best_of(lambda: solve(PLAIN_LIMIT)) / few
    figure(
        f"{what}, a <= {PLAIN_LIMIT}, plain reference", slow * few, f"{slow / fast:.0f} x slower"
    )


def look_ups() -> None:
    """A batch of random positions and single ones."""
    grundy = solve_grundy(LIMIT)
    rows = np.sort(np.random.default_rng(1).integers(0, LIMIT + 1, (1_000_000, 3)), axis=1)
    batch = np.column_stack([rows[:, 0], np.diff(rows, axis=1)])
    seconds = best_of(lambda: grundy.values_at(batch))
    figure("1,000,000 values in one batch", seconds, f"{len(batch) / seconds / 1e6:.0f} million/s")
    few = batch[:1000].tolist()
    seconds = best_of(lambda: [grundy.value(*position) for position in few])
    figure("1,000 single values", seconds, f"{seconds * 1e3:.2f} µs each")


def main() -> None:
    """Print all figures."""
    figure("compilation, or loading it", seconds_of(compile_all))
    print(f"peak memory before any table: {peak_bytes() / MIB:.0f} MiB")
    table("Grundy values", solve_grundy, estimate_grundy_bytes(LIMIT), naive.restricted_values)
    table("remoteness", solve_remoteness, estimate_remoteness_bytes(LIMIT), naive.remoteness_values)
    print(f"peak memory after the tables: {peak_bytes() / MIB:.0f} MiB")
    look_ups()


if __name__ == "__main__":
    main()
