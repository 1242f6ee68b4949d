"""Nim: sheets of three heaps, Grundy values, remoteness."""

from typing import Final

from position_oracle.engine.jobs.heap_sheets import sheet_job
from position_oracle.engine.jobs.values import value_jobs

JOBS: Final = (
    sheet_job("nim", step_nanoseconds=30.0, three_heaps="nim{heaps=3}"),
    *value_jobs("nim"),
)
