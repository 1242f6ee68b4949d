"""Chomp boards of any shape: theorems, tables of bounding boards, searches."""

from position_oracle.oracle.families.chomp.prober import BoardProber

PROBER = BoardProber
