"""Wythoff's game: sheets of three heaps."""

from typing import Final

from position_oracle.engine.jobs.heap_sheets import sheet_job

JOBS: Final = (sheet_job("wythoff", step_nanoseconds=150.0, three_heaps="wythoff{rule=pairs}"),)
