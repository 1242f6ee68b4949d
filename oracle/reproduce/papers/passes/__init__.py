"""Entries of Morrison, Friedman and Landsberg, Combinatorial games with a pass."""

from types import ModuleType


def modules() -> tuple[ModuleType, ...]:
    """Return the modules with entries, in the order of the report."""
    from position_oracle.oracle.reproduce.papers.passes import claims, equations, figures

    return figures, equations, claims
