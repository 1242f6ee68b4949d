"""Measure the three-row solver: ns for each P-position, long streams, games with passes.

    python -m bench.three_row [--full]

The reference is the plain definition of the sheets in numba, one byte per value, measured in the
same run: the ratio between the two means the same on a fast and on a slow machine. Times are the
best of several runs, in CPU time; compilation is not counted.
"""

import argparse
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from position_oracle.engine.solvers.three_row.build import iter_blocks, solve

REFERENCE_LIMIT = 1500
LIMIT = 20_000
STREAM = 50_000
LONG_STREAM = 100_000
WARM_UP = 20


def define(limit: int, rows: int, values: int) -> NDArray[np.int64]:
    """Return f(b, c) for c < limit and c <= b < rows by definition; 0 if a sheet has stopped."""
    in_row = np.zeros((rows, values), np.bool_)
    in_diagonal = np.zeros(values, np.bool_)
    found = np.zeros((limit, rows), np.int64)
    for c in range(limit):
        in_column = np.zeros(values, np.bool_)
        for b in range(c, rows):
            a = max(b, 1)
            while in_row[b, a] or in_column[a] or in_diagonal[a]:
                a += 1
            found[c, b] = a
            in_row[b, a] = True
            in_column[a] = True
            if a == b:
                break
        in_diagonal[found[c, c]] = True
    return found


reference = njit(define)


def best(work: Callable[[], Any], runs: int, clock: Callable[[], float]) -> float:
    """Return the least time of several runs, in seconds."""
    times = []
    for _ in range(runs):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


def reference_ns() -> float:
    """Return ns for each value of the plain definition, which visits sheets up to their tails."""
    rows, values = int(1.45 * REFERENCE_LIMIT), int(2.2 * REFERENCE_LIMIT) + 64
    reference(WARM_UP, 2 * WARM_UP, 200)
    count = np.count_nonzero(reference(REFERENCE_LIMIT, rows, values))
    return (
        best(lambda: reference(REFERENCE_LIMIT, rows, values), 3, time.process_time) / count * 1e9
    )


def solver_ns(limit: int = LIMIT, runs: int = 5) -> float:
    """Return ns of the solver for each P-position of the plain game."""
    positions = sum(len(block.prefix_z) for block in iter_blocks(limit))

    def stream() -> None:
        for _ in iter_blocks(limit):
            pass

    return best(stream, runs, time.process_time) / positions * 1e9


def pass_ratio(limit: int = LIMIT, runs: int = 3) -> float:
    """Return the time of the game with one pass divided by the time of the plain game, in
    memory.
    """
    plain = solve(limit)
    with_pass = best(lambda: solve(limit, exclusions=plain), runs, time.process_time)
    return with_pass / best(lambda: solve(limit), runs, time.process_time)


def stream_seconds(limit: int) -> tuple[float, int]:
    """Return the wall-clock time of all blocks below ``limit``, and their number of P-positions."""
    start = time.perf_counter()
    positions = sum(len(block.prefix_z) for block in iter_blocks(limit))
    return time.perf_counter() - start, positions


def report_stream(limit: int) -> None:
    """Print one line about a stream."""
    seconds, positions = stream_seconds(limit)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"x < {limit:7,}               {seconds:8.2f} s   {positions:13,} P-positions"
        f"   {seconds / positions * 1e9:5.2f} ns each   peak memory so far {peak:,.0f} MiB"
    )


def main(full: bool = False) -> None:
    """Print the measured numbers; ``full`` adds the long stream."""
    start = time.perf_counter()
    solve(WARM_UP)
    print(f"first call (compilation, or its cache)   {time.perf_counter() - start:8.2f} s")
    plain, slow = solver_ns(), reference_ns()
    print(f"plain definition in numba, x < {REFERENCE_LIMIT:,}     {slow:8.1f} ns per P-position")
    print(f"solver, x < {LIMIT:,}                       {plain:8.2f} ns per P-position")
    print(f"the definition takes                     {slow / plain:8.1f} times as long")
    print(f"one pass, relative to the plain game     {pass_ratio():8.2f}")
    report_stream(STREAM)
    if full:
        report_stream(LONG_STREAM)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help=f"also x < {LONG_STREAM:,}")
    main(parser.parse_args().full)
