"""Measure how fast this machine is: `python -m bench [NAME...]` runs the benchmarks named, or
all.
"""

import importlib
import pkgutil
import sys
import time

import bench

INFRASTRUCTURE = {"__main__", "timing"}


def main() -> None:
    """Run the benchmarks one after another."""
    names = sorted(m.name for m in pkgutil.iter_modules(bench.__path__))
    names = [name for name in names if name not in INFRASTRUCTURE]
    chosen = sys.argv[1:] or names
    for name in chosen:
        if name not in names:
            sys.exit(f"no benchmark {name!r}; there are: {', '.join(names)}")
        print(f"== {name}", flush=True)
        begun = time.perf_counter()
        sys.argv = [f"bench.{name}"]  # a benchmark reads options of its own
        importlib.import_module(f"bench.{name}").main()
        print(f"   ({time.perf_counter() - begun:.0f} s)\n", flush=True)


if __name__ == "__main__":
    main()
