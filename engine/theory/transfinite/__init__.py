"""Transfinite Chomp: positions whose sides are ordinals below epsilon_0.

The mathematics of Huddleston & Shurman, *Transfinite Chomp*: ordinals, positions, one module per
theorem, and `decide`, which chooses the theorem that applies. Pure functions; no I/O.
"""
