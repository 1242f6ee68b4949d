"""Entries of Friedman and Landsberg, Nonlinear dynamics in combinatorial games (2007)."""

from types import ModuleType


def modules() -> tuple[ModuleType, ...]:
    """Return the modules with entries, in the order of the report."""
    from position_oracle.oracle.reproduce.papers.chomp import claims, equations, figures

    return figures, equations, claims
