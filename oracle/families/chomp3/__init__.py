"""Three-row Chomp: answers from loser sheets, stored or solved on demand."""

from position_oracle.oracle.families.base import Family
from position_oracle.oracle.families.chomp3.loading import LOADERS
from position_oracle.oracle.families.chomp3.prober import ThreeRowProber

FAMILY = Family(ThreeRowProber, LOADERS)
