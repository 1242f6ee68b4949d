"""Wythoff's game: sheets of three heaps, Grundy values, remoteness."""

from typing import Final

from position_oracle.engine.jobs.heap_sheets import sheet_job
from position_oracle.engine.jobs.values import value_jobs

JOBS: Final = (
    sheet_job("wythoff", step_nanoseconds=150.0, three_heaps="wythoff{rule=pairs}"),
    *value_jobs("wythoff"),
)
