"""Measure seconds and memory for Grundy values and remoteness of three-row Chomp.

Run with `python -m bench.grundy`. Every figure is the best of three in seconds of processor time on
one thread, after compilation. The plain reference is that of the tests. It is measured on all
positions with a first row of at most 40. The peak of memory is that of the whole process,
interpreter and libraries included, after the tables.
"""

import resource
import sys
import time
from collections.abc import Callable

from position_oracle.engine.solvers.three_row_values import estimate_bytes, solve
from position_oracle.schema.values import board_count
from tests.reference import grundy_naive as naive

RUNS = 3
LIMIT = 400
PLAIN_LIMIT = 40
MIB = 2**20
PLAIN = {"grundy": naive.restricted_values, "remoteness": naive.remoteness_values}


def seconds_of(action: Callable[[], object]) -> float:
    """Return the processor time of one run, in seconds."""
    start = time.process_time()
    action()
    return time.process_time() - start


def best_of(action: Callable[[], object]) -> float:
    """Return the least processor time of several runs, in seconds."""
    return min(seconds_of(action) for _ in range(RUNS))


def peak_bytes() -> int:
    """Return the maximum memory that this process has used so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def figure(what: str, seconds: float, remark: str = "") -> None:
    """Print one measured number."""
    print(f"{what:<44}{seconds:10.4f} s   {remark}", flush=True)


def compile_all() -> None:
    """Call every measured function once, so that it is compiled."""
    for kind in PLAIN:
        solve(kind, 3)


def table(kind: str, plain: Callable[[int], object]) -> None:
    """Measure one kind of table: its time, and the ratio to the plain reference."""
    count = board_count(LIMIT)
    seconds = best_of(lambda: solve(kind, LIMIT))
    figure(
        f"{kind}, a <= {LIMIT}",
        seconds,
        f"{count} positions, {seconds / count * 1e9:.1f} ns each,"
        f" {estimate_bytes(kind, LIMIT) / MIB:.0f} MiB estimated",
    )
    few = board_count(PLAIN_LIMIT)
    slow = best_of(lambda: plain(PLAIN_LIMIT)) / few
    fast = best_of(lambda: solve(kind, PLAIN_LIMIT)) / few
    figure(
        f"{kind}, a <= {PLAIN_LIMIT}, plain reference", slow * few, f"{slow / fast:.0f} x slower"
    )


def main() -> None:
    """Print all measured numbers."""
    figure("compilation, or loading it", seconds_of(compile_all))
    print(f"peak memory before any table: {peak_bytes() / MIB:.0f} MiB")
    for kind, plain in PLAIN.items():
        table(kind, plain)
    print(f"peak memory after the tables: {peak_bytes() / MIB:.0f} MiB")


if __name__ == "__main__":
    main()
