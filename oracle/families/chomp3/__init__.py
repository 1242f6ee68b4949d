"""Three-row Chomp: answered from loser sheets, stored or solved when asked for."""

from oracle.families.base import Family
from oracle.families.chomp3.loading import LOADERS
from oracle.families.chomp3.prober import ThreeRowProber

FAMILY = Family(ThreeRowProber, LOADERS)
