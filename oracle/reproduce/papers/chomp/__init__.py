"""Entries of Friedman and Landsberg, Nonlinear dynamics in combinatorial games (2007)."""
