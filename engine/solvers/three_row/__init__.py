"""Loser sheets of three-row Chomp, with passes and with declared N-positions.

`solve` computes all sheets in memory, `iter_blocks` streams them. `build` calls `groups` (some
sheets together), which calls `sheet` (one sheet through a tile of rows), which calls `supermex`,
the inner loop; `engine.theory.supermex` defines it. `certificate` proves tails.
"""
