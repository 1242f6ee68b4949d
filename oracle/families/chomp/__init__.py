"""Chomp boards of any shape: theorems, tables of bounding boards, searches."""

from position_oracle.oracle.families.base import Family
from position_oracle.oracle.families.chomp.prober import BoardProber
from position_oracle.oracle.families.chomp.tables import load_outcomes
from position_oracle.oracle.families.stored_values import VALUE_LOADERS

FAMILY = Family(BoardProber, {"outcomes": load_outcomes, **VALUE_LOADERS})
