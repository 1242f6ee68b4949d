"""Three-row Chomp: loser sheets, their census, games against chance, Grundy values, remoteness."""

from typing import Final

from engine.jobs.chomp3.census import CENSUS
from engine.jobs.chomp3.random_play import RANDOM_PLAY
from engine.jobs.chomp3.sheets import SHEETS
from engine.jobs.values import value_jobs

JOBS: Final = (SHEETS, CENSUS, RANDOM_PLAY, *value_jobs("chomp3"))
