"""Three-row Chomp: loser sheets, census, sensitivity, random play."""

from typing import Final

from position_oracle.engine.jobs.chomp3.census import CENSUS
from position_oracle.engine.jobs.chomp3.random_play import RANDOM_PLAY
from position_oracle.engine.jobs.chomp3.sensitivity import SENSITIVITY
from position_oracle.engine.jobs.chomp3.sheets import SHEETS

JOBS: Final = (SHEETS, CENSUS, RANDOM_PLAY, SENSITIVITY)
