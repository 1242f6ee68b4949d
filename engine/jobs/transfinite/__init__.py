"""Transfinite Chomp: positions on grids of ordinals, and the frontier of finite boxes."""

from typing import Final

from position_oracle.engine.jobs.transfinite.fragments import FRAGMENTS
from position_oracle.engine.jobs.transfinite.frontier import FRONTIER

JOBS: Final = (FRAGMENTS, FRONTIER)
