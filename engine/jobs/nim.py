"""Nim: sheets of three heaps."""

from typing import Final

from position_oracle.engine.jobs.heap_sheets import sheet_job

JOBS: Final = (sheet_job("nim", step_nanoseconds=30.0, three_heaps="nim{heaps=3}"),)
