"""Measure times for benchmarks: the best of several runs, in wall-clock seconds."""

import time
from collections.abc import Callable


def best_of(work: Callable[[], object], runs: int = 5) -> float:
    """Return the seconds of the fastest run, because disturbances only make a run slower."""
    times = []
    for _ in range(runs):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return min(times)
