"""Chomp boards of any shape: outcomes, Grundy values, remoteness."""

from typing import Final

from position_oracle.engine.jobs.chomp.outcomes import OUTCOMES
from position_oracle.engine.jobs.values import covers_boxes, value_jobs

JOBS: Final = (OUTCOMES, *value_jobs("chomp", covers_boxes))
