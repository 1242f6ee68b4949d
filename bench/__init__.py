"""Run the benchmarks: `make bench`, or `python -m bench NAME`."""
