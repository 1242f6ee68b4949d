"""Entries of Morrison, Friedman and Landsberg, Combinatorial games with a pass."""
