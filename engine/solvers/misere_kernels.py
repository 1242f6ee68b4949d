"""Compiled code for long lists of words: which of them are P."""

from position_oracle.engine.solvers.compiled import kernel
from position_oracle.engine.solvers.misere_words import fill_outcomes as fill_plain

fill_outcomes = kernel(fill_plain)
