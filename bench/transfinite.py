"""Measure transfinite Chomp: decisions by kind, the fragments, and the frontier.

Run: python bench/transfinite.py [--frontier LIMIT]
Times are process CPU time; a verdict's are of `decide`, size included.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time

from position_oracle.engine.jobs.transfinite.grids import FragmentPlan, fragment_rows
from position_oracle.engine.solvers.frontier import solve
from position_oracle.engine.theory.supermex import loser_sheets
from position_oracle.engine.theory.transfinite.decide import decide
from position_oracle.engine.theory.transfinite.position import OrdinalPosition
from tests.reference import transfinite_naive as samples

COUNT = 2_000


def positions(kind: str, rng: random.Random) -> list[OrdinalPosition]:
    if kind == "two-wide":
        return [OrdinalPosition.columns(*samples.two_columns(rng)) for _ in range(COUNT)]
    if kind == "three-wide":
        return [OrdinalPosition.columns(*samples.three_columns(rng)) for _ in range(COUNT)]
    found = []
    for _ in range(COUNT):
        u, v, y, z = samples.block(rng, kind[-1])
        found.append(OrdinalPosition.birds_eye(v, z, u, y))
    return found


def verdict_times(kind: str) -> list[float]:
    times = []
    rng = random.Random(kind)  # noqa: S311 - samples, not secrets
    for position in positions(kind, rng):
        start = time.thread_time()
        decide(position)
        times.append((time.thread_time() - start) * 1e3)
    return sorted(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frontier", type=int, default=300, help="columns below this height")
    limit = parser.parse_args().frontier
    start = time.process_time()
    loser_sheets()
    print(f"sheets x < 128: {time.process_time() - start:.2f} s")
    print(f"{'kind':<12} {'median ms':>10} {'99 % ms':>10}")
    for kind in ("two-wide", "three-wide", *(f"2 x 2 type {name}" for name in "ABCDEF")):
        times = verdict_times(kind)
        print(f"{kind:<12} {statistics.median(times):>10.3f} {times[int(0.99 * COUNT)]:>10.3f}")
    start = time.process_time()
    rows = sum(1 for _ in fragment_rows(FragmentPlan.of("2x3x2")))
    print(f"fragments: {rows} rows in {time.process_time() - start:.1f} s")
    solve(10)
    start = time.process_time()
    frontier = solve(limit)
    taken = time.process_time() - start
    present = frontier.found()
    missing = [g for g in range(100) if not present[g]]
    print(f"frontier: columns below {limit} in {taken:.1f} s; g < 100 not found: {missing}")


if __name__ == "__main__":
    main()
