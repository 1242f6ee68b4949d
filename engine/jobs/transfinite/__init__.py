"""Transfinite Chomp: positions on grids of ordinals, and the frontier of finite boxes."""

from typing import Final

from engine.jobs.transfinite.fragments import FRAGMENTS
from engine.jobs.transfinite.frontier import FRONTIER

JOBS: Final = (FRAGMENTS, FRONTIER)
