"""Three-row Chomp: loser sheets, census, sensitivity, games against chance, values of positions."""

from typing import Final

from position_oracle.engine.jobs.chomp3.census import CENSUS
from position_oracle.engine.jobs.chomp3.random_play import RANDOM_PLAY
from position_oracle.engine.jobs.chomp3.sensitivity import SENSITIVITY
from position_oracle.engine.jobs.chomp3.sheets import SHEETS
from position_oracle.engine.jobs.values import value_jobs

JOBS: Final = (SHEETS, CENSUS, RANDOM_PLAY, SENSITIVITY, *value_jobs("chomp3"))
