"""Chomp boards of any shape: outcomes inside bounding boards."""

from typing import Final

from position_oracle.engine.jobs.chomp.outcomes import OUTCOMES

JOBS: Final = (OUTCOMES,)
