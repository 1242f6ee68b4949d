"""Chomp boards of any shape: theorems, tables of outer boards, searches."""

from oracle.families.base import Family
from oracle.families.chomp.prober import BoardProber
from oracle.families.chomp.tables import load_outcomes
from oracle.families.stored_values import VALUE_LOADERS

FAMILY = Family(BoardProber, {"outcomes": load_outcomes, **VALUE_LOADERS})
