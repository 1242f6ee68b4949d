"""Three-row Chomp: loser sheets, games against chance, Grundy values, remoteness."""

from typing import Final

from engine.jobs.chomp3.random_play import RANDOM_PLAY
from engine.jobs.chomp3.sheets import SHEETS
from engine.jobs.values import value_jobs

JOBS: Final = (SHEETS, RANDOM_PLAY, *value_jobs("chomp3"))
