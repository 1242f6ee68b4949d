"""Loser sheets of three-row Chomp, with passes and with declared N-positions.

`solve` computes them all in memory, `iter_blocks` streams them. `build` calls `sheet` (one sheet
after the other, up the rows), which calls `supermex`, the inner loop; `engine.theory.supermex`
defines it. `certificate` proves tails.
"""
