"""Entries of Huddleston and Shurman, Transfinite Chomp."""

from types import ModuleType


def modules() -> tuple[ModuleType, ...]:
    """Return the modules with entries, in the order of the report."""
    from position_oracle.oracle.reproduce.papers.transfinite import basics, blocks, frontier, wide

    return basics, wide, blocks, frontier
