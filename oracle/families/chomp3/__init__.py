"""Three-row Chomp: answers from loser sheets, stored or solved on demand."""

from position_oracle.oracle.families.chomp3.prober import ThreeRowProber

PROBER = ThreeRowProber
